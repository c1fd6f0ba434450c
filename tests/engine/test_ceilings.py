"""Ceilings end a turn at their limit, cleanly, and say so where they cannot hold."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench import ceilings
from workbench.engine.agent import Agent
from workbench.engine.llm import LLMResponse, TokenUsage
from workbench.engine.observer import Observer, TraceEntry
from workbench.errors import ConfigError


def echo(value: str) -> str:
    """Give it back."""
    return value


class Notes(Observer):
    """Keeps the notes that a person is shown."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def entry_added(self, agent: Agent, entry: TraceEntry) -> None:
        if entry["type"] == "note":
            self.texts.append(entry["text"])


def answer(usage: TokenUsage) -> LLMResponse:
    return LLMResponse("done", usage=usage)


def batch(usage: TokenUsage) -> LLMResponse:
    response = calls(call("echo", value="x"))
    response.usage = usage
    return response


def agent_with(llm: StrictLLM, notes: Notes, **limits: Any) -> Agent:
    return Agent("a", [echo], llm=llm, plugins=[ceilings(**limits)], observers=[notes])


@pytest.fixture
def notes() -> Notes:
    return Notes()


def test_a_turn_stops_before_the_call_that_would_pass_the_cost_of_the_session(notes: Notes) -> None:
    llm = StrictLLM(batch(TokenUsage(10, 5, 0, 0.4)), batch(TokenUsage(10, 5, 0, 0.7)), "never")
    agent = agent_with(llm, notes, max_cost=1.0)
    said = agent.input("go")
    assert agent.last_status == "stopped"
    assert len(llm.requests) == 2
    assert "ceiling of $1.00 for this session" in said
    assert "$1.10 so far" in said
    assert "Raise max_cost" in said


def test_the_cost_counts_over_turns_and_a_new_conversation_starts_at_nothing(notes: Notes) -> None:
    llm = StrictLLM(answer(TokenUsage(1, 1, 0, 0.6)), answer(TokenUsage(1, 1, 0, 0.6)), "again")
    agent = agent_with(llm, notes, max_cost=1.0)
    agent.input("one")
    agent.input("two")
    assert "ceiling" in agent.input("three")
    agent.reset_conversation()
    assert agent.input("four") == "again"
    assert agent.last_status == "success"


def test_a_stopped_turn_leaves_a_transcript_that_the_next_request_can_use(notes: Notes) -> None:
    llm = StrictLLM(batch(TokenUsage(40, 20)), "fine")
    agent = agent_with(llm, notes, max_turn_tokens=50)
    said = agent.input("go")
    assert "ceiling of 50 tokens for one turn" in said
    assert "60 so far" in said
    assert agent.input("go on") == "fine"
    assert not llm.refusals


def test_a_raised_ceiling_of_a_resumed_session_counts_what_was_spent_before(notes: Notes) -> None:
    agent = agent_with(StrictLLM("never"), notes, max_cost=1.0)
    spent = {"input_tokens": 10, "output_tokens": 5, "cached_tokens": 0, "cost": 1.5}
    entry = {"type": "llm_call", "status": "success", "model": "m", "usage": spent}
    agent.current_session = {"messages": [], "trace": [entry], "turn": 1}
    assert "$1.50 so far" in agent.input("go")


def test_an_unknown_price_is_said_once_and_stops_nothing(notes: Notes) -> None:
    unknown = TokenUsage(10, 5, 0, None)
    llm = StrictLLM(batch(unknown), answer(unknown), answer(unknown))
    agent = agent_with(llm, notes, max_cost=0.5)
    agent.input("one")
    agent.input("two")
    assert agent.last_status == "success"
    assert notes.texts == ["The price of strict is not known: the ceiling of $0.50 cannot hold for it."]


def test_an_unknown_price_is_said_although_the_turn_had_one_call_only(notes: Notes) -> None:
    agent = agent_with(StrictLLM(answer(TokenUsage(10, 5, 0, None))), notes, max_cost=0.5)
    agent.input("one")
    assert len(notes.texts) == 1
    assert agent.current_session is not None
    assert agent.current_session["trace"][-1]["type"] == "note"


def test_a_model_without_token_counts_is_said_to_escape_the_ceiling(notes: Notes) -> None:
    agent = agent_with(StrictLLM(answer(TokenUsage())), notes, max_turn_tokens=100)
    agent.input("one")
    (text,) = notes.texts
    assert "does not say how many tokens" in text


def test_a_model_that_costs_nothing_is_no_unknown_price(notes: Notes) -> None:
    agent = agent_with(StrictLLM(answer(TokenUsage(10, 5, 0, 0.0))), notes, max_cost=0.5)
    agent.input("one")
    assert notes.texts == []


def test_another_session_of_the_same_agent_counts_apart(notes: Notes) -> None:
    llm = StrictLLM(answer(TokenUsage(1, 1, 0, 1.2)), "fine")
    agent = agent_with(llm, notes, max_cost=1.0)
    agent.input("one")
    long = [{"type": "user_input", "turn": 1, "prompt": "x", "timestamp": 0.0}] * 20
    agent.current_session = {"messages": [], "trace": long, "turn": 1}
    assert agent.input("two") == "fine"


def test_two_agents_with_the_same_plugin_count_and_speak_apart(notes: Notes) -> None:
    plugin = ceilings(max_cost=1.0)
    spent, unknown = answer(TokenUsage(1, 1, 0, 0.9)), answer(TokenUsage(1, 1, 0, None))
    agents = [
        Agent(name, [], llm=StrictLLM(spent, unknown, unknown), plugins=[plugin], observers=[notes])
        for name in ("one", "two")
    ]
    for _ in range(3):
        for agent in agents:
            agent.input("go")
            assert agent.last_status == "success"
    assert len(notes.texts) == len(agents)


@pytest.mark.parametrize(
    "limits",
    [{}, {"max_cost": 0}, {"max_cost": -1}, {"max_cost": "1"}, {"max_cost": True}, {"max_turn_tokens": 1.5}],
)
def test_a_limit_that_is_none_is_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"max_|no limit"):
        ceilings(**limits)
