"""A long conversation is made short: older turns become a summary, the last ones stay, all of it sendable."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.strict_llm import StrictLLM, call, calls, check_request
from workbench.engine.agent import Agent
from workbench.engine.ceilings import ceilings
from workbench.engine.compaction import HEAD, digest, divide, told
from workbench.engine.llm import Delta, LLMResponse, Message, TokenUsage
from workbench.engine.observer import Observer, TraceEntry
from workbench.engine.transcript import validate_messages
from workbench.errors import ConfigError, ContextOverflowError, ProviderError, StopTurn, WorkbenchError
from workbench.storage.session_file import read_session
from workbench.storage.session_log import SessionLog


def echo(value: str) -> str:
    """Give it back."""
    return value


def agent_after(turns: int, llm: StrictLLM, *observers: Observer) -> Agent:
    """An agent with so many turns behind it, each with a call and its result."""
    agent = Agent("a", [echo], "Be brief.", llm=llm, observers=observers)
    for number in range(turns):
        llm.add(calls(call("echo", value=f"value {number}")), f"answer {number}")
        agent.input(f"prompt {number}")
    return agent


def messages_of(agent: Agent) -> list[Message]:
    assert agent.current_session is not None
    messages: list[Message] = agent.current_session["messages"]
    return messages


def test_older_turns_become_one_message_and_the_last_ones_stay_word_for_word() -> None:
    llm = StrictLLM()
    agent = agent_after(5, llm)
    before = json.loads(json.dumps(messages_of(agent)))
    llm.add("They echoed three values.")
    entry = agent.compact(keep_turns=2)
    after = messages_of(agent)
    assert after[0] == before[0]
    assert after[1] == {"role": "user", "content": f"{HEAD}\n\nThey echoed three values."}
    assert after[2:] == before[-8:]
    assert (entry["replaced"], entry["kept"]) == (12, 8)
    assert entry["tokens_after"] < entry["tokens_before"]
    assert agent.input("and now?") == "done"
    assert llm.requests[-1] == [*after[:-1][: len(after) - 2], {"role": "user", "content": "and now?"}]
    assert not llm.refusals


def test_the_model_that_sums_up_is_given_all_of_the_old_turns_and_no_tools() -> None:
    llm = StrictLLM()
    agent = agent_after(3, llm)
    llm.add("short")
    agent.compact(keep_turns=1)
    order, asked = llm.requests[-1]
    assert order["role"] == "system"
    for number in (0, 1):
        for text in (f"User: prompt {number}", f'Call: echo({{"value": "value {number}"}})'):
            assert text in asked["content"]
        assert f"Result of echo: value {number}" in asked["content"]
        assert f"Assistant: answer {number}" in asked["content"]
    assert "prompt 2" not in asked["content"]
    assert llm.tools[-1] == []


def test_a_conversation_larger_than_the_context_is_summed_up_part_by_part() -> None:
    llm = StrictLLM()
    agent = Agent("a", llm=llm)
    for number in range(6):
        llm.add("x" * 900)
        agent.input(f"prompt {number}")
    llm.add("first", "second", "third")
    assert agent.compact(keep_turns=0)["summary"] == "third"
    first, second, third = (request[1]["content"] for request in llm.requests[-3:])
    assert "prompt 0" in first
    assert second.startswith(f"{HEAD}\n\nfirst")
    assert third.startswith(f"{HEAD}\n\nsecond")
    assert "prompt 5" in third


def test_a_part_that_does_not_fit_is_tried_again_smaller() -> None:
    llm = StrictLLM()
    llm.context_window = 20_000
    agent = Agent("a", llm=llm)
    for number in range(6):
        llm.add("x" * 3_000)
        agent.input(f"prompt {number}")
    llm.add(ContextOverflowError("too long"), "first", "second")
    assert agent.compact(keep_turns=0)["summary"] in ("first", "second")
    whole, half = (request[1]["content"] for request in llm.requests[6:8])
    assert half.startswith(whole[:100])
    assert len(half) < len(whole)


def test_what_never_fits_is_given_up_and_changes_nothing() -> None:
    llm = StrictLLM()
    agent = agent_after(3, llm)
    before = list(messages_of(agent))
    llm.add([ContextOverflowError("too long")] * 20)
    with pytest.raises(ContextOverflowError):
        agent.compact()
    assert messages_of(agent) == before


@pytest.mark.parametrize("answer", [ProviderError("gone"), ValueError("bad"), "", "   "])
def test_a_model_that_fails_leaves_the_conversation_as_it_was(answer: Any) -> None:
    llm = StrictLLM()
    agent = agent_after(3, llm)
    before = json.dumps(messages_of(agent))
    llm.add(LLMResponse(answer) if isinstance(answer, str) else answer)
    with pytest.raises(ProviderError):
        agent.compact()
    assert json.dumps(messages_of(agent)) == before
    assert agent.input("go on") == "done"


def test_a_stop_leaves_the_conversation_as_it_was() -> None:
    class Slow(StrictLLM):
        reached, release = threading.Event(), threading.Event()

        def complete(self, messages: Any, tools: Any = None) -> LLMResponse:
            if messages[0]["content"].startswith("You are given"):
                self.reached.set()
                self.release.wait(30)
            return super().complete(messages, tools)

    llm = Slow()
    agent = agent_after(3, llm)
    before = json.dumps(messages_of(agent))
    threading.Thread(target=lambda: llm.reached.wait(30) and agent.stop("enough")).start()
    try:
        with pytest.raises(StopTurn, match="enough"):
            agent.compact()
    finally:
        llm.release.set()
    assert json.dumps(messages_of(agent)) == before
    assert not agent.running


@pytest.mark.parametrize(("turns", "keep"), [(0, 2), (0, 0), (1, 1), (2, 2), (1, 5)])
def test_where_nothing_is_old_it_says_so(turns: int, keep: int) -> None:
    agent = agent_after(turns, StrictLLM())
    with pytest.raises(WorkbenchError, match="nothing to sum up"):
        agent.compact(keep)
    with pytest.raises(ConfigError, match="0 or more"):
        agent.compact(-1)


def test_a_summary_alone_is_not_summed_up_again() -> None:
    llm = StrictLLM()
    agent = agent_after(4, llm)
    llm.add("short")
    agent.compact()
    with pytest.raises(WorkbenchError, match="nothing to sum up"):
        agent.compact()


def test_a_model_may_sum_up_by_itself() -> None:
    class Own(StrictLLM):
        def summarise(self, messages: list[Message]) -> str:
            return f"{len(messages)} messages"

    llm = Own()
    agent = agent_after(3, llm)
    asked = len(llm.requests)
    assert agent.compact(1)["summary"] == "8 messages"
    assert len(llm.requests) == asked


def test_what_it_costs_is_counted_and_the_context_is_unknown_until_the_next_answer() -> None:
    llm = StrictLLM()
    agent = agent_after(3, llm)
    before = agent.total_usage
    llm.add("short")
    entry = agent.compact()
    assert agent.total_usage == before + TokenUsage(10, 5, 0, 0.001)
    assert entry["usage"] == TokenUsage(10, 5, 0, 0.001)
    assert agent.context_percent == 0.0


def test_what_it_costs_counts_for_the_ceiling_of_the_session() -> None:
    llm = StrictLLM()
    agent = Agent("a", llm=llm, plugins=[ceilings(max_cost=0.004)])
    for number in range(3):
        agent.input(f"prompt {number}")
    agent.compact()
    agent.input("one more")
    assert agent.last_status == "stopped"


def test_without_a_model_each_message_is_a_line_and_of_many_the_last_are_told() -> None:
    agent = agent_after(30, StrictLLM())
    lines = digest(messages_of(agent)[1:5]).split("\n")
    assert lines == [
        "User: prompt 0",
        'Call: echo({"value": "value 0"})',
        "Result of echo: value 0",
        "Assistant: answer 0",
    ]
    many = digest(messages_of(agent)).split("\n")
    assert many[0].startswith("… 71 earlier")
    assert many[-1] == "Assistant: answer 29"


def test_watchers_are_told_of_it_and_of_its_progress_but_not_of_its_text() -> None:
    class Watcher(Observer):
        def __init__(self) -> None:
            self.entries: list[str] = []
            self.deltas: list[Delta] = []

        def entry_added(self, agent: Agent, entry: TraceEntry) -> None:
            self.entries.append(entry["type"])

        def stream(self, agent: Agent, delta: Delta) -> None:
            self.deltas.append(delta)

    watcher = Watcher()
    llm = StrictLLM()
    agent = agent_after(3, llm, watcher)
    llm.add("short")
    agent.compact(1)
    assert watcher.entries[-1] == "compaction"
    assert watcher.deltas == [Delta("status", "summing up 8 of 8 messages")]
    assert agent.current_session is not None
    assert agent.current_session["trace"][-1]["type"] == "compaction"


def test_the_session_until_then_stays_in_its_file_and_a_new_file_goes_on(tmp_path: Path) -> None:
    log = SessionLog(tmp_path)
    llm = StrictLLM()
    agent = agent_after(3, llm, log)
    assert log.path is not None
    old, before = log.path, json.loads(json.dumps(messages_of(agent)))
    llm.add("short")
    agent.compact(1)
    agent.input("and now?")
    new = log.path
    assert new is not None
    assert new != old
    agent.close()
    assert read_session(old).messages == before
    assert read_session(new).messages == messages_of(agent)
    assert [entry["type"] for entry in read_session(new).turns[0].trace][:2] == ["compaction", "user_input"]


# ── the rule that every provider checks, for any conversation ────────────────────────────────────────

_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[list[Message], list[str]]:
    """A sound conversation, and the prompts of its turns."""
    messages: list[Message] = [{"role": "system", "content": "s"}] * draw(st.integers(0, 2))
    prompts: list[str] = []
    number = 0
    for _ in range(draw(st.integers(0, 5))):
        prompt = draw(_texts)
        prompts.append(prompt)
        messages.append({"role": "user", "content": prompt + draw(st.sampled_from(["", "\n\n[note]"]))})
        for _ in range(draw(st.integers(0, 3))):
            made = []
            for _ in range(draw(st.integers(1, 3))):
                number += 1
                function = {"name": "echo", "arguments": json.dumps({"value": draw(_texts)})}
                made.append({"id": f"call_{number}", "type": "function", "function": function})
            messages.append({"role": "assistant", "content": draw(_texts), "tool_calls": made})
            messages += [
                {"role": "tool", "tool_call_id": each["id"], "content": draw(_texts)} for each in made
            ]
            if draw(st.booleans()):
                messages.append({"role": "user", "content": draw(_texts)})
        if draw(st.booleans()):
            messages.append({"role": "assistant", "content": draw(_texts)})
    return messages, draw(st.sampled_from([prompts, []]))


@given(conversations(), st.integers(0, 4))
def test_each_part_of_any_conversation_is_sound_and_nothing_is_lost(
    conversation: tuple[list[Message], list[str]], keep: int
) -> None:
    messages, prompts = conversation
    parts = divide(messages, prompts, keep)
    assert [*parts.head, *parts.old, *parts.kept] == messages
    for part in parts:
        validate_messages(part)
    short = [*parts.head, {"role": "user", "content": "summary"}, *parts.kept]
    validate_messages(short)
    check_request(short)
    if prompts and keep and len(prompts) >= keep:
        assert sum(message["role"] == "user" for message in parts.kept) >= keep
    for line in told(messages, 50):
        assert isinstance(line, str)
