"""Closing an agent, also in the middle of a turn: observers let go once, and last."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from tests.engine.waiting import until
from workbench.engine import Observer, TurnSummary, before_llm, on_complete
from workbench.engine import agent as agent_module
from workbench.engine.agent import Agent


class Told(Observer):
    def __init__(self) -> None:
        self.told: list[str] = []

    def turn_started(self, agent: Agent, prompt: str) -> None:
        self.told.append("started")

    def turn_finished(self, agent: Agent, summary: TurnSummary) -> None:
        self.told.append(f"finished {summary.status}")

    def close(self) -> None:
        self.told.append("closed")


class Gate:
    """A tool, or a handler, that says when it has begun and ends when it is let go."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.release = threading.Event()

    def block(self) -> str:
        """Wait."""
        self.begun.set()
        self.release.wait(30)
        return "late"

    def handler(self, agent: Agent) -> None:
        self.block()


@pytest.fixture
def gate() -> Any:
    gate = Gate()
    yield gate
    gate.release.set()


def in_a_thread(agent: Agent) -> threading.Thread:
    thread = threading.Thread(target=agent.input, args=("go",), daemon=True)
    thread.start()
    return thread


def test_closing_in_mid_turn_waits_for_its_end(gate: Gate) -> None:
    told = Told()
    agent = Agent("a", gate.block, llm=StrictLLM(calls(call("block"))), observers=[told])
    thread = in_a_thread(agent)
    assert gate.begun.wait(30)
    agent.close()
    assert told.told == ["started", "finished stopped", "closed"]
    thread.join(30)
    assert told.told == ["started", "finished stopped", "closed"]


def test_a_turn_that_a_handler_keeps_closes_its_agent_at_its_end(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_module, "_CLOSING_PATIENCE", 0.01)
    told = Told()
    agent = Agent("a", llm=StrictLLM("no"), observers=[told], on_events=before_llm(gate.handler))
    thread = in_a_thread(agent)
    assert gate.begun.wait(30)
    agent.close()
    assert told.told == ["started"]
    gate.release.set()
    thread.join(30)
    assert told.told == ["started", "finished stopped", "closed"]


@pytest.mark.parametrize("event", [before_llm, on_complete])
def test_a_handler_may_close_its_own_agent(event: Any) -> None:
    told = Told()
    agent = Agent("a", llm=StrictLLM("fine"), observers=[told], on_events=event(lambda agent: agent.close()))
    agent.input("go")
    finished = "finished stopped" if event is before_llm else "finished success"
    assert told.told == ["started", finished, "closed"]
    agent.hooks.remove(*agent.hooks)
    assert agent.input("again") == ("fine" if event is before_llm else "done")
    assert told.told[-1] == "finished success"


def test_a_tool_may_close_its_own_agent() -> None:
    told = Told()

    def shut() -> str:
        """Close."""
        agent.close()
        return "closed"

    agent = Agent("a", shut, llm=StrictLLM(calls(call("shut"))), observers=[told])
    assert agent.input("go") == "The agent was closed."
    while agent.left_running:  # the tool itself ends after the turn that it has closed
        pass
    assert told.told == ["started", "finished stopped", "closed"]


async def test_closing_on_the_loop_of_ainput_does_not_wait_for_ever() -> None:
    told = Told()
    begun = asyncio.Event()

    async def forever() -> None:
        """Never end."""
        begun.set()
        await asyncio.Event().wait()

    agent = Agent("a", forever, llm=StrictLLM(calls(call("forever"))), observers=[told])
    task = asyncio.create_task(agent.ainput("go"))
    async with asyncio.timeout(60):
        await begun.wait()
        agent.close()
        await task
    assert told.told == ["started", "finished stopped", "closed"]


def test_closing_an_idle_agent_tells_its_observers() -> None:
    told = Told()
    with Agent("a", llm=StrictLLM("fine"), observers=[told]) as agent:
        agent.input("go")
    assert told.told == ["started", "finished success", "closed"]


def test_an_agent_that_nobody_holds_goes_and_its_loop_with_it() -> None:
    threads: list[threading.Thread] = []

    async def later() -> str:
        """Run on the agent's loop."""
        threads.append(threading.current_thread())
        return "ok"

    def run() -> weakref.ref[Agent]:
        agent = Agent("a", [later], llm=StrictLLM(calls(call("later"))))
        agent.input("go")
        return weakref.ref(agent)

    gone = run()
    until(lambda: gc.collect() >= 0 and gone() is None)  # the worker may still have to let go
    threads[0].join(30)
    assert not threads[0].is_alive()


def test_an_agent_that_has_ended_its_turn_inside_a_call_is_not_held_by_it() -> None:
    gone: list[bool] = []

    def ask() -> str:
        """Ask somebody who is needed once."""

        def run() -> weakref.ref[Agent]:
            helper = Agent("helper", llm=StrictLLM())
            helper.input("go")
            return weakref.ref(helper)

        helper = run()
        until(lambda: gc.collect() >= 0 and helper() is None)
        gone.append(True)
        return "ok"

    Agent("a", [ask], llm=StrictLLM(calls(call("ask")))).input("go")
    assert gone == [True]
