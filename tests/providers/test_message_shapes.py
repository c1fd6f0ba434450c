"""What litellm sends to the large families of providers for one conversation of ours."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.pictures import address, picture
from tests.providers.loopback import Loopback, error
from workbench.errors import ProviderError
from workbench.providers.host_client import ModelHost
from workbench.providers.host_messages import fit_messages
from workbench.providers.litellm_model import LitellmModel

Body = dict[str, Any]

TOOL: Body = {
    "type": "function",
    "function": {
        "name": "files-read",
        "description": "Read.",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    },
}


def call(number: int) -> Body:
    function = {"name": "files-read", "arguments": f'{{"path": "{number}"}}'}
    return {"id": f"call_{number}", "type": "function", "function": function}


CONVERSATION: list[Body] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "read both"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [call(1), call(2)],
        "reasoning_content": "Two files.",
        "thinking_blocks": [{"type": "thinking", "thinking": "Two files.", "signature": "sig"}],
        "provider_specific_fields": {"citations": []},
    },
    {"role": "tool", "tool_call_id": "call_1", "content": "one"},
    {"role": "tool", "tool_call_id": "call_2", "content": ""},
    {"role": "assistant", "content": "One is full."},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "and this \ud800?"},
            {"type": "image_url", "image_url": {"url": address(picture())}},
        ],
    },
]


BASE64 = address(picture()).partition(",")[2]


class Recorder:
    """Sends the conversation to a model at the loopback server, and gives the request's body."""

    def __init__(self, host: ModelHost, server: Loopback) -> None:
        self._host = host
        self._server = server

    def body(self, model: str, *, own_server: bool = True, tools: bool = True) -> Body:
        self._server.script(error(400, "recorded"))
        address = self._server.base_url if own_server else None
        asked = LitellmModel(model, host=self._host, api_key="k", base_url=address)
        with pytest.raises(ProviderError, match="recorded"):
            asked.complete(CONVERSATION, [TOOL] if tools else None)
        return self._server.requests[0].body


@pytest.fixture
def recorder(host: ModelHost, server: Loopback) -> Recorder:
    return Recorder(host, server)


@pytest.mark.parametrize("model", ["openai/gpt-4o", "mistral/mistral-large-latest", "deepseek/deepseek-chat"])
def test_openai_shaped_providers_get_calls_and_answers_side_by_side(recorder: Recorder, model: str) -> None:
    messages = recorder.body(model)["messages"]
    assert [message["role"] for message in messages] == [
        "system", "user", "assistant", "tool", "tool", "assistant", "user",
    ]  # fmt: skip
    made, answered = messages[2]["tool_calls"], [message["tool_call_id"] for message in messages[3:5]]
    assert [each["function"] for each in made] == [call(1)["function"], call(2)["function"]]
    assert [each["id"] for each in made] == answered
    if not model.startswith("mistral"):
        assert answered == ["call_1", "call_2"]
    assert "and this \ufffd?" in json.dumps(messages[6], ensure_ascii=False)
    for message in messages:
        assert not {"thinking_blocks", "provider_specific_fields"} & message.keys()


def test_real_openai_gets_no_reasoning_and_a_server_of_ones_own_does(
    recorder: Recorder, server: Loopback, host: ModelHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert recorder.body("openai/gpt-4o")["messages"][2]["reasoning_content"] == "Two files."
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_BASE", server.base_url)
    assert "reasoning_content" not in recorder.body("openai/gpt-4o", own_server=False)["messages"][2]


def test_deepseek_gets_its_reasoning_back(recorder: Recorder) -> None:
    assert recorder.body("deepseek/deepseek-reasoner")["messages"][2]["reasoning_content"] == "Two files."


def test_anthropic_gets_the_thinking_with_its_signature_before_the_calls(recorder: Recorder) -> None:
    body = recorder.body("anthropic/claude-sonnet-4-5")
    assert body["system"] == [{"type": "text", "text": "Be brief."}]
    assistant = body["messages"][1]["content"]
    assert [part["type"] for part in assistant] == ["thinking", "tool_use", "tool_use"]
    assert assistant[0]["signature"] == "sig"
    assert assistant[1] == {"type": "tool_use", "id": "call_1", "name": "files-read", "input": {"path": "1"}}
    answers = body["messages"][2]
    assert answers["role"] == "user"
    assert [part["tool_use_id"] for part in answers["content"]] == ["call_1", "call_2"]
    assert body["messages"][4]["content"][1] == {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": BASE64},
    }


def test_anthropic_takes_earlier_calls_after_every_tool_was_switched_off(recorder: Recorder) -> None:
    assert len(recorder.body("anthropic/claude-sonnet-4-5", tools=False)["tools"]) == 1


def test_gemini_gets_parts_and_function_responses(recorder: Recorder) -> None:
    body = recorder.body("gemini/gemini-2.5-pro")
    assert body["system_instruction"]["parts"] == [{"text": "Be brief."}]
    assert [content["role"] for content in body["contents"]] == ["user", "model", "user", "model", "user"]
    called = [part["function_call"] for part in body["contents"][1]["parts"] if "function_call" in part]
    assert called == [{"name": "files-read", "args": {"path": number}} for number in ("1", "2")]
    answers = body["contents"][2]["parts"]
    assert [part["function_response"]["name"] for part in answers] == ["files-read", "files-read"]

    assert not any(part.get("text") == "" for content in body["contents"] for part in content["parts"])
    assert body["contents"][4]["parts"][1]["inline_data"] == {"mime_type": "image/png", "data": BASE64}


@pytest.mark.parametrize(
    "model",
    ["openai/gpt-4o", "mistral/mistral-large-latest", "openrouter/openai/x", "hosted_vllm/x", "lm_studio/x"],
)
def test_a_model_that_takes_images_gets_them(recorder: Recorder, model: str) -> None:
    parts = recorder.body(model)["messages"][6]["content"]
    assert [part["type"] for part in parts] == ["text", "image_url"]
    assert parts[1]["image_url"]["url"] == address(picture())


@pytest.mark.parametrize(
    "model", ["mistral/mistral-large-latest", "openrouter/mistralai/mistral-small", "hosted_vllm/Devstral-2"]
)
def test_mistral_gets_ids_of_nine_letters_and_digits_wherever_it_runs(recorder: Recorder, model: str) -> None:
    messages = recorder.body(model)["messages"]
    ids = [each["id"] for each in messages[2]["tool_calls"]]
    assert all(re.fullmatch("[a-zA-Z0-9]{9}", each) for each in ids)
    assert len(set(ids)) == 2
    assert ids == [message["tool_call_id"] for message in messages[3:5]]


LONG = "call_1__thought__" + "+/=" * 400
"""An id as Gemini's come from litellm: with what it thought."""


def with_id(call_id: str) -> list[Body]:
    text = json.dumps(CONVERSATION).replace('"call_1"', json.dumps(call_id))
    changed: list[Body] = json.loads(text)
    return changed


@pytest.mark.parametrize("provider", ["openai", "azure", "deepseek", "anthropic", "ollama_chat", "groq"])
def test_an_id_that_others_refuse_is_made_one_that_they_take(provider: str) -> None:
    fitted = fit_messages(with_id(LONG), provider, model=f"{provider}/x", own_server=False)
    made = fitted[2]["tool_calls"][0]["id"]
    assert re.fullmatch("[a-zA-Z0-9_-]{1,40}", made)
    assert fitted[3]["tool_call_id"] == made
    assert fitted[2]["tool_calls"][1]["id"] == "call_2"


@pytest.mark.parametrize("provider", ["gemini", "vertex_ai"])
def test_gemini_gets_its_own_ids_back_as_they_were(provider: str) -> None:
    fitted = fit_messages(with_id(LONG), provider, model=f"{provider}/x", own_server=False)
    assert fitted[2]["tool_calls"][0]["id"] == fitted[3]["tool_call_id"] == LONG


def test_the_conversation_itself_is_left_as_it_is() -> None:
    before = json.dumps(CONVERSATION)
    for provider in ("mistral", "gemini", "openai"):
        fit_messages(CONVERSATION, provider, model="x", own_server=False)
    assert json.dumps(CONVERSATION) == before


def test_ollama_gets_arguments_as_objects_and_images_apart(recorder: Recorder) -> None:
    messages = recorder.body("ollama_chat/llama3")["messages"]
    assert messages[2]["tool_calls"][0]["function"] == {"name": "files-read", "arguments": {"path": "1"}}
    assert messages[6]["images"] == [BASE64]
    assert messages[6]["content"] == "and this \ufffd?"
