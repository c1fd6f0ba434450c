"""Ctrl+C at moments that are hard to hit: whatever it hits, the agent is free and nothing is out of place."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine.agent import Agent
from workbench.engine.jobs import Abandoned, Errand
from workbench.engine.observer import Observer
from workbench.engine.transcript import check_from
from workbench.engine.worker import pool
from workbench.registry import tool


def executions(agent: Agent) -> list[tuple[str, str]]:
    """Id and status of the calls in the trace, in their order."""
    assert agent.current_session is not None
    trace = agent.current_session["trace"]
    return [(entry["call_id"], entry["status"]) for entry in trace if entry["type"] == "tool_execution"]


def kinds(agent: Agent) -> set[str]:
    assert agent.current_session is not None
    return {entry["type"] for entry in agent.current_session["trace"]}


def answered(agent: Agent) -> list[str]:
    assert agent.current_session is not None
    return [
        message["tool_call_id"] for message in agent.current_session["messages"] if message["role"] == "tool"
    ]


class InterruptOnce:
    """Called in the place of something: an interrupt the first time."""

    def __init__(self, instead_of: Any) -> None:
        self._instead_of = instead_of
        self.hit = False

    def __call__(self, *arguments: Any) -> Any:
        made = self._instead_of(*arguments)
        if not self.hit:
            self.hit = True
            raise KeyboardInterrupt
        return made


def test_an_interrupt_when_a_turn_was_just_taken_up_leaves_the_agent_free(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    agent = Agent("a", llm=StrictLLM("fine"))
    monkeypatch.setattr(agent, "_take_up", InterruptOnce(agent._take_up))
    with pytest.raises(KeyboardInterrupt):
        agent.input("one")
    assert not agent.running
    assert agent.input("two") == "fine"


def test_an_interrupt_when_a_batch_was_just_opened_answers_its_calls_as_never_run() -> None:
    def add(a: int) -> int:
        return a

    class Impatient(Observer):
        def batch_started(self, agent: Any) -> None:
            raise KeyboardInterrupt

    llm = StrictLLM(calls(call("add", a=1, id="c1"), call("add", a=2, id="c2")), "fine")
    agent = Agent("a", [add], llm=llm, observers=[Impatient()])
    with pytest.raises(KeyboardInterrupt):
        agent.input("one")
    assert executions(agent) == [("c1", "cancelled"), ("c2", "cancelled")]
    assert "transcript_repair" not in kinds(agent)


def test_an_interrupt_while_a_parallel_result_is_kept_leaves_the_answers_in_order() -> None:
    @tool(parallel_safe=True, max_result=10)
    def text(a: int) -> str:
        return "x" * 100

    llm = StrictLLM(calls(call("text", a=1, id="c1"), call("text", a=2, id="c2")), "fine")
    agent = Agent("a", [text], llm=llm)
    agent.keep_result = InterruptOnce(lambda tool, whole: "a file")
    with pytest.raises(KeyboardInterrupt):
        agent.input("one")
    assert answered(agent) == ["c1", "c2"]
    assert [call_id for call_id, _ in executions(agent)] == ["c1", "c2"]
    assert "transcript_repair" not in kinds(agent)
    assert agent.input("two") == "fine"


def test_an_interrupt_while_the_messages_are_checked_is_no_repair(monkeypatch: pytest.MonkeyPatch) -> None:
    def add(a: int) -> int:
        return a

    check = InterruptOnce(check_from)

    def check_calls(messages: Any, start: int, ids: set[str]) -> None:
        (check if any("tool_calls" in each for each in messages[start:]) else check_from)(
            messages, start, ids
        )

    monkeypatch.setattr("workbench.engine.verified.check_from", check_calls)
    agent = Agent("a", [add], llm=StrictLLM(calls(call("add", a=1, id="c1")), "fine", "more"))
    with pytest.raises(KeyboardInterrupt):
        agent.input("one")
    assert check.hit
    assert "transcript_repair" not in kinds(agent)
    assert answered(agent) == ["c1"]


def test_who_waits_again_for_what_an_interrupt_took_away_does_not_wait_for_ever() -> None:
    job = pool.start(lambda: 5, Errand("five"))
    assert job.wait(None, None) == 5
    with pytest.raises(Abandoned):
        job.wait(None, 0)


def test_who_waits_again_for_what_was_left_leaves_it_again() -> None:
    end = Event()
    job = pool.start(end.wait, Errand("slow"))
    for _ in range(2):
        with pytest.raises(Abandoned):
            job.wait(None, 0)
    end.set()
