"""An agent inside a call ends with that call, however it is left, and what it did stands in its entry."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from tests.engine.waiting import until
from workbench.engine import after_each_tool
from workbench.engine.agent import Agent
from workbench.engine.human_time import HumanTime
from workbench.engine.jobs import Job
from workbench.engine.llm import LLMResponse
from workbench.errors import StopTurn
from workbench.registry import ToolMetadata, ToolRegistry


class Inner:
    """An agent whose tool waits until it is let go."""

    def __init__(self) -> None:
        self.begun, self.release = threading.Event(), threading.Event()
        self.agent = Agent("inner", [self.wait], llm=StrictLLM(calls(call("wait"))))

    def wait(self) -> str:
        """Wait."""
        self.begun.set()
        self.release.wait(30)
        return "late"

    def ask(self) -> str:
        """Ask the agent."""
        return self.agent.input("inside")


@pytest.fixture
def inner() -> Iterator[Inner]:
    made = Inner()
    yield made
    made.release.set()


def entries(agent: Agent) -> list[dict[str, Any]]:
    assert agent.current_session is not None
    return [entry for entry in agent.current_session["trace"] if entry["type"] == "tool_execution"]


def outer_of(inner: Inner, *batch: str, on_events: Any = (), **metadata: Any) -> Agent:
    def quick() -> str:
        """Be quick."""
        assert inner.begun.wait(30)
        return "ok"

    registry = ToolRegistry()
    registry.register(inner.ask, metadata=ToolMetadata(**metadata))
    registry.register(quick, metadata=ToolMetadata(**{**metadata, "timeout": None}))
    llm = StrictLLM(calls(*map(call, batch)), "done")
    return Agent("outer", registry, llm=llm, on_events=on_events)


def test_a_stop_leaves_what_the_inner_agent_did_in_the_entry(inner: Inner) -> None:
    outer = outer_of(inner, "ask")
    turn = threading.Thread(target=outer.input, args=("go",), daemon=True)
    turn.start()
    assert inner.begun.wait(30)
    outer.stop()
    turn.join(30)
    (inside,) = entries(outer)[0]["nested"]
    assert (inside["agent"], inside["status"]) == ("inner", "stopped")
    assert [entry["type"] for entry in inside["trace"]] == [
        "user_input",
        "llm_call",
        "tool_execution",
        "stop",
    ]


def test_a_call_that_runs_too_long_ends_the_agent_inside(inner: Inner) -> None:
    outer = outer_of(inner, "ask", timeout=0.05)
    assert outer.input("go") == "done"
    entry = entries(outer)[0]
    assert entry["error_type"] == "ToolTimeoutError"
    assert entry["nested"][0]["result"] == "The call ran too long."
    assert inner.agent.last_status == "stopped"


class Elsewhere:
    """An agent that a tool has run a call by hand, or sum up its conversation, which waits to be let go."""

    def __init__(self) -> None:
        self.begun, self.release = threading.Event(), threading.Event()
        self.left: BaseException | None = None
        self.agent = Agent("inner", [self.wait], llm=StrictLLM("one", "two", self.sum_up))
        self.agent.input("first")
        self.agent.input("second")

    def wait(self) -> str:
        """Wait."""
        self.begun.set()
        self.release.wait(30)
        return "late"

    def sum_up(self) -> LLMResponse:
        return LLMResponse(self.wait())

    def by_hand(self) -> str:
        """Run a call of the agent by hand."""
        return str(self.agent.run_tool("wait", {})["status"])

    def compact(self) -> str:
        """Have the agent sum up."""
        try:
            return str(self.agent.compact(0)["summary"])
        except StopTurn as stop:
            self.left = stop
            raise


@pytest.mark.parametrize("what", ["by_hand", "compact"])
@pytest.mark.parametrize("way", ["stop", "timeout"])
def test_what_else_an_agent_does_inside_a_call_ends_with_it_too(what: str, way: str) -> None:
    inside = Elsewhere()
    registry = ToolRegistry()
    limit = ToolMetadata(timeout=0.05) if way == "timeout" else ToolMetadata()
    registry.register(getattr(inside, what), name="work", metadata=limit)
    outer = Agent("outer", registry, llm=StrictLLM(calls(call("work")), "done"))
    turn = threading.Thread(target=outer.input, args=("go",), daemon=True)
    turn.start()
    assert inside.begun.wait(30)
    if way == "stop":
        outer.stop()
    turn.join(30)
    until(lambda: not inside.agent.running)
    assert not inside.release.is_set()
    if what == "compact":
        assert inside.left is not None
        assert len(inside.agent.current_session["messages"]) == 5  # type: ignore[index]  # there is one
    else:
        assert entries(inside.agent)[0]["status"] == "cancelled"
    inside.release.set()


def test_a_hook_that_fails_ends_the_agents_inside_of_calls_beside(inner: Inner) -> None:
    def fail(agent: Agent) -> None:
        raise LookupError("no")

    outer = outer_of(inner, "quick", "ask", on_events=after_each_tool(fail), parallel_safe=True)
    with pytest.raises(LookupError):
        outer.input("go")
    assert inner.agent.last_status == "stopped"
    assert entries(outer)[1]["nested"][0]["status"] == "stopped"


def test_an_interrupt_ends_the_agent_inside(inner: Inner, monkeypatch: pytest.MonkeyPatch) -> None:
    outer = outer_of(inner, "ask")
    listen = Job._listen

    def interrupted(job: Job, cancel: Any, timeout: float | None, human: HumanTime) -> str:
        if job.errand.owner is outer and job.errand.call_id:
            assert inner.begun.wait(30)
            raise KeyboardInterrupt
        return listen(job, cancel, timeout, human)

    monkeypatch.setattr(Job, "_listen", interrupted)
    with pytest.raises(KeyboardInterrupt):
        outer.input("go")
    assert inner.agent.last_status == "stopped"
    assert entries(outer)[0]["status"] == "cancelled"
