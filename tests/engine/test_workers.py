"""Off the agent's thread: late outcomes, stops that reach everybody, async tools beside each other."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from tests.engine.waiting import until
from workbench.engine import CancelToken, xray
from workbench.engine.agent import Agent
from workbench.engine.jobs import Abandoned, Errand, LateOutcome
from workbench.engine.results import to_text
from workbench.engine.worker import WorkerPool
from workbench.registry import ToolMetadata, ToolRegistry


class Unreadable:
    """Raises at whatever is done to turn it into text."""

    def model_dump(self, mode: str) -> Any:
        raise RuntimeError("no dump")

    def __str__(self) -> str:
        raise RuntimeError("no text")


class UnreadableItems:
    def __iter__(self) -> Iterator[Any]:
        raise RuntimeError("no items")

    def __str__(self) -> str:
        return "some items"


def test_any_value_becomes_a_text() -> None:
    assert to_text(Unreadable()) == "(Unreadable that cannot be shown: RuntimeError: no text)"
    assert to_text(UnreadableItems()) == "some items"
    assert to_text({"a": UnreadableItems()}).startswith("{'a': ")


def test_a_late_result_that_cannot_be_shown_leaves_its_worker_fit_for_the_next_call() -> None:
    release = threading.Event()
    registry = ToolRegistry()

    @registry.register(metadata=ToolMetadata(timeout=0.01))
    def slow() -> Any:
        """Come late with something odd."""
        release.wait(30)
        return Unreadable()

    @registry.register
    def quick() -> str:
        """Be there."""
        return "here"

    agent = Agent("a", registry, llm=StrictLLM(calls(call("slow")), "one", calls(call("quick")), "two"))
    agent.input("go")
    release.set()
    until(lambda: agent.late_results)
    assert agent.late_results[0]["result"] == "(Unreadable that cannot be shown: RuntimeError: no text)"
    assert agent.input("again") == "two"


@pytest.mark.parametrize("error", [LookupError, SystemExit])
def test_a_worker_outlives_a_report_that_fails(
    error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    pool = WorkerPool()
    release, reported = threading.Event(), threading.Event()

    def report(late: LateOutcome) -> None:
        reported.set()
        raise error("cannot be noted")

    def slow() -> int:
        release.wait(30)
        return threading.get_ident()

    job = pool.start(slow, Errand("slow", on_late=report))
    with pytest.raises(Abandoned):
        job.wait(None, 0.0)
    release.set()
    assert reported.wait(30)
    assert pool.start(lambda: "fine", Errand("next")).wait(None, 30) == "fine"
    until(lambda: "the late outcome of slow could not be noted" in caplog.text)


def test_a_stop_reaches_everybody_although_one_of_them_fails(caplog: pytest.LogCaptureFixture) -> None:
    token, told = CancelToken(), []

    def broken() -> None:
        raise LookupError("socket is gone")

    token.on_cancel(broken)
    token.on_cancel(lambda: told.append("second"))
    token.cancel()
    token.on_cancel(broken)
    assert told == ["second"]
    assert token.cancelled
    assert len(caplog.records) == 2
    assert "socket is gone" in caplog.text


def test_an_interrupt_during_a_stop_is_raised_when_everybody_was_told() -> None:
    token, told = CancelToken(), []

    def interrupted() -> None:
        raise KeyboardInterrupt

    token.on_cancel(interrupted)
    token.on_cancel(lambda: told.append("second"))
    with pytest.raises(KeyboardInterrupt):
        token.cancel()
    assert told == ["second"]


def tool_entries(agent: Agent) -> list[dict[str, Any]]:
    assert agent.current_session is not None
    return [entry for entry in agent.current_session["trace"] if entry["type"] == "tool_execution"]


def test_async_tools_side_by_side_that_run_too_long_are_cancelled_and_that_is_said() -> None:
    registry = ToolRegistry()
    ended: list[str] = []

    @registry.register(metadata=ToolMetadata(timeout=0.01, parallel_safe=True))
    async def forever(name: str) -> None:
        """Never end."""
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(name)

    llm = StrictLLM(calls(call("forever", name="a"), call("forever", name="b")), "fine", "fine")
    agent = Agent("a", registry, llm=llm)
    assert agent.input("go") == "fine"
    late = "Error executing forever: ToolTimeoutError: ran longer than its limit of 0.01 s"
    assert [entry["result"] for entry in tool_entries(agent)] == [late, late]
    assert sorted(ended) == ["a", "b"]
    assert agent.left_running == []
    assert registry.statistics("forever").errors == 2
    agent.input("again")
    assert agent.current_session is not None
    assert [e for e in agent.current_session["trace"] if e["type"] == "late_result"] == []


def test_async_tools_marked_for_it_run_at_the_same_time_with_the_context_of_their_own_call() -> None:
    registry = ToolRegistry()
    barrier = asyncio.Barrier(2)
    seen: list[Any] = []

    @registry.register(metadata=ToolMetadata(parallel_safe=True))
    async def meet(name: str) -> str:
        """Wait for the other one."""
        async with asyncio.timeout(60), barrier:
            assert xray.agent is agent
            seen.append(xray.user_prompt)
            if name == "b":
                raise LookupError("lost")
            return name

    llm = StrictLLM(calls(call("meet", name="a"), call("meet", name="b"), call("meet", nam="c")), "done")
    agent = Agent("a", registry, llm=llm)
    agent.input("go")
    assert seen == ["go", "go"]
    first, second, third = tool_entries(agent)
    assert (first["status"], first["result"]) == ("success", "a")
    assert (second["status"], second["error_type"]) == ("error", "LookupError")
    assert third["result"].startswith("name: missing")
    assert registry.statistics("meet").calls == 2


def test_a_stop_cancels_async_tools_side_by_side() -> None:
    registry = ToolRegistry()
    begun = threading.Semaphore(0)
    ended: list[str] = []

    @registry.register(metadata=ToolMetadata(parallel_safe=True))
    async def forever(name: str) -> None:
        """Never end."""
        begun.release()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(name)

    agent = Agent("a", registry, llm=StrictLLM(calls(call("forever", name="a"), call("forever", name="b"))))

    def stop() -> None:
        assert begun.acquire(timeout=60)
        assert begun.acquire(timeout=60)
        agent.stop()

    threading.Thread(target=stop, daemon=True).start()
    assert agent.input("go") == "Stopped by the user."
    assert [entry["status"] for entry in tool_entries(agent)] == ["cancelled", "cancelled"]
    assert sorted(ended) == ["a", "b"]
    assert not agent.left_running
    assert not agent.late_results


def test_a_part_of_a_call_that_was_left_is_reported_once() -> None:
    registry = ToolRegistry()
    begun = threading.Semaphore(0)

    @registry.register(metadata=ToolMetadata(parallel_safe=True))
    def hand_over(name: str) -> Any:
        """Give back something to wait for."""

        async def wait() -> None:
            begun.release()
            await asyncio.Event().wait()

        return wait()

    agent = Agent(
        "a", registry, llm=StrictLLM(calls(call("hand_over", name="a"), call("hand_over", name="b")))
    )

    def stop() -> None:
        assert begun.acquire(timeout=60)
        assert begun.acquire(timeout=60)
        agent.stop()

    threading.Thread(target=stop, daemon=True).start()
    assert agent.input("go") == "Stopped by the user."
    until(lambda: not agent.left_running)
    assert {late["error_type"] for late in agent.late_results} <= {"CancelledError"}
    assert len(agent.late_results) <= 2
