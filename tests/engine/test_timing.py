"""What a call's ``timing`` counts: the tool's own execution, in milliseconds, and nothing around it."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import after_each_tool, before_each_tool
from workbench.engine import calls as calls_module
from workbench.engine.agent import Agent
from workbench.registry import ToolMetadata, ToolRegistry


class Clock:
    """Time that passes only where a test says so, in seconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        fake = SimpleNamespace(perf_counter=lambda: self.now, time=lambda: self.now)
        monkeypatch.setattr(calls_module, "time", fake)

    def take(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


class Slow(Exception):
    """Takes 32 s to be shown, as a value and as an exception."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def __str__(self) -> str:
        self._clock.take(32)
        return "slow"


def timings(clock: Clock, tool: Any, *, parallel: bool = False) -> list[float]:
    """The timings of two calls; all that happens around them takes time too."""
    registry = ToolRegistry()
    registry.register(tool, metadata=ToolMetadata(parallel_safe=parallel))
    agent = Agent("a", registry, llm=StrictLLM(calls(call(tool.__name__), call(tool.__name__)), "done"))

    def begin_late(loop: asyncio.AbstractEventLoop, coro: Any, **given: Any) -> Any:
        clock.take(16)
        return asyncio.Task(coro, loop=loop, **given)

    agent.loop_thread.loop.set_task_factory(begin_late)
    agent.hooks.add(
        before_each_tool(lambda agent: clock.take(64)), after_each_tool(lambda agent: clock.take(64))
    )
    assert agent.input("go") == "done"
    agent.close()
    assert agent.current_session is not None
    return [e["timing"] for e in agent.current_session["trace"] if e["type"] == "tool_execution"]


@pytest.mark.parametrize("fails", [False, True])
def test_the_time_of_an_async_tool_is_its_execution_in_milliseconds(clock: Clock, fails: bool) -> None:
    async def work() -> Any:
        """Work for three seconds."""
        clock.take(1)
        await asyncio.sleep(0)
        clock.take(2)
        if fails:
            raise Slow(clock)
        return Slow(clock)

    assert timings(clock, work) == [3000, 3000]


@pytest.mark.parametrize("fails", [False, True])
def test_the_time_of_a_plain_tool_is_its_execution_in_milliseconds(clock: Clock, fails: bool) -> None:
    def work() -> Any:
        """Work for three seconds."""
        clock.take(3)
        if fails:
            raise Slow(clock)
        return Slow(clock)

    assert timings(clock, work) == [3000, 3000]


def test_what_a_plain_tool_hands_back_to_be_awaited_counts_with_it(clock: Clock) -> None:
    async def rest() -> str:
        clock.take(2)
        return "done"

    def work() -> Any:
        """Work for one second, and for two more once it is awaited."""
        clock.take(1)
        return rest()

    assert timings(clock, work) == [3000, 3000]


def test_async_tools_beside_each_other_count_each_for_itself(clock: Clock) -> None:
    async def work() -> str:
        """Work for three seconds."""
        clock.take(3)
        return "done"

    assert timings(clock, work, parallel=True) == [3000, 3000]
