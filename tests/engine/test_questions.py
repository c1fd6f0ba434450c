"""Somebody is asked whether a call may run: within the call, where a stop reaches them."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import LLMResponse, recorder, xray
from workbench.engine import calls as calls_module
from workbench.engine.agent import Agent
from workbench.registry import PermissionRequest


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def entry_of(agent: Agent) -> dict[str, Any]:
    assert agent.current_session is not None
    (entry,) = [e for e in agent.current_session["trace"] if e["type"] == "tool_execution"]
    found: dict[str, Any] = entry
    return found


def make(**options: Any) -> Agent:
    return Agent("a", add, llm=StrictLLM(calls(call("add", id="c1", a=2, b=3)), "done"), **options)


def stop_when(agent: Agent, begun: threading.Event) -> None:
    """Stop the agent from another thread as soon as ``begun`` is set."""

    def stop() -> None:
        begun.wait(30)
        agent.stop()

    threading.Thread(target=stop, daemon=True).start()


class Pondering:
    """A model that says when it was asked, and takes for ever unless it is let go."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.release = threading.Event()

    def complete(self, messages: Any, tools: Any = None) -> LLMResponse:
        self.begun.set()
        self.release.wait(60)
        return LLMResponse("ALLOW")


def test_a_stop_reaches_the_agent_that_judges() -> None:
    model = Pondering()
    judge = Agent("judge", llm=model)
    agent = make(trust=judge)
    stop_when(agent, model.begun)
    assert agent.input("go") == "Stopped by the user."
    assert not model.release.is_set()
    assert judge.last_status == "stopped"
    assert (entry_of(agent)["status"], entry_of(agent)["result"]) == (
        "cancelled",
        "Not run: stopped by the user.",
    )
    model.release.set()


def test_a_stop_reaches_a_turn_whose_judge_is_busy_with_somebody_else() -> None:
    judge = Agent("judge", llm=StrictLLM("ALLOW"))
    agent = make(trust=judge)
    asked, stopped = threading.Event(), threading.Event()
    agent.tools.on_change(lambda event: asked.set())

    def keep_busy() -> None:
        with judge.turn_lock:
            asked.wait(30)
            agent.stop()
            stopped.wait(60)

    busy = threading.Thread(target=keep_busy, daemon=True)
    busy.start()
    while judge.turn_lock.acquire(blocking=False):
        judge.turn_lock.release()
    assert agent.input("go") == "Stopped by the user."
    assert busy.is_alive()
    stopped.set()
    busy.join(30)
    assert judge.input("free again") == "ALLOW"


def test_a_stop_cancels_an_async_permission_handler() -> None:
    begun = threading.Event()
    ended: list[str] = []

    async def ask(request: PermissionRequest) -> bool:
        begun.set()
        try:
            async with asyncio.timeout(60):
                await asyncio.Event().wait()
        finally:
            ended.append(request.tool_name)
        return True

    agent = make(trust="strict")
    agent.tools.permission_handler = ask
    stop_when(agent, begun)
    assert agent.input("go") == "Stopped by the user."
    assert entry_of(agent)["result"] == "Not run: stopped by the user."
    assert ended == ["add"]


@pytest.mark.parametrize("answer", [True, False])
def test_an_answer_that_comes_with_the_stop_runs_nothing(answer: bool) -> None:
    def ask(request: PermissionRequest) -> bool:
        agent.stop()
        return answer

    agent = make(trust="strict")
    agent.tools.permission_handler = ask
    assert agent.input("go") == "Stopped by the user."
    assert (entry_of(agent)["status"], entry_of(agent)["result"]) == (
        "cancelled",
        "Not run: stopped by the user.",
    )
    assert agent.tools.statistics("add").errors == 0


def test_who_is_asked_knows_the_call_and_the_judges_turn_is_kept_with_it() -> None:
    seen: list[Any] = []
    judge = Agent("judge", llm=StrictLLM("ALLOW"))
    agent = make(trust=judge)
    handler = agent.tools.permission_handler
    assert handler is not None

    def ask(request: PermissionRequest) -> Any:
        seen.append((xray.agent, xray.user_prompt))
        return handler(request)

    agent.tools.permission_handler = ask
    assert agent.input("go") == "done"
    assert seen == [(agent, "go")]
    assert xray.agent is None
    (inside,) = entry_of(agent)["nested"]
    assert (inside["agent"], inside["result"]) == ("judge", "ALLOW")


def test_a_persons_time_is_no_part_of_the_time_that_a_call_took(monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock:
        now = 100.0

        def take(self, seconds: float) -> None:
            self.now += seconds

    clock = Clock()
    fake = SimpleNamespace(perf_counter=lambda: clock.now, time=lambda: clock.now)
    monkeypatch.setattr(calls_module, "time", fake)
    monkeypatch.setattr(recorder, "time", fake)

    def ask(request: PermissionRequest) -> bool:
        with agent.human_wait("approval"):
            clock.take(5)
        return True

    def work() -> str:
        """Work, and ask a question meanwhile."""
        clock.take(1)
        assert xray.agent is not None
        with xray.agent.human_wait("a question"):
            clock.take(10)
        return "done"

    agent = Agent("a", work, llm=StrictLLM(calls(call("work")), "done"), trust="strict")
    agent.tools.permission_handler = ask
    agent.input("go")
    entry = entry_of(agent)
    assert entry["timing"] == pytest.approx(1000)
    assert entry["human_ms"] == pytest.approx(15_000)
    assert agent.current_session is not None
    waits = [e for e in agent.current_session["trace"] if e["type"] == "human_wait"]
    assert [(e["what"], e["duration_ms"]) for e in waits] == [
        ("approval", pytest.approx(5000)), ("a question", pytest.approx(10_000)),
    ]  # fmt: skip
