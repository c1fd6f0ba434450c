"""A call's time limit, while a person is asked inside the call."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import before_tools, human_time, jobs, xray
from workbench.engine import calls as calls_module
from workbench.engine.agent import Agent
from workbench.engine.human_time import HumanTime
from workbench.registry import ToolMetadata, ToolRegistry

LIMIT = 0.03


class Clock:
    """Time passes when somebody says so; ``looks`` counts how often a limit was looked at."""

    def __init__(self) -> None:
        self.now = 100.0
        self.looks = 0
        self.passed = threading.Event()
        self.over = threading.Event()

    def look(self) -> float:
        self.looks += 1
        return self.now

    def pass_the_limit(self, *, watched: bool = True) -> None:
        """Let more time pass than the limit is, and come back once whoever waits has seen that.

        ``watched``: not before somebody waits.
        """
        self._await_looks(2 * watched)
        self.now += 10 * LIMIT
        self.passed.set()
        self._await_looks(self.looks + 3)

    def _await_looks(self, count: int) -> None:
        while self.looks < count and not self.over.wait(0.001):
            pass


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    """What limits are measured with."""
    clock = Clock()
    monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=clock.look, time=lambda: clock.now))
    monkeypatch.setattr(human_time, "time", SimpleNamespace(monotonic=lambda: clock.now))
    ticks = SimpleNamespace(time=lambda: clock.now, perf_counter=time.perf_counter)
    monkeypatch.setattr(calls_module, "time", ticks)
    yield clock
    clock.over.set()


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 10)), max_size=30))
def test_what_a_person_takes_counts_once_however_many_wait_for_them(steps: list[tuple[int, float]]) -> None:
    passed, expected = [0.0], 0.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(human_time, "time", SimpleNamespace(monotonic=lambda: passed[0]))
        human, waits = HumanTime(), dict[int, AbstractContextManager[None]]()
        for who, seconds in steps:
            if who in waits:
                waits.pop(who).__exit__(None, None, None)
            else:
                waits[who] = human.running()
                waits[who].__enter__()
            passed[0] += seconds
            expected += seconds if waits else 0.0
            assert human.runs == bool(waits)
            assert human.seconds == pytest.approx(expected)


def last_call(agent: Agent) -> dict[str, Any]:
    assert agent.current_session is not None
    found = [entry for entry in agent.current_session["trace"] if entry["type"] == "tool_execution"]
    return dict(found[-1])


def outer_agent(clock: Clock, *, asked: bool, parallel: bool = False) -> Agent:
    """Its tool hands the work to an agent, one of whose handlers takes longer than the tool may."""

    @before_tools
    def ponder(agent: Agent) -> None:
        with agent.human_wait("approval") if asked else nullcontext():
            clock.pass_the_limit(watched=not parallel)

    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    def delegate(task: str) -> str:
        """Hand a task on."""
        llm = StrictLLM(calls(call("add", a=2, b=3)), "five")
        return Agent("inner", add, llm=llm, on_events=[ponder], quiet=True, log=False).input(task)

    def other() -> str:
        """Run beside it, until the limit has passed."""
        clock.passed.wait(30)
        return "over"

    registry = ToolRegistry()
    registry.register(other, metadata=ToolMetadata(parallel_safe=True))
    registry.register(delegate, metadata=ToolMetadata(timeout=LIMIT, parallel_safe=parallel))
    asks = [call("other")] * parallel + [call("delegate", task="go")]
    return Agent("outer", registry, llm=StrictLLM(calls(*asks), "done"), quiet=True, log=False)


@pytest.mark.parametrize("parallel", [False, True])
def test_a_limit_does_not_run_while_a_person_is_asked_inside_the_call(clock: Clock, parallel: bool) -> None:
    agent = outer_agent(clock, asked=True, parallel=parallel)
    agent.input("go")
    assert (last_call(agent)["status"], last_call(agent)["result"]) == ("success", "five")


@pytest.mark.parametrize("parallel", [False, True])
def test_what_a_machine_takes_inside_the_call_counts(clock: Clock, parallel: bool) -> None:
    agent = outer_agent(clock, asked=False, parallel=parallel)
    agent.input("go")
    assert last_call(agent)["error_type"] == "ToolTimeoutError"


def test_the_limit_runs_on_once_the_person_has_answered(clock: Clock) -> None:
    def work() -> str:
        """Ask, then take too long."""
        assert xray.agent is not None
        with xray.agent.human_wait("a question"):
            clock.pass_the_limit()
        clock.pass_the_limit()
        return "done"

    registry = ToolRegistry()
    registry.register(work, metadata=ToolMetadata(timeout=LIMIT))
    agent = Agent("a", registry, llm=StrictLLM(calls(call("work")), "done"), quiet=True, log=False)
    agent.input("go")
    assert last_call(agent)["error_type"] == "ToolTimeoutError"
