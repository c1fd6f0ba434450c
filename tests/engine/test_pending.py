"""Whatever a handler does to the pending calls is taken, or is an error that names the handler."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.strict_llm import StrictLLM, call, calls, check_request
from workbench.engine import after_each_tool, before_each_tool, before_tools
from workbench.engine.agent import Agent
from workbench.errors import HookError
from workbench.registry import ToolMetadata, ToolRegistry

KEYS = (
    *("name", "arguments", "id", "description", "permission", "decision", "reason", "asks_because"),
    *("decided_by", "edited_by", "origin", "marks", "stand_in", "a key of its own"),
)


class Odd:
    """Neither equal to anything nor shown."""

    __hash__ = None  # type: ignore[assignment]  # as of an array

    def __eq__(self, other: object) -> bool:
        raise ValueError("neither equal nor not")

    def __repr__(self) -> str:
        raise ValueError("not shown")


VALUES = st.sampled_from(
    [
        *(
            None,
            0,
            7,
            1.5,
            float("nan"),
            True,
            "",
            "approve",
            "reject",
            "torn \ud800",
            b"\xff",
            object,
            Odd(),
        ),
        *(
            [],
            [1],
            (),
            {},
            {"value": "a"},
            {1: 2},
            {"value": Odd()},
            {"value": {"deep": [float("inf")]}},
            {Odd: 1},
        ),
        {"status": "success", "result": Odd(), "type": "note"},
    ]
)
DEEDS = st.one_of(
    st.tuples(st.just("set"), st.integers(0, 1), st.sampled_from(KEYS), VALUES),
    st.tuples(st.just("set"), st.integers(0, 1), st.sampled_from(KEYS), VALUES),
    st.tuples(st.just("delete"), st.integers(0, 1), st.sampled_from(KEYS)),
    st.tuples(st.just("clear"), st.integers(0, 1)),
    st.tuples(st.just("odd key"), st.integers(0, 1), st.sampled_from([1, b"x", None, ("a", 1)])),
    st.tuples(st.just("exchange"), st.integers(0, 1), st.sampled_from(KEYS), VALUES),
    st.tuples(st.just("put"), st.sampled_from(["pending_tools", "pending_tool"]), VALUES),
    st.tuples(st.just("take"), st.sampled_from(["pending_tools", "pending_tool"])),
    st.tuples(st.just("list"), st.integers(0, 1), VALUES),
)


def do(session: dict[str, Any], deed: tuple[Any, ...], kept: list[dict[str, Any]]) -> None:
    """Do it to the pending calls, also through a reference that a handler kept."""
    listed = session.get("pending_tools")
    match deed:
        case "set", at, key, value:
            kept[at][key] = value
        case "delete", at, key:
            kept[at].pop(key, None)
        case "clear", at:
            kept[at].clear()
        case "odd key", at, key:
            kept[at][key] = "x"
        case "exchange", at, key, value if isinstance(listed, list) and at < len(listed):
            listed[at] = {**kept[at], key: value}
        case "put", key, value:
            session[key] = value
        case "take", key:
            session.pop(key, None)
        case "list", at, value if isinstance(listed, list) and at < len(listed):
            listed[at] = value


def names_the_handler(error: HookError) -> bool:
    return bool(error.hint) and ("<lambda>" in str(error) or "a handler of an earlier call" in str(error))


@settings(max_examples=400, deadline=None)
@given(
    deeds=st.lists(st.tuples(st.sampled_from(["tools", "before", "after"]), DEEDS), min_size=1, max_size=3),
    parallel=st.booleans(),
)
def test_what_a_handler_does_to_pending_calls_is_taken_or_is_an_error_that_names_it(
    deeds: list[tuple[str, tuple[Any, ...]]], parallel: bool
) -> None:
    kept: list[dict[str, Any]] = []

    def mischief(agent: Agent, when: str) -> None:
        assert agent.current_session is not None
        if when == "tools":
            kept[:] = agent.current_session["pending_tools"]
        for event, deed in deeds:
            if event == when:
                do(agent.current_session, deed, kept)

    registry = ToolRegistry()

    @registry.register(metadata=ToolMetadata(parallel_safe=parallel))
    def echo(value: str = "") -> str:
        """Give it back."""
        return value

    llm = StrictLLM(calls(call("echo", value="a"), call("echo", value="b")), "done", "again")
    handlers = [
        before_tools(lambda agent: mischief(agent, "tools")),
        before_each_tool(lambda agent: mischief(agent, "before")),
        after_each_tool(lambda agent: mischief(agent, "after")),
    ]
    agent = Agent("a", registry, llm=llm, on_events=handlers)
    error: HookError | None = None
    try:
        assert agent.input("go") == "done"
    except HookError as raised:
        error = raised
    assert error is None or names_the_handler(error)
    agent.hooks.remove(handlers)
    agent.input("again")
    assert llm.refusals == []
    session = agent.current_session
    assert session is not None
    check_request(session["messages"])
    entries = [entry for entry in session["trace"] if entry["type"] == "tool_execution"]
    assert len(entries) == 2
    json.dumps(entries, allow_nan=False)


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("marks", None, "the marks of echo are NoneType, not a dict"),
        ("decision", "maybe", "the decision on echo is 'maybe'; it is 'approve', 'reject' or None"),
        ("reason", 7, "the reason of echo is int, not a text or None"),
        ("arguments", "a", "the arguments of echo are str, not a dict"),
        ("id", "another", "the id of echo is another one"),
        ("stand_in", 7, "the stand-in for echo cannot be called"),
    ],
)
@pytest.mark.parametrize("event", [before_tools, before_each_tool])
def test_the_error_says_which_handler_did_what(event: Any, key: str, value: Any, says: str) -> None:
    ran: list[str] = []

    def echo(value: str) -> str:
        """Give it back."""
        ran.append(value)
        return value

    def spoil(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["pending_tools"][0][key] = value

    agent = Agent("a", [echo], llm=StrictLLM(calls(call("echo", value="a"))), on_events=[event(spoil)])
    named = r"spoil \(.*test_pending\.py:\d+\) left a pending call that cannot be used"
    with pytest.raises(HookError, match=named) as caught:
        agent.input("go")
    assert says in str(caught.value)
    assert ran == []


def test_an_entry_put_in_the_place_of_the_pending_tool_counts() -> None:
    ran: list[str] = []

    def refuse(agent: Agent) -> None:
        session = agent.current_session
        assert session is not None
        session["pending_tool"] = {**session["pending_tool"], "decision": "reject", "reason": "no"}

    def echo(value: str) -> str:
        """Give it back."""
        ran.append(value)
        return value

    llm = StrictLLM(calls(call("echo", value="a")), "done")
    agent = Agent("a", [echo], llm=llm, on_events=[before_each_tool(refuse)])
    agent.input("go")
    assert ran == []
    assert llm.requests[1][-1]["content"].endswith(": no")
