"""What handlers print and how long they take stands on the entry that their event belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import hooks
from workbench.engine.agent import Agent
from workbench.engine.ceilings import ceilings
from workbench.errors import StopTurn


class Captured:
    def __init__(self) -> None:
        self.text = ""


class Capture:
    """Keeps what is written in the innermost open bracket, and which were opened."""

    def __init__(self) -> None:
        self.opened: list[str] = []
        self._open: list[Captured] = []

    @contextmanager
    def bracket(self, call_id: str) -> Iterator[Captured]:
        captured = Captured()
        self.opened.append(call_id)
        self._open.append(captured)
        try:
            yield captured
        finally:
            self._open.pop()

    def write(self, text: str) -> None:
        self._open[-1].text += text


def ok() -> str:
    """Do nothing."""
    return "ok"


def broken() -> str:
    """Raise."""
    raise LookupError("no")


def saying(capture: Capture, event: hooks.Event) -> hooks.Handler:
    def say(agent: Agent) -> None:
        capture.write(f"in {event};")

    handler: hooks.Handler = getattr(hooks, event)(say)
    return handler


def make(capture: Capture, *handlers: Any) -> Agent:
    agent = Agent(
        "a", [ok, broken], llm=StrictLLM(calls(call("ok"), call("broken")), "done"), on_events=handlers
    )
    agent.output = capture
    return agent


def output_of(agent: Agent) -> list[tuple[str, dict[str, str]]]:
    assert agent.current_session is not None
    return [(entry["type"], entry.get("hook_output", {})) for entry in agent.current_session["trace"]]


def test_what_a_handler_prints_is_kept_on_the_entry_of_its_event() -> None:
    capture = Capture()
    agent = make(capture, [saying(capture, event) for event in hooks.EVENTS])
    agent.input("go")
    assert output_of(agent) == [
        ("user_input", {"after_user_input": "in after_user_input;"}),
        (
            "llm_call",
            {event: f"in {event};" for event in ("before_llm", "after_llm", "before_tools", "after_tools")},
        ),
        (
            "tool_execution",
            {event: f"in {event};" for event in ("before_each_tool", "after_each_tool")},
        ),
        (
            "tool_execution",
            {event: f"in {event};" for event in ("before_each_tool", "on_error", "after_each_tool")},
        ),
        ("llm_call", {event: f"in {event};" for event in ("before_llm", "after_llm", "on_complete")}),
    ]
    assert agent.current_session is not None
    for entry in agent.current_session["trace"]:
        assert entry["hooks_ms"].keys() == entry["hook_output"].keys()


def test_what_a_handler_printed_before_it_failed_is_kept() -> None:
    capture = Capture()

    @hooks.before_llm
    def fail(agent: Agent) -> None:
        capture.write("about to fail")
        raise LookupError("no")

    agent = make(capture, fail)
    with pytest.raises(LookupError):
        agent.input("go")
    assert output_of(agent) == [("user_input", {"before_llm": "about to fail"})]


def test_what_a_handler_printed_before_it_stopped_the_turn_is_kept() -> None:
    capture = Capture()

    @hooks.before_each_tool
    def stop(agent: Agent) -> None:
        capture.write("enough")
        raise StopTurn

    agent = make(capture, stop)
    agent.input("go")
    assert output_of(agent)[2] == ("tool_execution", {"before_each_tool": "enough"})


def test_nothing_is_captured_for_handlers_of_workbench_itself() -> None:
    capture = Capture()
    agent = make(capture, ceilings(max_turn_tokens=1000))
    agent.input("go")
    assert [opened for opened in capture.opened if opened.startswith("hook:")] == []
    agent.hooks.add(saying(capture, "before_llm"))
    agent.input("again")
    assert [opened for opened in capture.opened if opened.startswith("hook:")] == ["hook:before_llm"]


def test_a_silent_handler_leaves_no_output() -> None:
    capture = Capture()
    agent = make(capture, hooks.before_tools(lambda agent: None))
    agent.input("go")
    assert all(not output for _, output in output_of(agent))


def test_the_hooks_say_for_which_calls_they_fire() -> None:
    log: list[str] = []

    def reject(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["pending_tools"][0]["decision"] = "reject"

    agent = make(
        Capture(),
        hooks.before_tools(reject),
        hooks.before_each_tool(
            lambda agent: log.append("before " + agent.current_session["pending_tool"]["name"])
        ),
        hooks.after_each_tool(
            lambda agent: log.append("after " + agent.current_session["trace"][-1]["tool_name"])
        ),
    )
    agent.input("go")
    assert log == ["after ok", "before broken", "after broken"]
    assert "not for one that was rejected" in str(hooks.before_each_tool.__doc__)
    assert "also one that was rejected" in str(hooks.after_each_tool.__doc__)
