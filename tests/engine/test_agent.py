"""The agent around its turns: session, trace, usage, limits, prompts, trust, nesting, observers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from tests.engine.strict_llm import StrictLLM, call, calls
from tests.pictures import address, picture
from workbench.engine import (
    Delta,
    LLMResponse,
    Observer,
    TokenUsage,
    TurnSummary,
    before_each_tool,
    before_llm,
    before_tools,
    llm_do,
    on_complete,
)
from workbench.engine.agent import Agent
from workbench.errors import ConfigError, ProviderError
from workbench.registry import PermissionPolicy, ToolRegistry


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def fail() -> None:
    """Raise."""
    raise ValueError("broken")


def session_of(agent: Agent) -> dict[str, Any]:
    assert agent.current_session is not None
    return agent.current_session


def test_a_conversation_keeps_its_messages_and_counts_its_turns() -> None:
    llm = StrictLLM("four", "twelve")
    agent = Agent("a", system_prompt="Be brief.", llm=llm)
    assert agent.current_session is None
    assert agent.input("What is 2+2?") == "four"
    assert agent.input("times 3?") == "twelve"
    assert llm.requests[-1] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "What is 2+2?"},
        {"role": "assistant", "content": "four"},
        {"role": "user", "content": "times 3?"},
    ]
    session = session_of(agent)
    assert (session["turn"], session["iteration"], session["user_prompt"]) == (2, 1, "times 3?")
    agent.reset_conversation()
    assert agent.current_session is None
    agent.input("new")
    assert session_of(agent)["turn"] == 1


def test_trace_entries_have_the_promised_keys() -> None:
    agent = Agent("a", [add, fail], llm=StrictLLM(calls(call("add", a=2, b=3), call("fail")), "done"))
    agent.input("go")
    user, model, tool, failed, _ = session_of(agent)["trace"]
    assert user.keys() == {"type", "turn", "prompt", "timestamp"}
    assert {
        "type",
        "model",
        "timestamp",
        "duration_ms",
        "tool_calls_count",
        "iteration",
        "usage",
    } <= model.keys()
    assert (model["tool_calls_count"], model["iteration"], model["status"]) == (2, 1, "success")
    assert model["usage"] == TokenUsage(10, 5, 0, 0.001)
    assert tool.keys() == {
        "type", "tool_name", "arguments", "call_id", "result", "status", "timing", "iteration", "timestamp",
    }  # fmt: skip
    assert (tool["arguments"], tool["result"], tool["status"]) == ({"a": 2, "b": 3}, "5", "success")
    assert user["timestamp"] <= model["timestamp"] <= tool["timestamp"] <= failed["timestamp"]
    assert (failed["error"], failed["error_type"]) == ("broken", "ValueError")


def test_a_turn_that_needs_too_many_iterations_says_so() -> None:
    llm = StrictLLM([calls(call("add", a=1, b=1)) for _ in range(5)])
    agent = Agent("a", add, llm=llm, max_iterations=3)
    completed: list[str] = []
    agent.hooks.add(on_complete(lambda agent: completed.append("yes")))
    assert agent.input("go") == "Task incomplete: Maximum 3 iterations reached."
    assert agent.last_status == "incomplete"
    assert completed == ["yes"]
    assert agent.input("go", max_iterations=1) == "Task incomplete: Maximum 1 iterations reached."
    assert not llm.refusals
    with pytest.raises(ConfigError, match="at least 1"):
        agent.input("go", max_iterations=0)


def test_usage_is_counted_and_the_context_measured() -> None:
    agent = Agent("a", add, llm=StrictLLM(calls(call("add", a=1, b=1)), "done"))
    assert agent.context_percent == 0.0
    agent.input("go")
    assert agent.last_usage == TokenUsage(10, 5, 0, 0.001)
    assert agent.total_usage == TokenUsage(20, 10, 0, 0.002)
    assert agent.context_window == 1000
    assert agent.context_percent == 1.5
    agent.reset_conversation()
    assert agent.context_percent == 0.0
    assert agent.total_usage.total_tokens == 30


def test_the_model_can_be_exchanged_in_mid_conversation() -> None:
    agent = Agent("a", llm=StrictLLM("one"))
    agent.input("1")
    other = StrictLLM("two")
    other.model = "another"
    agent.llm = other
    assert agent.input("2") == "two"
    assert [m["content"] for m in other.requests[0][1:]] == ["1", "one", "2"]
    assert session_of(agent)["trace"][-1]["model"] == "another"


def test_a_tool_switched_off_is_absent_from_the_next_request() -> None:
    llm = StrictLLM("one", "two")
    agent = Agent("a", [add, fail], llm=llm)
    agent.input("1")
    agent.tools.disable("fail")
    agent.input("2")
    assert [[tool["function"]["name"] for tool in tools] for tools in llm.tools] == [["add", "fail"], ["add"]]


def test_an_agent_without_a_way_to_a_model_is_refused() -> None:
    with pytest.raises(ConfigError, match="has no model") as caught:
        Agent("a")
    assert "llm=" in caught.value.hint
    with pytest.raises(ConfigError, match="has no complete"):
        Agent("a", llm=object())
    made: list[str] = []

    def factory(model: str) -> StrictLLM:
        made.append(model)
        return StrictLLM("hi")

    agent = Agent("a", model="some/model", llm_factory=factory)
    assert (agent.input("x"), agent.model, made) == ("hi", "some/model", ["some/model"])


def test_a_model_of_five_lines_is_enough() -> None:
    class Five:
        def complete(self, messages: Any, tools: Any = None) -> LLMResponse:
            return LLMResponse("hello")

    agent = Agent("a", llm=Five())
    assert agent.input("hi") == "hello"
    assert (agent.model, agent.context_window, agent.context_percent) == ("Five", None, 0.0)


def test_an_async_model_is_awaited() -> None:
    class Async:
        async def complete(self, messages: Any, tools: Any = None) -> LLMResponse:
            return LLMResponse("hello")

    assert Agent("a", llm=Async()).input("hi") == "hello"


def test_the_system_prompt_comes_from_text_file_or_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "poet.md").write_text("You rhyme.")
    (folder / "zoo.txt").write_text("You bark.")
    other = tmp_path / "other.md"
    other.write_text("From a file.")

    def prompt(source: Any, name: str = "poet") -> str:
        return Agent(name, llm=StrictLLM(), system_prompt=source).system_prompt

    assert prompt("Just text, or two.") == "Just text, or two."
    assert prompt("One\nTwo") == "One\nTwo"
    assert prompt("other.md") == prompt(other) == "From a file."
    assert prompt(None) == prompt("poet") == prompt("poet.md") == "You rhyme."
    assert prompt("zoo") == "You bark."
    assert prompt(folder) == "You rhyme."
    assert prompt(folder, "nobody") == "You rhyme.\n\nYou bark."
    assert "helpful" in prompt(None, "nobody")
    with pytest.raises(ConfigError, match=r"no system prompt file missing\.md"):
        prompt("missing.md")
    with pytest.raises(ConfigError, match="cannot be read"):
        prompt(tmp_path / "missing")


def test_a_new_system_prompt_takes_effect_in_mid_conversation() -> None:
    llm = StrictLLM("one", "two")
    agent = Agent("a", llm=llm, system_prompt="old")
    agent.input("1")
    agent.system_prompt = "new"
    agent.input("2")
    assert [request[0]["content"] for request in llm.requests] == ["old", "new"]


@pytest.mark.parametrize(
    ("answer", "result"), [("ALLOW, it is harmless.", "5"), ("DENY it", ""), ("I would ALLOW", "")]
)
def test_an_agent_as_trust_answers_what_is_asked(answer: str, result: str) -> None:
    judge_llm = StrictLLM(answer)
    judge = Agent("judge", llm=judge_llm)
    agent = Agent("a", add, llm=StrictLLM(calls(call("add", a=2, b=3))), trust=judge)
    agent.input("go")
    (entry,) = [e for e in session_of(agent)["trace"] if e["type"] == "tool_execution"]
    assert entry["status"] == ("success" if result else "rejected")
    assert "{'a': 2, 'b': 3}" in judge_llm.requests[0][-1]["content"]


def test_trust_takes_a_word_or_a_policy_and_nothing_else() -> None:
    for word in ("open", "careful", "strict"):
        assert Agent("a", llm=StrictLLM(), trust=word).tools.policy == getattr(PermissionPolicy, word)()
    policy = PermissionPolicy.strict()
    assert Agent("a", llm=StrictLLM(), trust=policy).tools.policy is policy
    assert Agent("a", ToolRegistry(policy), llm=StrictLLM()).tools.policy is policy
    with pytest.raises(ConfigError, match="trust cannot be 'carefull'"):
        Agent("a", llm=StrictLLM(), trust="carefull")


def test_tools_come_singly_in_lists_or_as_a_registry() -> None:
    registry = ToolRegistry()
    registry.register(fail)
    assert [tool.name for tool in Agent("a", add, llm=StrictLLM()).tools] == ["add"]
    assert [tool.name for tool in Agent("a", [add, (registry,)], llm=StrictLLM()).tools] == ["add", "fail"]
    assert Agent("a", registry, llm=StrictLLM()).tools is registry


def test_an_agent_can_be_a_tool_and_its_trace_is_linked_to_the_call() -> None:
    origins: list[list[str]] = []

    @before_tools
    def note(agent: Agent) -> None:
        origins.append(session_of(agent)["pending_tools"][0]["origin"])

    class Nested(Watcher):
        nested = True

    watcher, deaf = Nested(), Watcher()
    helper = Agent(
        "adder", add, "You add numbers.", llm=StrictLLM(calls(call("add", a=1, b=2)), "3"), on_events=note
    )
    outer = Agent(
        "boss",
        helper,
        llm=StrictLLM(calls(call("adder", id="c1", task="1+2")), "it is 3"),
        observers=[watcher, deaf],
    )
    assert "You add numbers." in outer.tools.resolve("adder").description
    assert outer.input("go") == "it is 3"
    assert origins == [["boss", "adder"]]
    (entry,) = [e for e in session_of(outer)["trace"] if e["type"] == "tool_execution"]
    (inside,) = entry["nested"]
    assert (inside["agent"], inside["status"], inside["result"]) == ("adder", "success", "3")
    assert {e["parent_call_id"] for e in inside["trace"]} == {"c1"}
    assert ("adder", "tool_execution") in watcher.entries
    assert {name for name, _ in deaf.entries} == {"boss"}


def test_stopping_the_outer_agent_stops_the_inner_one() -> None:
    inner = Agent("inner", add, llm=StrictLLM(calls(call("add", a=1, b=2)), "3"))
    outer = Agent("outer", inner, llm=StrictLLM(calls(call("inner", task="x"))))
    inner.hooks.add(before_tools(lambda agent: outer.stop()))
    assert outer.input("go") == "Stopped by the user."
    while inner.running:  # its thread answers its own call after the outer turn has ended
        pass
    assert inner.last_status == "stopped"


class Watcher(Observer):
    def __init__(self) -> None:
        self.told: list[str] = []
        self.entries: list[tuple[str, str]] = []
        self.summaries: list[TurnSummary] = []
        self.deltas: list[str] = []

    def turn_started(self, agent: Agent, prompt: str) -> None:
        self.told.append(f"started {prompt}")

    def stream(self, agent: Agent, delta: Delta) -> None:
        self.deltas.append(delta.text)

    def entry_added(self, agent: Agent, entry: dict[str, Any]) -> None:
        self.entries.append((agent.name, entry["type"]))

    def turn_finished(self, agent: Agent, summary: TurnSummary) -> None:
        self.told.append("finished")
        self.summaries.append(summary)

    def session_reset(self, agent: Agent) -> None:
        self.told.append("reset")

    def close(self) -> None:
        self.told.append("closed")


def test_observers_are_told_everything_and_the_summary_before_on_complete() -> None:
    watcher = Watcher()

    @on_complete
    def complete(agent: Agent) -> None:
        watcher.told.append("on_complete")
        session_of(agent)["messages"].append({"role": "user", "content": "a note"})

    llm = StrictLLM(calls(call("add", a=1, b=2)), "three", "bye", ProviderError("gone"))
    agent = Agent("a", add, llm=llm, observers=[watcher], on_events=complete)
    agent.input("one")
    agent.input("two")
    with pytest.raises(ProviderError):
        agent.input("three")
    agent.reset_conversation()
    agent.close()
    assert watcher.told == [
        "started one", "finished", "on_complete", "started two", "finished", "on_complete", "started three",
        "finished", "reset", "closed",
    ]  # fmt: skip
    first, second, third = watcher.summaries
    assert (first.input, first.result, first.status, first.iterations) == ("one", "three", "success", 2)
    assert (first.tools_called, first.usage.total_tokens, first.turn) == (("add",), 30, 1)
    assert [m["role"] for m in first.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert [m["content"] for m in second.messages] == ["a note", "two", "bye"]
    assert [e["type"] for e in second.trace] == ["user_input", "llm_call"]
    assert (third.status, third.result, str(third.error)) == ("error", "", "gone")
    assert first.duration_ms > first.waited_ms == 0.0


def test_a_summary_has_the_whole_history_when_a_handler_exchanged_the_list() -> None:
    watcher = Watcher()

    @before_llm
    def compact(agent: Agent) -> None:
        session = session_of(agent)
        if session["turn"] == 2:
            session["messages"] = [session["messages"][0], {"role": "user", "content": "in short"}]

    llm = StrictLLM("one", "two")
    agent = Agent("a", llm=llm, observers=[watcher], on_events=compact)
    agent.input("1")
    agent.input("2")
    first, second = watcher.summaries
    assert not first.replaces
    assert second.replaces
    assert [m["content"] for m in second.messages] == [agent.system_prompt, "in short", "two"]
    assert not llm.refusals


def test_a_failing_observer_disturbs_nothing_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Observer):
        def entry_added(self, agent: Agent, entry: dict[str, Any]) -> None:
            raise LookupError("observer broke")

    watcher = Watcher()
    agent = Agent("a", llm=StrictLLM("fine"), observers=[Broken()])
    agent.observers.add(watcher)
    assert agent.input("go") == "fine"
    assert len(watcher.entries) == 2
    assert "observer broke" in caplog.text
    assert "Traceback" in caplog.text
    agent.observers.remove(watcher)
    assert watcher not in agent.observers


def test_pieces_of_the_answer_reach_the_observers() -> None:
    class Streaming:
        def complete(self, messages: Any, tools: Any = None, *, on_delta: Any = None) -> LLMResponse:
            for piece in ("he", "llo"):
                on_delta(Delta("text", piece))
            return LLMResponse("hello")

    watcher = Watcher()
    agent = Agent("a", llm=Streaming(), observers=[watcher])
    assert agent.input("hi") == "hello"
    assert watcher.deltas == ["he", "llo"]
    assert session_of(agent)["trace"][-1]["first_token_ms"] > 0


def test_time_spent_by_a_person_is_recorded_apart() -> None:
    watcher = Watcher()

    @before_tools
    def approve(agent: Agent) -> None:
        with agent.human_wait("approval"):
            pass

    @before_each_tool
    def confirm(agent: Agent) -> None:
        with agent.human_wait("confirmation"):
            pass

    @before_llm
    def think(agent: Agent) -> None:
        with agent.human_wait("a thought"):
            pass

    def ask() -> str:
        """Ask a person."""
        with agent.human_wait("a question"):
            pass
        return "yes"

    agent = Agent(
        "a", ask, llm=StrictLLM(calls(call("ask"))), on_events=[approve, confirm, think], observers=[watcher]
    )
    agent.input("go")
    trace = session_of(agent)["trace"]
    waits = [entry for entry in trace if entry["type"] == "human_wait"]
    assert [entry.get("what", entry["type"]) for entry in trace] == [
        "user_input", "a thought", "llm_call", "approval", "confirmation", "a question", "tool_execution",
        "a thought", "llm_call",
    ]  # fmt: skip
    assert waits[0].keys() == {"type", "what", "duration_ms", "iteration", "timestamp"}
    assert watcher.summaries[0].waited_ms == pytest.approx(sum(entry["duration_ms"] for entry in waits))
    (tool,) = [entry for entry in trace if entry["type"] == "tool_execution"]
    assert tool["human_ms"] == pytest.approx(waits[2]["duration_ms"] + waits[3]["duration_ms"])


def test_what_a_tool_prints_is_kept_where_somebody_captures_it() -> None:
    class Captured:
        text = ""

    class Capture:
        def __init__(self) -> None:
            self.open: dict[str, Captured] = {}

        @contextmanager
        def bracket(self, call_id: str) -> Iterator[Captured]:
            self.open[call_id] = captured = Captured()
            yield captured
            captured.text += "|end"

    capture = Capture()

    def say() -> None:
        """Print."""
        capture.open["c1"].text += "hello"

    agent = Agent("a", say, llm=StrictLLM(calls(call("say", id="c1"))))
    agent.output = capture
    agent.input("go")
    (entry,) = [e for e in session_of(agent)["trace"] if e["type"] == "tool_execution"]
    assert entry["output"] == "hello|end"


class City(BaseModel):
    name: str
    people: int


def test_llm_do_answers_with_text_or_a_typed_object() -> None:
    assert llm_do("hi", llm=StrictLLM("hello"), system_prompt="Be kind.") == "hello"
    llm = StrictLLM("no idea", '```json\n{"name": "Rome", "people": 3}\n```')
    assert llm_do("Which city?", llm=llm, output=City) == City(name="Rome", people=3)
    assert "does not fit the schema" in llm.requests[-1][-1]["content"]
    with pytest.raises(ProviderError, match="no answer that fits City"):
        llm_do("Which city?", llm=StrictLLM("a", "b", "c"), output=City)
    with pytest.raises(ConfigError, match="no model"):
        llm_do("hi")


def test_llm_do_hands_over_pictures_with_the_prompt() -> None:
    shown = {"type": "image_url", "image_url": {"url": address(picture())}}
    llm = StrictLLM("a flag", '{"name": "Rome", "people": 3}')
    assert llm_do("What is this?", llm=llm, images=picture()) == "a flag"
    assert llm.requests[-1][-1]["content"] == [{"type": "text", "text": "What is this?"}, shown]
    llm_do("Which city?", llm=llm, images=[picture(), picture()], output=City)
    asked, *pictures = llm.requests[-1][-1]["content"]
    assert asked["text"].startswith("Which city?\n\nAnswer with JSON")
    assert pictures == [shown, shown]
    with pytest.raises(ConfigError, match=r"no picture missing\.png"):
        llm_do("What is this?", llm=StrictLLM(), images="missing.png")


def test_the_engine_package_loads_nothing_heavy() -> None:
    code = (
        "import sys, workbench.engine, workbench.engine.agent;"
        "heavy = {'pydantic', 'rich', 'textual', 'litellm', 'yaml', 'watchfiles'};"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("prompt", [3, None, ["go"], b"go"])
def test_a_prompt_that_is_no_text_is_refused_and_changes_nothing(prompt: Any) -> None:
    agent = Agent("a", llm=StrictLLM("done"))
    with pytest.raises(ConfigError, match=f"text, not {type(prompt).__name__}"):
        agent.input(prompt)
    assert agent.current_session is None
    assert agent.input("go") == "done"
