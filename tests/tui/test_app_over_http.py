"""The whole app with a model behind real HTTP: real litellm, a server that misbehaves on command."""

from __future__ import annotations

import json
import os
import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.providers.loopback import Loopback, Payload, Reply, call, calls, delta, error, text, usage
from tests.tui.driving import Driven, driven
from workbench.compose import build_agent, make_llm
from workbench.config import user_folder
from workbench.engine.agent import Agent
from workbench.environment import env_files_hook
from workbench.project_review import ProjectReview
from workbench.providers.host_client import shared_host
from workbench.tui.events import Post
from workbench.tui.model_switch import ModelSwitch

PATIENCE = 60.0
"""Seconds in which the model host has loaded litellm, also on a busy machine."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """The server, and a person whose settings ask it."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with Loopback() as loopback:
        configure(loopback.base_url)
        yield loopback


def configure(base_url: str, **more: Any) -> None:
    user_folder().mkdir(parents=True, exist_ok=True)
    settings = {"parameters": {"base_url": base_url}, **more}
    (user_folder() / "config.yaml").write_text(yaml.safe_dump(settings))


def start(post: Post) -> Agent:
    return build_agent(None, model="openai/some-model")


def conversation(it: Driven) -> str:
    """What the conversation says, without line breaks."""
    return " ".join(it.shown(it.app.main.conversation).split())


async def turn(it: Driven, message: str) -> None:
    before = len(it.trace)
    await it.send(message)
    await it.until(lambda: it.idle and len(it.trace) > before, PATIENCE)
    await it.pilot.pause()


async def test_an_answer_streams_makes_two_calls_at_once_and_comes_to_an_end(server: Loopback) -> None:
    server.script(
        calls(
            [call(0, "call_a", "arithmetic-add", '{"a": 2,'), call(1, "call_b", "arithmetic-multiply", "")],
            [call(0, arguments=' "b": 3}'), call(1, arguments='{"a": 4, "b": 5}')],
            said="Both at once.",
        ),
        text("They are ", "5 and 20."),
    )
    async with driven(start) as it:
        await turn(it, "2 + 3 and 4 * 5?")
        shown = conversation(it)
        for part in ("Both at once.", "arithmetic.add", "arithmetic.multiply", "They are 5 and 20."):
            assert part in shown
        tools = {
            e["tool_name"]: (e["status"], e["result"]) for e in it.trace if e["type"] == "tool_execution"
        }
        assert tools == {"arithmetic.add": ("success", "5"), "arithmetic.multiply": ("success", "20")}
        assert "cost unknown" in it.shown(it.app.main.top_line)
        assert "36 tok" in it.shown(it.app.main.top_line)
    sent = server.requests[1].body["messages"]
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool", "tool"]
    assert [made["id"] for made in sent[2]["tool_calls"]] == ["call_a", "call_b"]
    assert [(message["tool_call_id"], json.loads(message["content"])) for message in sent[3:]] == [
        ("call_a", 5),
        ("call_b", 20),
    ]
    assert server.requests[0].headers["authorization"] == "Bearer sk-test"


async def test_the_first_words_are_on_the_screen_while_the_rest_is_not_yet_sent(server: Loopback) -> None:
    gate = threading.Event()

    def events() -> Iterator[Payload | str]:
        yield delta(content="The first words")
        gate.wait(PATIENCE)
        yield delta(content=" and the rest.")
        yield delta(finish="stop")
        yield usage()

    class Held(list[Payload | str]):
        def __iter__(self) -> Iterator[Payload | str]:
            return events()

    server.script(Reply(Held()))
    async with driven(start) as it:
        try:
            await it.send("go")
            await it.until(lambda: "The first words" in conversation(it), PATIENCE)
            assert not it.idle
            assert "answering" in it.shown(it.app.main.activity_line)
        finally:
            gate.set()
        await it.until(lambda: it.idle and "and the rest." in conversation(it))


async def test_a_refused_connection_says_where_and_works_once_the_server_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with Loopback() as gone:
        port, base_url = int(gone.base_url.split(":")[2].split("/")[0]), gone.base_url
    configure(base_url)
    async with driven(start) as it:
        await turn(it, "hello")
        assert f"Cannot reach {base_url}" in conversation(it)
        assert f"Is the server running at {base_url}?" in conversation(it)
        assert it.agent.last_status == "error"
        with Loopback(port) as server:
            server.script(text("Here I am."))
            await turn(it, "again")
        assert "Here I am." in conversation(it)


async def test_a_missing_key_names_the_variable_and_works_once_it_is_set(
    server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    server.script(error(401, "who are you?"), text("With a key."))
    async with driven(start) as it:
        await turn(it, "hello")
        assert "There is no key for openai/some-model." in conversation(it)
        assert "Set OPENAI_API_KEY in the environment or in .env" in conversation(it)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        await turn(it, "again")
        assert "With a key." in conversation(it)


async def test_a_key_that_is_put_into_env_meanwhile_counts_from_the_next_message_on(
    server: Loopback, own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    server.script(error(401, "who are you?"), text("With a key."))

    def rereading(post: Post) -> Agent:
        agent = start(post)
        agent.hooks.add(env_files_hook(own_folder))
        return agent

    async with driven(rereading) as it:
        await turn(it, "hello")
        assert "There is no key" in conversation(it)
        (own_folder / ".env").write_text("OPENAI_API_KEY=sk-late")
        ProjectReview(own_folder).say_yes()
        await turn(it, "again")
        assert "With a key." in conversation(it)
    assert server.requests[-1].headers["authorization"] == "Bearer sk-late"


async def test_an_unknown_model_says_so_and_another_one_goes_on_with_the_conversation(
    server: Loopback,
) -> None:
    server.script(
        error(404, "The model `some-model` does not exist", code="model_not_found"), text("I know that one.")
    )
    async with driven(start, make_models=lambda: ModelSwitch(make_llm)) as it:
        await turn(it, "hello")
        assert "There is no model openai/some-model" in conversation(it)
        assert f"Check which models the server at {server.base_url} has." in conversation(it)
        await it.send("/model openai/other-model")
        await it.until(lambda: it.agent.model == "openai/other-model")
        await turn(it, "again")
        assert "I know that one." in conversation(it)
    assert server.requests[1].body["model"] == "other-model"
    assert [message["content"] for message in server.requests[1].body["messages"][1:]] == ["hello", "again"]


async def test_a_full_context_is_compacted_and_the_conversation_goes_on(server: Loopback) -> None:
    too_long = "prompt is too long: 9000 tokens > 8192 maximum"
    server.script(
        text("One."),
        text("Two."),
        error(400, too_long, code="context_length_exceeded"),
        text("They counted to two."),
        text("Three."),
    )
    async with driven(start) as it:
        for message in ("first", "second", "third"):
            await turn(it, message)
        assert "/compact sums up the older turns" in conversation(it)
        await it.send("/compact 1")
        await it.until(lambda: it.idle and "They counted to two." in conversation(it))
        await turn(it, "again")
        assert "Three." in conversation(it)
    summed_up, sent = (request.body["messages"] for request in server.requests[3:])
    assert "User: first" in summed_up[1]["content"]
    assert "third" not in summed_up[1]["content"]
    assert "tools" not in server.requests[3].body
    assert [message["role"] for message in sent] == ["system", "user", "user", "user"]
    assert "They counted to two." in sent[1]["content"]
    assert [message["content"] for message in sent[2:]] == ["third", "again"]


async def test_a_host_that_is_killed_in_mid_answer_ends_the_turn_and_the_next_one_is_ready(
    server: Loopback,
) -> None:
    begun = [delta(content="half an "), delta(tool_calls=[call(0, "a", "arithmetic-add", '{"a":')])]
    server.script(Reply(begun, end="hang"), text("Whole."))
    async with driven(start) as it:
        await it.send("hello")
        await it.until(lambda: "half an" in conversation(it), PATIENCE)
        pid = shared_host().pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await it.until(lambda: it.idle)
        assert "The model host ended (SIGKILL). A new one is starting." in conversation(it)
        assert shared_host().pid not in (None, pid)
        await turn(it, "again")
        assert "Whole." in conversation(it)
    assert [message["role"] for message in server.requests[1].body["messages"]] == ["system", "user", "user"]


async def test_a_full_context_says_by_how_much_and_that_new_helps(server: Loopback) -> None:
    too_long = (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
    )
    server.script(error(400, too_long, code="context_length_exceeded"), text("Fresh."))
    async with driven(start) as it:
        await turn(it, "hello")
        assert "9,000 tokens, 808 more than the 8,192 it takes" in conversation(it)
        assert "/new starts anew" in conversation(it)
        await it.send("/new")
        await it.until(lambda: it.agent.current_session is None)
        await turn(it, "hello again")
        assert "Fresh." in conversation(it)


async def test_a_rate_limit_is_waited_out_and_then_the_answer_comes(server: Loopback) -> None:
    server.script(error(429, "slow down", headers={"Retry-After": "1"}), text("Now."))
    async with driven(start) as it:
        await it.send("hello")
        await it.until(lambda: it.idle and "Now." in conversation(it), PATIENCE)
        assert [e["status"] for e in it.trace if e["type"] == "llm_call"] == ["success"]
    assert len(server.requests) == 2


async def test_a_rate_limit_counts_down_in_the_activity_line_escape_gives_it_up_and_the_next_message_works(
    server: Loopback,
) -> None:
    server.script(error(429, "slow down", headers={"Retry-After": "100"}), text("Now."))
    async with driven(start) as it:

        def left() -> int:
            """The seconds that the activity line says; more than there can be when it says none."""
            found = re.search(r"rate limited, trying again in (\d+) s", it.shown(it.app.main.activity_line))
            return int(found[1]) if found else 101

        await it.send("hello")
        await it.until(lambda: left() <= 100, PATIENCE)
        first = left()
        await it.until(lambda: left() < first)
        await it.press("escape")
        await it.until(lambda: it.idle)
        assert it.agent.last_status == "stopped"
        assert len(server.requests) == 1
        await turn(it, "again")
        assert "Now." in conversation(it)


async def test_a_ceiling_of_tokens_stops_the_turn_cleanly_and_the_unknown_price_is_said(
    server: Loopback,
) -> None:
    configure(server.base_url, max_cost=1.0, max_turn_tokens=10)
    server.script(calls([call(0, "call_a", "arithmetic-add", '{"a": 2, "b": 3}')]), text("Go on."))
    async with driven(start) as it:
        await turn(it, "2 + 3?")
        assert it.agent.last_status == "stopped"
        assert "The ceiling of 10 tokens for one turn is reached: 18 so far." in conversation(it)
        note = "The price of openai/some-model is not known: the ceiling of $1.00 cannot hold for it."
        assert conversation(it).index(note) < conversation(it).index("The ceiling of 10 tokens")
        await turn(it, "and?")
        assert "Go on." in conversation(it)
    assert server.requests[1].body["messages"][3]["content"] == "5"
