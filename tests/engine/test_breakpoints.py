"""Pausing before and after calls, and what can be done at a pause."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import Breakpoint, Pause, Resume, xray
from workbench.engine.agent import Agent
from workbench.errors import ConfigError


class Person:
    """Answers pauses from a list, and keeps what was seen."""

    def __init__(self, *answers: Resume | Callable[[Pause], Resume]) -> None:
        self.answers = list(answers)
        self.pauses: list[tuple[str, str]] = []

    def pause(self, pause: Pause) -> Resume:
        self.pauses.append((pause.when, pause.tool_name))
        answer = self.answers.pop(0) if self.answers else Resume()
        return answer if isinstance(answer, Resume) else answer(pause)


class Tools:
    def __init__(self) -> None:
        self.ran: list[str] = []

    def write(self, path: str) -> str:
        """Write."""
        self.ran.append(path)
        if path == "bad":
            raise OSError("disk full")
        return f"wrote {path}"


@xray(trace=False)
def marked() -> str:
    """Marked."""
    return "m"


def run(
    person: Person | None, *points: Breakpoint, paths: str = "a b", step: bool = False
) -> tuple[Agent, Tools]:
    tools = Tools()
    batch = calls(*(call("write", path=path) for path in paths.split()), call("marked"))
    agent = Agent("a", [tools.write, marked], llm=StrictLLM(batch))
    agent.debugger = person
    agent.breakpoints.step = step
    for point in points:
        agent.breakpoints.add(point)
    agent.input("go")
    return agent, tools


def texts(agent: Agent) -> list[str]:
    assert agent.current_session is not None
    return [m["content"] for m in agent.current_session["messages"] if m["role"] == "tool"]


def test_without_a_debugger_nothing_pauses() -> None:
    agent, tools = run(None, Breakpoint(), step=True)
    assert tools.ran == ["a", "b"]
    assert texts(agent) == ["wrote a", "wrote b", "m"]


@pytest.mark.parametrize(
    ("point", "pauses"),
    [
        (Breakpoint("write"), [("before", "write")] * 3),
        (Breakpoint("w*", "after"), [("after", "write")] * 3),
        (Breakpoint(xray_only=True), [("before", "marked")]),
        (Breakpoint(on_error=True), [("after", "write")]),
        (Breakpoint(condition="arguments['path'].startswith('b')"), [("before", "write")] * 2),
        (Breakpoint(when="after", condition="error and 'disk' in error"), [("after", "write")]),
        (Breakpoint(condition="no_such_name"), []),
        (Breakpoint(condition="__import__('os')"), []),
        (Breakpoint("write", enabled=False), []),
    ],
)
def test_a_breakpoint_pauses_where_it_says(point: Breakpoint, pauses: list[tuple[str, str]]) -> None:
    person = Person()
    run(person, point, paths="a b bad")
    assert person.pauses == pauses


def test_step_mode_pauses_everywhere_until_it_is_left() -> None:
    person = Person(Resume("step"), Resume("step"), Resume("continue"))
    run(person, step=True)
    assert person.pauses == [("before", "write"), ("after", "write"), ("before", "write")]


def test_arguments_edited_at_a_pause_run_and_are_told() -> None:
    agent, tools = run(Person(Resume(arguments={"path": "other"})), Breakpoint("write"))
    assert tools.ran == ["other", "b"]
    assert texts(agent)[0] == '[The user edited the arguments before the run: {"path": "other"}]\nwrote other'


def test_arguments_changed_in_place_at_a_pause_run_too() -> None:
    def change(pause: Pause) -> Resume:
        pause.arguments["path"] = "changed"
        return Resume()

    agent, tools = run(Person(change), Breakpoint("write"))
    assert tools.ran == ["changed", "b"]
    assert "The user edited" in texts(agent)[0]


def test_a_skipped_call_answers_with_the_made_up_result() -> None:
    agent, tools = run(Person(Resume("skip", result="pretend")), Breakpoint("write"))
    assert tools.ran == ["b"]
    assert texts(agent)[0] == "pretend"
    assert agent.current_session is not None
    entry = next(e for e in agent.current_session["trace"] if e["type"] == "tool_execution")
    assert (entry["made_up"], entry["result"], entry["status"]) == (True, "pretend", "success")


def test_a_call_can_run_again_and_its_result_be_edited() -> None:
    person = Person(Resume("again", arguments={"path": "a2"}), Resume(result="better"))
    agent, tools = run(person, Breakpoint("write", "after"), paths="a")
    assert tools.ran == ["a", "a2"]
    assert texts(agent)[0].endswith("\nbetter")
    assert agent.current_session is not None
    entry = next(e for e in agent.current_session["trace"] if e["type"] == "tool_execution")
    assert entry["result_edited_from"] == "wrote a2"


def test_stopping_at_a_pause_answers_every_call() -> None:
    agent, tools = run(Person(Resume("stop")), Breakpoint("write"))
    assert tools.ran == []
    assert texts(agent) == ["Not run: stopped by the user."] * 3
    assert agent.last_status == "stopped"


def test_stopping_at_a_pause_after_the_call_keeps_its_result() -> None:
    agent, tools = run(Person(Resume("stop")), Breakpoint("write", "after"))
    assert tools.ran == ["a"]
    assert texts(agent) == ["wrote a"] + ["Not run: stopped by the user."] * 2


def test_time_at_a_pause_is_a_persons_time() -> None:
    agent, _ = run(Person(), Breakpoint("marked"))
    assert agent.current_session is not None
    assert [e["what"] for e in agent.current_session["trace"] if e["type"] == "human_wait"] == [
        "breakpoint before marked"
    ]


def test_a_pause_shows_the_context_of_the_call() -> None:
    seen: list[Any] = []

    def look(pause: Pause) -> Resume:
        seen.append(
            (pause.context.user_prompt, pause.iteration, pause.context.previous_tools(), pause.marked)
        )
        return Resume()

    run(Person(look), Breakpoint("marked"))
    assert seen == [("go", 1, ["write", "write"], True)]


def test_a_condition_that_is_no_expression_is_refused() -> None:
    with pytest.raises(ConfigError, match="breakpoint condition"):
        Breakpoint(condition="path = 1")


def test_breakpoints_are_added_once_and_removed() -> None:
    agent = Agent("a", llm=StrictLLM())
    point = agent.breakpoints.add(Breakpoint("x"))
    agent.breakpoints.add(Breakpoint("x"))
    assert list(agent.breakpoints) == [point]
    assert agent.breakpoints.remove(point)
    assert not agent.breakpoints.remove(point)
    assert not agent.breakpoints


def test_running_a_call_again_stays_in_step_mode() -> None:
    person = Person(Resume("step"), Resume("again"), Resume("step"), Resume("skip"), Resume())
    agent, tools = run(person, paths="a b", step=True)
    assert tools.ran == ["a", "a"]
    assert person.pauses == [
        ("before", "write"), ("after", "write"), ("after", "write"), ("before", "write"),
        ("before", "marked"),
    ]  # fmt: skip
    assert not agent.breakpoints.step


def test_a_stop_at_a_pause_inside_another_agents_tool_stops_that_ones_turn_too() -> None:
    tools = Tools()
    inner = Agent("helper", [tools.write], llm=StrictLLM(calls(call("write", path="inside"))))
    inner.debugger = Person(Resume("stop"))
    inner.breakpoints.add(Breakpoint("write"))
    llm = StrictLLM(calls(call("helper", task="go"), call("write", path="outside")))
    outer = Agent("boss", [inner, tools.write], llm=llm)
    outer.input("go")
    assert (inner.last_status, outer.last_status, tools.ran) == ("stopped", "stopped", [])
    assert outer.current_session is not None
    entries = [each for each in outer.current_session["trace"] if each["type"] == "tool_execution"]
    assert [each["status"] for each in entries] == ["cancelled", "cancelled"]
