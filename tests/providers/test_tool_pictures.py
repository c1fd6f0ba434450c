"""What litellm sends to the large families of providers when tools have returned pictures."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.pictures import address, picture
from tests.providers.loopback import Loopback, error, text
from workbench.engine.content import image_urls
from workbench.engine.transcript import validate_messages
from workbench.errors import ProviderError
from workbench.providers.host_client import ModelHost
from workbench.providers.host_messages import fit_messages
from workbench.providers.litellm_model import LitellmModel
from workbench.providers.sight import fit_to_blind

Body = dict[str, Any]
BASE64 = address(picture()).partition(",")[2]
PART = {"type": "image_url", "image_url": {"url": address(picture())}}


def called(number: int) -> Body:
    return {"id": f"call_{number}", "type": "function", "function": {"name": "plot", "arguments": "{}"}}


def answered(number: int, content: Any) -> Body:
    return {"role": "tool", "tool_call_id": f"call_{number}", "content": content}


PICTURED = [{"type": "text", "text": "It returned a picture:"}, PART]
CONVERSATION: list[Body] = [
    {"role": "user", "content": "plot twice and add"},
    {"role": "assistant", "content": "", "tool_calls": [called(1), called(2), called(3)]},
    answered(1, PICTURED),
    answered(2, "5"),
    answered(3, PICTURED),
]


@pytest.fixture
def body_for(host: ModelHost, server: Loopback) -> Callable[[str], Body]:
    def body(model: str) -> Body:
        server.script(error(400, "recorded"))
        asked = LitellmModel(model, host=host, api_key="k", base_url=server.base_url)
        with pytest.raises(ProviderError, match="recorded"):
            asked.complete(CONVERSATION)
        return server.requests[0].body

    return body


@pytest.mark.parametrize(
    "model", ["openai/gpt-4o", "groq/x", "openrouter/openai/x", "hosted_vllm/x", "xai/x", "lm_studio/x"]
)
def test_providers_of_the_openai_shape_get_them_behind_the_whole_batch(
    body_for: Callable[[str], Body], model: str
) -> None:
    messages = body_for(model)["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "tool", "tool", "user"]
    validate_messages(messages)
    assert "It returned a picture:" in json.dumps(messages[2]["content"])
    assert "base64" not in json.dumps(messages[2:5])
    assert image_urls(messages[5]["content"]) == [address(picture())] * 2


def test_anthropic_gets_them_in_the_results(body_for: Callable[[str], Body]) -> None:
    messages = body_for("anthropic/claude-sonnet-4-5")["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    results = messages[2]["content"]
    assert [part["tool_use_id"] for part in results] == ["call_1", "call_2", "call_3"]
    assert results[0]["content"][1]["source"] == {
        "type": "base64", "media_type": "image/png", "data": BASE64,
    }  # fmt: skip


def test_gemini_gets_them_beside_the_function_responses(body_for: Callable[[str], Body]) -> None:
    contents = body_for("gemini/gemini-2.5-pro")["contents"]
    assert [content["role"] for content in contents] == ["user", "model", "user"]
    parts = contents[2]["parts"]
    assert sum("function_response" in part for part in parts) == 3
    assert json.dumps(parts).count(BASE64) == 2


@pytest.mark.parametrize("model", ["mistral/mistral-large-latest", "openrouter/mistralai/mistral-medium"])
def test_mistral_gets_them_from_the_user_after_a_word_of_the_assistant(
    body_for: Callable[[str], Body], model: str
) -> None:
    messages = body_for(model)["messages"]
    assert [message["role"] for message in messages] == [
        "user", "assistant", "tool", "tool", "tool", "assistant", "user",
    ]  # fmt: skip
    validate_messages(messages)
    behind = messages[6]["content"]
    assert [part["type"] for part in behind] == ["text", "image_url", "text", "image_url"]
    assert f"[What the call {messages[4]['tool_call_id']} returned;" in behind[2]["text"]
    assert image_urls(behind) == [address(picture())] * 2
    assert "see the next message of the user]" in messages[4]["content"]


def test_mistral_gets_no_user_behind_a_tool_whoever_put_it_there() -> None:
    stopped = [*CONVERSATION[:2], *(answered(number, "not run") for number in (1, 2, 3))]
    talk = [*stopped, {"role": "user", "content": "go on"}, {"role": "user", "content": "please"}]
    fitted = fit_messages(talk, "mistral", model="mistral-large-latest", own_server=False)
    assert [message["role"] for message in fitted[4:]] == ["tool", "assistant", "user", "user"]
    assert fitted[5]["content"]
    assert len(fit_messages(talk, "openai", model="gpt-4o", own_server=False)) == len(talk)
    assert len(fit_messages(stopped, "mistral", model="x", own_server=False)) == len(stopped)


def test_ollama_gets_them_apart(body_for: Callable[[str], Body]) -> None:
    messages = body_for("ollama_chat/llama3")["messages"]
    assert [message.get("images") for message in messages[2:]] == [[BASE64], [], [BASE64]]
    assert messages[2]["content"] == "It returned a picture:"


def test_a_model_that_takes_none_reads_that_there_was_one_and_the_turn_goes_on(
    host: ModelHost, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_BASE", server.base_url)
    server.script(text("fine"))
    asked = LitellmModel("openai/gpt-3.5-turbo", host=host, api_key="k")
    assert asked.complete(CONVERSATION).content == "fine"
    messages = server.requests[0].body["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "tool", "tool"]
    assert messages[2]["content"].startswith("It returned a picture:\n\n[An image was here (image/png, 64×48")


def test_the_conversation_itself_keeps_them_where_they_are() -> None:
    before = json.dumps(CONVERSATION)
    for provider in ("openai", "anthropic", "mistral"):
        fit_messages(CONVERSATION, provider, model="x", own_server=False)
    fit_to_blind(CONVERSATION, "x")
    assert json.dumps(CONVERSATION) == before


def test_each_batch_has_its_own_pictures_behind_it() -> None:
    later = {"role": "assistant", "content": "", "tool_calls": [called(4)]}
    talk = [*CONVERSATION, {"role": "user", "content": "more"}, later, answered(4, PICTURED)]
    fitted = fit_messages(talk, "mistral", model="x", own_server=False)
    validate_messages(fitted)
    assert [len(image_urls(message["content"])) for message in fitted] == [0] * 6 + [2, 0, 0, 0, 0, 1]
