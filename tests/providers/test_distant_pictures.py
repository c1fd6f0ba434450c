"""Pictures that are given by an https address: handed on, or fetched for who wants them themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.providers.loopback import Loopback, error
from workbench.engine.content import image_urls
from workbench.errors import InvalidRequestError, ProviderError
from workbench.providers.host_client import ModelHost
from workbench.providers.host_pictures import fetch_pictures, with_pictures
from workbench.providers.litellm_model import LitellmModel

URL = "https://127.0.0.1:9/plot.png"
"""An address that litellm refuses to fetch: it is on this machine."""

PART = {"type": "image_url", "image_url": {"url": URL}}
TEXT = {"type": "text", "text": "what is this?"}
USER: list[dict[str, Any]] = [{"role": "user", "content": [TEXT, PART]}]


@pytest.fixture
def asked(host: ModelHost, server: Loopback) -> Callable[[str], ProviderError]:
    """The error of a question with the picture; what arrived is in ``server.requests``."""

    def ask(model: str) -> ProviderError:
        server.script(error(400, "recorded"))
        with pytest.raises(ProviderError) as caught:
            LitellmModel(model, host=host, api_key="k", base_url=server.base_url).complete(USER)
        return caught.value

    return ask


@pytest.mark.parametrize(
    "model", ["openai/gpt-4o", "anthropic/claude-sonnet-4-5", "mistral/pixtral-12b-2409"]
)
def test_an_address_is_handed_on_to_who_fetches_it(
    asked: Callable[[str], ProviderError], server: Loopback, model: str
) -> None:
    assert "recorded" in str(asked(model))
    assert URL in str(server.requests[0].body["messages"])


@pytest.mark.parametrize("model", ["gemini/gemini-2.5-flash", "ollama_chat/llava", "ollama/llava"])
def test_a_picture_that_cannot_be_fetched_is_told_with_what_to_do(
    asked: Callable[[str], ProviderError], server: Loopback, model: str
) -> None:
    refused = asked(model)
    assert isinstance(refused, InvalidRequestError)
    assert URL in str(refused)
    assert refused.hint == "Download it and give the file."
    assert not server.requests


async def test_ollama_gets_the_picture_in_the_place_of_its_address() -> None:
    fetched: list[str] = []

    async def fetch(url: str) -> str:
        fetched.append(url)
        return "data:image/png;base64,AAAA"

    near = {"type": "image_url", "image_url": {"url": "data:image/png;base64,BBBB"}}
    message = {"role": "user", "content": [TEXT, PART, near, PART]}
    filled = await with_pictures(message, fetch)
    assert fetched == [URL]
    assert filled["content"][0] == TEXT
    assert image_urls(filled["content"]) == [
        "data:image/png;base64,AAAA", "data:image/png;base64,BBBB", "data:image/png;base64,AAAA",
    ]  # fmt: skip
    assert image_urls(message["content"])[0] == URL


async def test_nothing_is_fetched_where_the_provider_does_it() -> None:
    assert await fetch_pictures(USER, "openai") is USER
    plain = [{"role": "user", "content": "hi"}]
    assert await fetch_pictures(plain, "ollama_chat") is plain
