"""Pictures and models that take none: the new one is refused before any request, earlier ones are told of."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.pictures import address, picture
from tests.providers.loopback import Loopback, text
from workbench.engine.agent import Agent
from workbench.engine.cancel import CancelToken
from workbench.engine.llm import Delta
from workbench.errors import InvalidRequestError, StopTurn
from workbench.providers.host_client import ModelHost
from workbench.providers.litellm_model import LitellmModel
from workbench.providers.offline import OfflineModel
from workbench.providers.sight import fit_to_blind, holds_images

BLIND, SEEING, UNKNOWN = "openai/gpt-3.5-turbo", "openai/gpt-4o", "openai/nobody-knows"

Body = dict[str, Any]
MakeModel = Callable[[str], LitellmModel]


@pytest.fixture
def at_the_usual_address(host: ModelHost, server: Loopback, monkeypatch: pytest.MonkeyPatch) -> MakeModel:
    """Makes a model whose provider's usual address is the loopback server."""
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_BASE", server.base_url)
    server.script(text("seen"))
    return lambda model: LitellmModel(model, host=host, api_key="k", first_pause=0.0)


def urls(body: Body) -> list[str]:
    return [
        part["image_url"]["url"]
        for message in body["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "image_url"
    ]


@pytest.mark.parametrize(
    ("model", "takes"),
    [
        (SEEING, True),
        ("anthropic/claude-sonnet-4-5", True),
        ("gemini/gemini-2.5-pro", True),
        ("mistral/mistral-large-latest", True),
        (BLIND, False),
        ("deepseek/deepseek-chat", False),
        ("mistral/codestral-latest", False),
        (UNKNOWN, None),
        ("ft:gpt-4o-2024-11-20", None),
        ("ollama_chat/llama3", None),
    ],
)
def test_the_tables_say_who_takes_images_where_they_know(
    host: ModelHost, model: str, takes: bool | None
) -> None:
    assert host.facts(model)["images"] is takes


def test_a_picture_for_a_model_that_takes_none_is_refused_before_anything_is_sent(
    at_the_usual_address: MakeModel, server: Loopback
) -> None:
    asked = Agent("painter", llm=at_the_usual_address(BLIND))
    with pytest.raises(InvalidRequestError, match=r"openai/gpt-3.5-turbo takes no images") as caught:
        asked.input("what is this?", images=[picture()])
    assert "/model" in caught.value.hint
    assert server.requests == []
    assert asked.input("never mind") == "seen"
    (request,) = server.requests
    assert "An image was here (image/png, 64×48, " in json.dumps(request.body, ensure_ascii=False)
    assert urls(request.body) == []


def test_a_conversation_with_a_picture_goes_on_with_a_model_that_takes_none_and_keeps_it(
    at_the_usual_address: MakeModel, server: Loopback
) -> None:
    talk = Agent("painter", llm=at_the_usual_address(SEEING))
    talk.input("what is this?", images=[picture()])
    assert urls(server.requests[0].body) == [address(picture())]
    talk.llm = at_the_usual_address(BLIND)
    talk.input("say it again")
    sent = server.requests[-1].body["messages"]
    assert sent[1]["content"].startswith("what is this?\n\n[An image was here (image/png, 64×48, ")
    assert sent[1]["content"].endswith("It is left out: openai/gpt-3.5-turbo takes no images.]")
    session = talk.current_session
    assert session is not None
    assert session["messages"][1]["content"][1]["image_url"]["url"] == address(picture())
    talk.llm = at_the_usual_address(SEEING)
    talk.input("and now?")
    assert urls(server.requests[-1].body) == [address(picture())]


def test_whoever_watches_is_told_how_many_were_left_out(
    at_the_usual_address: MakeModel, server: Loopback
) -> None:
    told: list[Delta] = []
    part = {"type": "image_url", "image_url": {"url": address(picture())}}
    messages: list[Body] = [{"role": "user", "content": [part, part]}, {"role": "user", "content": "hi"}]
    at_the_usual_address(BLIND).complete(messages, on_delta=told.append)
    said = [delta.text for delta in told if delta.kind == "status"]
    assert said == ["openai/gpt-3.5-turbo takes no images: 2 earlier images are left out"]


@pytest.mark.parametrize("model", [BLIND, UNKNOWN])
def test_a_server_of_ones_own_and_an_unknown_model_are_tried(
    host: ModelHost, server: Loopback, model: str
) -> None:
    server.script(text("seen"))
    asked = Agent("painter", llm=LitellmModel(model, host=host, api_key="k", base_url=server.base_url))
    assert asked.input("what is this?", images=[picture()]) == "seen"
    assert urls(server.requests[0].body) == [address(picture())]


def test_an_unknown_model_is_tried_at_its_providers_address(
    at_the_usual_address: MakeModel, server: Loopback
) -> None:
    assert Agent("painter", llm=at_the_usual_address(UNKNOWN)).input("see", images=[picture()]) == "seen"
    assert len(urls(server.requests[0].body)) == 1


def test_a_large_picture_arrives_whole(at_the_usual_address: MakeModel, server: Loopback) -> None:
    data = picture("PNG", 90, 70) + bytes(range(256)) * 20_000
    Agent("painter", llm=at_the_usual_address(SEEING)).input("see", images=[data])
    assert urls(server.requests[0].body) == [address(data)]


def test_a_stop_is_heard_while_the_facts_are_asked_for(host: ModelHost) -> None:
    cancel = CancelToken()
    cancel.cancel("enough")
    with pytest.raises(StopTurn):
        host.facts(SEEING, cancel)


def test_plain_conversations_are_not_looked_at_twice() -> None:
    assert not holds_images([{"role": "user", "content": "image_url"}, {"role": "assistant"}])
    parts = [{"type": "text", "text": "no picture"}]
    assert not holds_images([{"role": "user", "content": parts}])


def test_what_a_hook_put_behind_the_picture_does_not_hide_it() -> None:
    part = {"type": "image_url", "image_url": {"url": address(picture())}}
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages: list[Body] = [
        {"role": "user", "content": [part]},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "x"},
    ]
    with pytest.raises(InvalidRequestError):
        fit_to_blind(messages, "blind")
    fitted, count = fit_to_blind([*messages, {"role": "user", "content": "go on"}], "blind")
    assert count == 1
    assert fitted[1:3] == messages[1:]


def test_offline_says_how_many_images_it_got_and_still_makes_the_calls() -> None:
    def add(a: int, b: int) -> int:
        return a + b

    offline = Agent("painter", [add], llm=OfflineModel(pace=0))
    answer = offline.input("what is this?", images=[picture(), picture("JPEG", 640, 480)])
    assert answer.startswith("I got 2 images, but I cannot look at images: image/png, 64×48, ")
    assert "image/jpeg, 640×480, " in answer
    assert offline.last_usage.input_tokens < 2_000
    assert offline.input("add(a=2, b=3)", images=[picture()]).startswith("`add` returned **5**")
    session = offline.current_session
    assert session is not None
    assert "I got 1 image" in str([m["content"] for m in session["messages"] if m["role"] == "assistant"][-2])
    assert "image" not in offline.input("hello")[:40]
