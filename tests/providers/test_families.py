"""The same faults from servers of the large families: each told in its kind, through real litellm."""

from __future__ import annotations

import pytest

from tests.providers.loopback import Loopback, Reply, error, text
from workbench.errors import (
    ContextOverflowError,
    MissingKeyError,
    ProviderConnectionError,
    ProviderError,
    RateLimitError,
    UnknownModelError,
)
from workbench.providers.host_client import ModelHost
from workbench.providers.litellm_model import LitellmModel

USER = [{"role": "user", "content": "hi"}]
FAMILIES = {
    "openai/gpt-4o": "/v1",
    "anthropic/claude-sonnet-4-5": "",
    "gemini/gemini-2.5-pro": "",
    "mistral/mistral-large-latest": "/v1",
    "deepseek/deepseek-chat": "/v1",
    "ollama_chat/llama3": "",
    "lm_studio/some-model": "/v1",
    "hosted_vllm/some-model": "/v1",
    "openrouter/openai/gpt-4o": "/v1",
}
"""Models, and what follows the port in the address of their server."""


class Family:
    """A model of one family at the loopback server."""

    def __init__(self, host: ModelHost, server: Loopback, model: str) -> None:
        self.server = server
        self.name = model
        self.address = server.base_url.removesuffix("/v1") + FAMILIES[model]
        self.model = LitellmModel(model, host=host, first_pause=0.0, base_url=self.address, api_key="k")

    def fails(self, kind: type[ProviderError], *replies: Reply) -> ProviderError:
        """Ask; the error, which is of this very kind."""
        self.server.script(*replies)
        with pytest.raises(ProviderError) as caught:
            self.model.complete(USER)
        assert type(caught.value) is kind
        assert caught.value.hint
        return caught.value


@pytest.fixture(params=FAMILIES)
def family(host: ModelHost, server: Loopback, request: pytest.FixtureRequest) -> Family:
    return Family(host, server, request.param)


def test_a_rate_limit_is_told_with_the_servers_own_wait_and_not_tried_before(family: Family) -> None:
    limited = family.fails(RateLimitError, error(429, "slow down", headers={"Retry-After": "900"}))
    assert isinstance(limited, RateLimitError)
    assert limited.retry_after == 900
    assert len(family.server.requests) == 1


def test_a_refused_key_is_told_with_the_providers_name(family: Family) -> None:
    said = str(family.fails(MissingKeyError, error(401, "bad key")))
    assert said == f"{family.name.split('/')[0]} refused the key: bad key"


def test_a_server_that_keeps_failing_is_tried_again_and_given_up(family: Family) -> None:
    assert "oops" in str(family.fails(ProviderError, error(500, "oops")))
    assert len(family.server.requests) == 4


def test_a_conversation_that_is_too_long_says_by_how_much(family: Family) -> None:
    said = family.fails(ContextOverflowError, error(400, "prompt is too long: 9000 tokens > 8192 maximum"))
    assert "808 more than the 8,192" in str(said)
    assert "/compact" in said.hint
    assert "/fork" in said.hint


def test_a_model_that_the_server_does_not_have_is_told(family: Family) -> None:
    assert family.address in family.fails(UnknownModelError, error(404, "model not found")).hint


def test_a_server_that_is_not_there_is_asked_for_and_not_tried_again(family: Family) -> None:
    family.server.script(text("never"))
    family.server.close()
    family.model.parameters["timeout"] = 30
    with pytest.raises(ProviderConnectionError) as caught:
        family.model.complete(USER)
    assert caught.value.hint == f"Is the server running at {family.address}?"
    assert "ssl" not in str(caught.value)
    assert "0x" not in str(caught.value)
