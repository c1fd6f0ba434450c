"""Messages that were changed in place: noticed, mended, and reported for what they are."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import Observer, TurnSummary, after_llm, after_tools, before_llm, on_complete
from workbench.engine.agent import Agent
from workbench.engine.verified import MessageList, VerifiedTranscript
from workbench.engine.watched import WatchedDict, watched
from workbench.errors import TranscriptError


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


class Summaries(Observer):
    def __init__(self) -> None:
        self.seen: list[TurnSummary] = []

    def turn_finished(self, agent: Agent, summary: TurnSummary) -> None:
        self.seen.append(summary)


def messages_of(agent: Agent) -> list[dict[str, Any]]:
    assert agent.current_session is not None
    messages: list[dict[str, Any]] = agent.current_session["messages"]
    return messages


def kinds(agent: Agent) -> list[str]:
    assert agent.current_session is not None
    return [entry["type"] for entry in agent.current_session["trace"]]


DAMAGES: dict[str, Callable[[list[dict[str, Any]]], object]] = {
    "content": lambda messages: messages[1].__setitem__("content", {"not": "text"}),
    "role": lambda messages: messages[1].pop("role"),
    "answer": lambda messages: messages[3].update(tool_call_id="other"),
    "call": lambda messages: messages[2]["tool_calls"][0].update(id="other"),
    "arguments": lambda messages: messages[2]["tool_calls"][0]["function"].update(arguments={"a": 1}),
    "torn": lambda messages: messages[3].__setitem__("content", "\ud800"),
    "added by a handler": lambda messages: messages[4].__setitem__("content", ["not", object()]),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_message_damaged_in_place_never_reaches_the_model(damage: str) -> None:
    @after_tools
    def note(agent: Agent) -> None:
        messages_of(agent).append({"role": "user", "content": "by the way"})

    @before_llm
    def spoil(agent: Agent) -> None:
        assert agent.current_session is not None
        if agent.current_session["iteration"] == 3:
            DAMAGES[damage](messages_of(agent))

    llm = StrictLLM(calls(call("add", a=1, b=2)), calls(call("add", a=1, b=2)), "done")
    agent = Agent("a", add, llm=llm, on_events=[note, spoil])
    assert agent.input("go") == "done"
    assert not llm.refusals
    assert len(llm.requests) == 3
    assert kinds(agent).count("transcript_repair") == 1


def test_a_message_damaged_between_turns_never_reaches_the_model() -> None:
    llm = StrictLLM("one", "two")
    agent = Agent("a", llm=llm)
    agent.input("1")
    kept = messages_of(agent)[2]
    kept["content"] = None
    assert agent.input("2") == "two"
    assert not llm.refusals


def test_a_loaded_message_damaged_in_place_never_reaches_the_model() -> None:
    @before_llm
    def spoil(agent: Agent) -> None:
        if len(llm.requests) == 1:
            messages_of(agent)[0]["content"] = {}

    llm = StrictLLM("one", "two")
    agent = Agent("a", llm=llm, on_events=spoil)
    agent.current_session = {"messages": [{"role": "user", "content": "long ago"}]}
    agent.input("1")
    assert agent.input("2") == "two"
    assert not llm.refusals


class Counting(MessageList):
    """Counts how many of its messages are read one by one."""

    reads = 0

    def __getitem__(self, key: Any) -> Any:
        self.reads += isinstance(key, int)
        return super().__getitem__(key)

    def __iter__(self) -> Iterator[Any]:
        raise AssertionError("the whole list was read")


def test_doubt_costs_nothing_for_the_engines_own_messages() -> None:
    messages = Counting([watched({"role": "user", "content": "u"}) for _ in range(1000)])
    verified = VerifiedTranscript()
    verified.check(messages)
    messages.reads = 0
    messages.append(WatchedDict(role="user", content="u"))
    verified.doubted = True
    verified.check(messages)
    assert messages.reads == 1
    list.__getitem__(messages, 500)["content"] = 7
    with pytest.raises(TranscriptError, match="message 500"):
        verified.check(messages)


def test_watched_messages_are_read_and_copied_like_any_other() -> None:
    message = watched(
        {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": {"name": "x"}}]}
    )
    plain = json.loads(json.dumps(message))
    assert message == plain
    assert repr(message) == repr(plain)
    for copied in (copy.copy(message), copy.deepcopy(message), pickle.loads(pickle.dumps(message))):
        assert copied == plain
        assert type(copied) is dict
    assert type(copy.deepcopy(message)["tool_calls"][0]) is dict


def test_a_turn_that_only_adds_reports_what_it_added() -> None:
    @after_llm
    def harmless(agent: Agent) -> None:
        """A last message that is exchanged before it was reported, rewrites nothing."""
        if messages_of(agent)[-1]["role"] == "tool":
            messages_of(agent)[-1] = {**messages_of(agent)[-1], "content": "short"}

    summaries = Summaries()
    llm = StrictLLM("one", calls(call("add", a=1, b=2)), "two")
    agent = Agent("a", add, llm=llm, observers=[summaries], on_events=harmless)
    agent.input("1")
    agent.input("2")
    assert [summary.replaces for summary in summaries.seen] == [False, False]
    assert [m["content"] for m in summaries.seen[1].messages] == ["2", "", "short", "two"]


REWRITES: dict[str, Callable[[list[dict[str, Any]]], object]] = {
    "in place": lambda messages: messages[2].__setitem__("content", "shortened"),
    "exchanged": lambda messages: messages.__setitem__(2, {"role": "assistant", "content": "shortened"}),
    "taken out": lambda messages: messages.pop(2),
    "put in": lambda messages: messages.insert(1, {"role": "user", "content": "an earlier word"}),
    "deep": lambda messages: messages[4]["tool_calls"][0]["function"].update(arguments='{"a": 5, "b": 6}'),
}


@pytest.mark.parametrize("how", REWRITES)
def test_a_rewritten_history_is_reported_whole(how: str) -> None:
    summaries = Summaries()

    @before_llm
    def rewrite(agent: Agent) -> None:
        assert agent.current_session is not None
        if agent.current_session["turn"] == 3:
            REWRITES[how](messages_of(agent))

    llm = StrictLLM("one", calls(call("add", a=1, b=2)), "two", "three", "four")
    agent = Agent("a", add, llm=llm, observers=[summaries], on_events=rewrite)
    for prompt in "123":
        agent.input(prompt)
    history = copy.deepcopy(messages_of(agent))
    agent.input("4")
    assert [summary.replaces for summary in summaries.seen] == [False, False, True, False]
    assert list(summaries.seen[2].messages) == history
    assert [m["content"] for m in summaries.seen[3].messages] == ["4", "four"]


def test_a_history_that_on_complete_rewrote_is_reported_with_the_next_turn() -> None:
    summaries = Summaries()

    @on_complete
    def shorten(agent: Agent) -> None:
        messages_of(agent)[1]["content"] = "short"

    agent = Agent("a", llm=StrictLLM("one", "two"), observers=[summaries], on_events=shorten)
    agent.input("1")
    agent.input("2")
    assert [summary.replaces for summary in summaries.seen] == [False, True]
    assert [m["content"] for m in summaries.seen[1].messages][1:] == ["short", "one", "2", "two"]


def test_a_new_system_prompt_rewrites_the_history() -> None:
    summaries = Summaries()
    agent = Agent("a", llm=StrictLLM("one", "two"), system_prompt="old", observers=[summaries])
    agent.input("1")
    agent.system_prompt = "new"
    agent.input("2")
    assert [summary.replaces for summary in summaries.seen] == [False, True]
    assert summaries.seen[1].messages[0] == {"role": "system", "content": "new"}


def test_a_copied_list_that_says_the_same_rewrites_nothing() -> None:
    summaries = Summaries()

    @before_llm
    def exchange(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["messages"] = copy.deepcopy(messages_of(agent))

    agent = Agent("a", llm=StrictLLM("one", "two"), observers=[summaries], on_events=exchange)
    agent.input("1")
    agent.input("2")
    assert [m["content"] for m in summaries.seen[1].messages] == ["2", "two"]
    assert not summaries.seen[1].replaces
