"""xray: the right context in every thread, task and nested agent, gone when the call ends."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import TraceView, clear_xray_context, inject_xray_context, xray
from workbench.engine.agent import Agent
from workbench.registry import ToolMetadata, ToolRegistry


def look(word: str = "") -> dict[str, Any]:
    """What xray shows here."""
    return {
        "agent": xray.agent.name if xray.agent else None,
        "task": xray.task,
        "user_prompt": xray.user_prompt,
        "iteration": xray.iteration,
        "messages": len(xray.messages),
        "previous_tools": xray.previous_tools,
    }


EMPTY: dict[str, Any] = {
    "agent": None,
    "task": None,
    "user_prompt": None,
    "iteration": None,
    "messages": 0,
    "previous_tools": [],
}


def test_a_tool_sees_its_agent_task_iteration_messages_and_previous_tools() -> None:
    seen: list[dict[str, Any]] = []

    @xray
    def inspect_it(word: str) -> str:
        """Look around."""
        seen.append(look())
        return word

    llm = StrictLLM(
        calls(call("inspect_it", word="a"), call("inspect_it", word="b")), calls(call("inspect_it", word="c"))
    )
    Agent("viewer", inspect_it, llm=llm).input("find out")
    assert [s["agent"] for s in seen] == ["viewer"] * 3
    assert {s["task"] for s in seen} == {s["user_prompt"] for s in seen} == {"find out"}
    assert [s["iteration"] for s in seen] == [1, 1, 2]
    assert [s["messages"] for s in seen] == [3, 4, 6]
    assert [s["previous_tools"] for s in seen] == [[], ["inspect_it"], ["inspect_it"] * 2]
    assert look() == EMPTY
    assert "no tool is running" in repr(xray)


def test_previous_tools_are_those_of_this_turn() -> None:
    seen: list[list[str]] = []

    def inspect_it() -> None:
        """Look around."""
        seen.append(xray.previous_tools)

    agent = Agent(
        "a", inspect_it, llm=StrictLLM(calls(call("inspect_it")), "done", calls(call("inspect_it")))
    )
    agent.input("one")
    agent.input("two")
    assert seen == [[], []]


def test_async_tools_and_tools_for_the_callers_thread_see_it_and_leave_nothing_behind() -> None:
    seen: list[dict[str, Any]] = []
    registry = ToolRegistry()

    @registry.register
    async def later() -> None:
        """Look around in time."""
        seen.append(look())

    registry.register(lambda: seen.append(look()), name="here", metadata=ToolMetadata(caller_thread=True))
    Agent("a", registry, llm=StrictLLM(calls(call("later"), call("here")))).input("go")
    assert [s["agent"] for s in seen] == ["a", "a"]
    assert look() == EMPTY


def test_three_agents_in_three_threads_never_mix() -> None:
    together = threading.Barrier(3, timeout=30)
    seen: dict[str, set[Any]] = {name: set() for name in "abc"}

    def meet(who: str) -> None:
        """Look around while the others do."""
        together.wait()
        assert xray.agent is not None
        seen[who].add((xray.agent.name, xray.task))
        together.wait()

    agents = [
        Agent(name, meet, llm=StrictLLM([calls(call("meet", who=name)) for _ in range(5)])) for name in "abc"
    ]
    threads = [threading.Thread(target=agent.input, args=(f"task {agent.name}",)) for agent in agents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert seen == {name: {(name, f"task {name}")} for name in "abc"}


def test_an_agent_inside_a_tool_leaves_the_outer_context_untouched() -> None:
    seen: list[Any] = []

    def note() -> None:
        """Look around inside."""
        seen.append((xray.agent and xray.agent.name, xray.task))

    inner = Agent("inner", note, llm=StrictLLM(calls(call("note")), "inner done"))

    def delegate() -> str:
        """Ask the inner agent."""
        seen.append((xray.agent and xray.agent.name, xray.task))
        answer = inner.input("inner task")
        seen.append((xray.agent and xray.agent.name, xray.task))
        return answer

    Agent("outer", delegate, llm=StrictLLM(calls(call("delegate")))).input("outer task")
    assert seen == [("outer", "outer task"), ("inner", "inner task"), ("outer", "outer task")]


def test_a_context_can_be_injected_and_cleared_by_hand() -> None:
    agent = Agent("a", llm=StrictLLM())
    inject_xray_context(agent, "a task", [{"role": "user", "content": "hi"}], 2, ["earlier"])
    assert look() == {
        "agent": "a",
        "task": "a task",
        "user_prompt": "a task",
        "iteration": 2,
        "messages": 1,
        "previous_tools": ["earlier"],
    }
    assert "a task" in repr(xray)
    clear_xray_context()
    assert look() == EMPTY


def test_trace_is_drawn_by_whoever_is_attached() -> None:
    views: list[TraceView] = []

    def step(number: int) -> int:
        """One step."""
        return number

    def show() -> None:
        """Draw."""
        xray.trace()

    agent = Agent(
        "a", [step, show], llm=StrictLLM(calls(call("step", number=1), call("step", number=2), call("show")))
    )
    agent.trace_drawer = views.append
    agent.input("count")
    (view,) = views
    assert (view.task, view.running, view.automatic) == ("count", "show", False)
    assert [entry["tool_name"] for entry in view.tools] == ["step", "step"]
    assert view.tools_ms == sum(entry["timing"] for entry in view.tools) > 0
    assert view.llm_ms > 0


@pytest.mark.parametrize(
    ("marked", "drawn"), [(xray, 1), (xray(), 1), (xray(trace=False), 0), (lambda f: f, 0)]
)
def test_a_marked_tool_is_drawn_after_each_call(marked: Any, drawn: int) -> None:
    views: list[TraceView] = []

    @marked  # type: ignore[untyped-decorator]  # one of four, the last of which is no decorator of ours
    def step() -> str:
        """One step."""
        return "ok"

    for quiet, expected in ((False, drawn), (True, 0)):
        views.clear()
        agent = Agent("a", step, llm=StrictLLM(calls(call("step"))), quiet=quiet)
        agent.trace_drawer = views.append
        agent.input("go")
        assert [view.automatic for view in views] == [True] * expected


def test_without_a_drawer_trace_prints_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    def show(word: str) -> None:
        """Draw."""
        xray.trace()

    Agent("a", show, llm=StrictLLM(calls(call("show", word="x"), call("show", word="y")))).input("go")
    xray.trace()
    printed = capsys.readouterr().out
    assert "1. show(word='x')  success" in printed
    assert "2. show  running" in printed
    assert "no tool is running here" in printed
