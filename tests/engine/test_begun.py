"""A turn can go on from a record of its first part."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import Agent
from workbench.engine.begun import BegunTurn
from workbench.engine.hooks import after_user_input, before_tools
from workbench.engine.llm import TokenUsage
from workbench.engine.observer import Observer, TraceEntry, TurnSummary
from workbench.engine.transcript import validate_messages


def look(place: str) -> str:
    """Say what is there."""
    return f"nothing in {place}"


def recorded() -> tuple[dict[str, Any], str]:
    """The session of an agent that looked once, and its prompt."""
    agent = Agent("first", [look], llm=StrictLLM(calls(call("look", place="a")), "it is empty"))
    agent.input("What is in a?")
    session = agent.current_session
    assert session is not None
    return session, "What is in a?"


def begun_with(result: str) -> tuple[BegunTurn, str]:
    session, prompt = recorded()
    answer, told = (dict(message) for message in session["messages"][2:4])
    told["content"] = result
    entries = [dict(entry) for entry in session["trace"][1:3]]
    entries[1]["result"] = result
    return BegunTurn([answer, told], entries), prompt


def test_the_model_is_asked_next_with_the_part_that_is_over() -> None:
    begun, prompt = begun_with("a treasure")
    llm = StrictLLM("take it")
    agent = Agent("second", [look], llm=llm)
    assert agent.resume_turn(prompt, begun) == "take it"
    roles = [(message["role"], message.get("content")) for message in llm.requests[0]]
    assert roles[1] == ("user", prompt)
    assert roles[-1] == ("tool", "a treasure")
    assert agent.current_session is not None
    validate_messages(agent.current_session["messages"])


def test_its_entries_say_that_they_were_replayed_and_new_ones_do_not() -> None:
    begun, prompt = begun_with("a treasure")
    agent = Agent("second", [look], llm=StrictLLM("take it"))
    agent.resume_turn(prompt, begun)
    assert agent.current_session is not None
    kinds = [(entry["type"], entry.get("replayed", False)) for entry in agent.current_session["trace"]]
    assert kinds == [
        ("user_input", False),
        ("llm_call", True),
        ("tool_execution", True),
        ("llm_call", False),
    ]
    assert [entry.get("iteration") for entry in agent.current_session["trace"]] == [None, 1, 1, 2]


def test_nothing_of_it_runs_or_is_paid_again() -> None:
    begun, prompt = begun_with("a treasure")
    batches: list[int] = []
    users: list[str] = []
    agent = Agent(
        "second",
        [look],
        llm=StrictLLM("take it"),
        on_events=[
            before_tools(lambda _: batches.append(1)),
            after_user_input(lambda a: users.append(a.current_session["user_prompt"])),
        ],
    )
    agent.resume_turn(prompt, begun)
    assert (batches, users) == ([], [prompt])
    assert agent.total_usage.total_tokens == 15


def test_observers_are_told_of_it_as_of_any_turn() -> None:
    begun, prompt = begun_with("a treasure")
    told: list[str] = []
    summaries: list[TurnSummary] = []

    class Watching(Observer):
        def entry_added(self, agent: Agent, entry: TraceEntry) -> None:
            told.append(entry["type"])

        def turn_finished(self, agent: Agent, summary: TurnSummary) -> None:
            summaries.append(summary)

    agent = Agent("second", [look], llm=StrictLLM("take it"), observers=[Watching()])
    agent.resume_turn(prompt, begun)
    assert told == ["user_input", "llm_call", "tool_execution", "llm_call"]
    assert summaries[0].tools_called == ("look",)
    assert [message["role"] for message in summaries[0].messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]


def test_the_record_is_not_touched_by_what_comes_after() -> None:
    begun, prompt = begun_with("a treasure")
    agent = Agent("second", [look], llm=StrictLLM("take it"))
    agent.resume_turn(prompt, begun)
    assert agent.current_session is not None
    agent.current_session["messages"][2]["content"] = "changed"
    assert begun.messages[0]["content"] != "changed"
    assert "replayed" not in begun.trace[0]


def test_a_record_that_is_not_whole_is_repaired_visibly() -> None:
    begun, prompt = begun_with("a treasure")
    agent = Agent("second", [look], llm=StrictLLM("take it"))
    agent.resume_turn(prompt, BegunTurn(begun.messages[:1], begun.trace[:1]))
    assert agent.current_session is not None
    assert "transcript_repair" in [entry["type"] for entry in agent.current_session["trace"]]


def test_iterations_are_counted_from_where_it_goes_on() -> None:
    begun, prompt = begun_with("a treasure")
    llm = StrictLLM(calls(call("look", place="b")), calls(call("look", place="c")), "never")
    agent = Agent("second", [look], llm=llm)
    assert agent.resume_turn(prompt, begun, max_iterations=2).startswith("Task incomplete")
    assert len(llm.requests) == 2


@pytest.mark.parametrize(
    "recorded_usage", [{"input_tokens": 3, "output_tokens": 4, "cost": 0.5}, "nonsense", None]
)
def test_usage_read_from_a_log_is_a_usage_again(recorded_usage: object) -> None:
    begun, prompt = begun_with("x")
    entries = [{**begun.trace[0], "usage": recorded_usage}, begun.trace[1]]
    agent = Agent("second", [look], llm=StrictLLM("take it"))
    agent.resume_turn(prompt, BegunTurn(begun.messages, entries))
    assert agent.current_session is not None
    usage = agent.current_session["trace"][1]["usage"]
    expected = TokenUsage(3, 4, cost=0.5) if isinstance(recorded_usage, dict) else TokenUsage()
    assert usage == expected
