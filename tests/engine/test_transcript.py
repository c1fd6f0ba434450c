"""The pairing rule: named when broken, mended visibly, and checked at the cost of what is new."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.strict_llm import StrictLLM, check_request
from workbench.engine import before_llm, repair_messages, validate_messages
from workbench.engine.agent import Agent
from workbench.engine.transcript import LOST_RESULT
from workbench.engine.verified import MessageList, VerifiedTranscript
from workbench.errors import TranscriptError

SYSTEM = {"role": "system", "content": "s"}
USER = {"role": "user", "content": "u"}


def asks(*ids: str, arguments: str = "{}") -> dict[str, Any]:
    made = [{"id": i, "type": "function", "function": {"name": "f", "arguments": arguments}} for i in ids]
    return {"role": "assistant", "content": "", "tool_calls": made}


def tool(call_id: str, content: str = "r") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


SOUND = [SYSTEM, USER, asks("1", "2"), tool("1"), tool("2"), {"role": "assistant", "content": "x"}, USER]

BROKEN: dict[str, tuple[list[Any], str]] = {
    "unanswered": ([USER, asks("1")], "call '1' has no answer"),
    "half answered": (
        [asks("1", "2"), tool("1"), USER],
        r"message 2 \(user\) stands where the answer to call '2'",
    ),
    "out of order": ([asks("1", "2"), tool("2"), tool("1")], "answers call '2' where '1' comes next"),
    "interrupted": ([asks("1"), USER, tool("1")], r"message 1 \(user\) stands where"),
    "orphan": ([USER, tool("1")], "message 1 answers call '1', which was not just made"),
    "answered twice": ([asks("1"), tool("1"), tool("1")], "message 2 answers call '1'"),
    "same id": ([asks("1"), tool("1"), asks("1"), tool("1")], "uses the call id '1' a second time"),
    "no id": ([asks(""), tool("")], "has no id"),
    "no calls": ([{**asks(), "tool_calls": []}], "not a list with calls"),
    "bad arguments": ([asks("1", arguments="{oops"), tool("1")], "not a JSON object"),
    "list arguments": ([asks("1", arguments="[1]"), tool("1")], "not a JSON object"),
    "bad name": (
        [{**asks(), "tool_calls": [{"id": "1", "function": {"name": "a b", "arguments": "{}"}}]}, tool("1")],
        "'a b', which no provider takes",
    ),
    "user calls": ([{**asks("1"), "role": "user"}, tool("1")], "has tool calls, but its role is 'user'"),
    "role": ([{"role": "nobody", "content": ""}], "role 'nobody'"),
    "no dict": (["hello"], "is str, not a dict"),
    "no content": ([{"role": "user", "content": None}], "NoneType as its content"),
    "no json in a call": (
        [{**asks(), "tool_calls": [{**asks("1")["tool_calls"][0], "x": SYSTEM.keys()}]}],
        "as JSON",
    ),
    "no json": ([{"role": "user", "content": "x", "extra": object()}], "cannot be written as JSON"),
}


def test_a_sound_transcript_is_fine_and_left_alone() -> None:
    messages = copy.deepcopy(SOUND)
    validate_messages(messages)
    assert repair_messages(messages) == []
    assert messages == SOUND


@pytest.mark.parametrize("case", BROKEN)
def test_the_first_violation_is_named(case: str) -> None:
    messages, text = BROKEN[case]
    with pytest.raises(TranscriptError, match=text):
        validate_messages(messages)


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_transcript_is_mended_and_each_repair_said(case: str) -> None:
    messages = copy.deepcopy(BROKEN[case][0]) if not case.startswith("no json") else list(BROKEN[case][0])
    repairs = repair_messages(messages)
    assert repairs
    validate_messages(messages)
    check_request(messages)


def test_a_missing_result_says_so_and_a_displaced_one_is_moved() -> None:
    messages = [asks("1", "2"), USER, tool("2", "two")]
    repair_messages(messages)
    assert messages == [asks("1", "2"), tool("1", LOST_RESULT), tool("2", "two"), USER]


PIECES = st.sampled_from(
    [
        SYSTEM,
        USER,
        asks("1"),
        asks("1", "2"),
        asks("3", "1"),
        tool("1"),
        tool("2"),
        tool("3"),
        asks(""),
        "junk",
    ]
)


@given(st.lists(PIECES, max_size=9))
def test_whatever_the_pieces_a_mended_list_is_sendable_and_stays_so(pieces: list[Any]) -> None:
    messages = copy.deepcopy(pieces)
    repair_messages(messages)
    check_request(messages)
    assert repair_messages(messages) == []


@given(st.lists(PIECES, max_size=7))
def test_the_validator_and_the_strict_provider_agree(pieces: list[Any]) -> None:
    messages = [piece for piece in copy.deepcopy(pieces) if isinstance(piece, dict)]
    try:
        check_request(messages)
    except AssertionError:
        with pytest.raises(TranscriptError):
            validate_messages(messages)
    else:
        validate_messages(messages)


class Counting(MessageList):
    """Counts how many of its messages are read one by one."""

    reads = 0

    def __getitem__(self, key: Any) -> Any:
        self.reads += isinstance(key, int)
        return super().__getitem__(key)

    def __iter__(self) -> Iterator[Any]:
        raise AssertionError("the whole list was read")


def test_a_check_reads_only_what_is_new() -> None:
    messages = Counting([dict(USER) for _ in range(1000)])
    verified = VerifiedTranscript()
    verified.check(messages)
    messages.reads = 0
    messages.append(dict(USER))
    verified.check(messages)
    assert messages.reads == 1


SPOILERS: dict[str, list[tuple[str, tuple[Any, ...]]]] = {
    "set": [("__setitem__", (2, tool("9")))],
    "slice": [("__setitem__", (slice(1, 3), [USER, tool("1")]))],
    "delete": [("__delitem__", (1,))],
    "insert": [("insert", (1, tool("9")))],
    "insert and delete": [("insert", (1, tool("9"))), ("pop", (2,))],
    "pop": [("pop", (2,)), ("append", (USER,))],
    "remove": [("remove", (tool("1"),))],
    "reverse": [("reverse", ())],
    "clear": [("clear", ()), ("append", (tool("1"),))],
    "multiply": [("__imul__", (2,))],
}


@pytest.mark.parametrize("spoiler", SPOILERS)
@pytest.mark.parametrize("kind", [MessageList, list])
def test_a_list_that_was_changed_anywhere_is_checked_again(kind: type[list[Any]], spoiler: str) -> None:
    messages = kind(copy.deepcopy([USER, asks("1"), tool("1"), USER]))
    verified = VerifiedTranscript()
    verified.check(messages)
    for method, arguments in SPOILERS[spoiler]:
        getattr(messages, method)(*arguments)
    with pytest.raises(TranscriptError):
        verified.check(messages)
    verified.check([dict(USER)])


@pytest.mark.parametrize("kind", [MessageList, list])
def test_a_list_that_was_completed_after_a_failed_check_is_fine(kind: type[list[Any]]) -> None:
    messages = kind([USER, asks("1")])
    verified = VerifiedTranscript()
    with pytest.raises(TranscriptError):
        verified.check(messages)
    messages.append(tool("1"))
    verified.check(messages)


def test_a_sorted_list_is_checked_again() -> None:
    messages = MessageList(copy.deepcopy([USER, asks("1"), tool("1")]))
    verified = VerifiedTranscript()
    verified.check(messages)
    messages.sort(key=lambda message: message["role"] != "tool")
    with pytest.raises(TranscriptError):
        verified.check(messages)


def test_damage_by_a_handler_is_repaired_and_the_trace_says_so() -> None:
    @before_llm
    def damage(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["messages"].append(tool("stray"))

    llm = StrictLLM("fine")
    agent = Agent("a", llm=llm, on_events=damage)
    assert agent.input("go") == "fine"
    assert agent.current_session is not None
    (entry,) = [e for e in agent.current_session["trace"] if e["type"] == "transcript_repair"]
    assert "answers call 'stray'" in entry["violation"]
    assert entry["repairs"][0]["message"] == tool("stray")
    assert not llm.refusals


def test_a_session_loaded_with_half_a_batch_goes_on() -> None:
    llm = StrictLLM("fine")
    agent = Agent("a", llm=llm)
    agent.current_session = {"messages": [SYSTEM, USER, asks("1", "2"), tool("1", "one")], "turn": 4}
    assert agent.input("go on") == "fine"
    assert [m["content"] for m in llm.requests[-1] if m["role"] == "tool"] == ["one", LOST_RESULT]
    assert agent.current_session is not None
    assert agent.current_session["turn"] == 5
