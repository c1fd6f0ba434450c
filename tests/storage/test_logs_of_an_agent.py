"""The logs of a real agent hold what it lived through."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from workbench.engine import Agent, before_tools
from workbench.engine.llm import LLMResponse, TokenUsage, ToolCall
from workbench.errors import ToolRejected
from workbench.storage.session_file import SessionRecord, read_session
from workbench.storage.session_log import SessionLog
from workbench.storage.text_log import TextLog


class Script:
    """Answers with what it was given, in order."""

    model = "scripted"

    def __init__(self, *answers: LLMResponse | Exception) -> None:
        self.answers = list(answers)

    def complete(self, messages: Any, tools: Any = None) -> LLMResponse:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def calls(*wanted: ToolCall) -> LLMResponse:
    return LLMResponse(tool_calls=list(wanted), usage=TokenUsage(100, 20, 0, 0.01))


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def record_of(log: SessionLog) -> SessionRecord:
    assert log.path is not None
    return read_session(log.path)


def test_the_file_gives_back_the_conversation_and_the_trace(tmp_path: Path) -> None:
    log = SessionLog(tmp_path)
    llm = Script(
        calls(ToolCall("add", {"a": 1, "b": 2}, "c1"), ToolCall("nope", {}, "c2")),
        LLMResponse("three", usage=TokenUsage(1, 1, 0, 0.02)),
        LLMResponse("bye"),
    )
    agent = Agent("helper", [add], "Be brief.", llm=llm, observers=[log])
    agent.input("1+2?")
    agent.input("thanks")
    record = record_of(log)
    assert agent.current_session is not None
    assert record.messages == agent.current_session["messages"]
    assert record.messages[0] == {"role": "system", "content": "Be brief."}
    first, second = record.turns
    assert (first.tokens, first.cost, first.result) == (122, 0.03, "three")
    assert [entry["type"] for entry in first.trace] == (
        ["user_input", "llm_call", "tool_execution", "tool_execution", "llm_call"]
    )
    assert [entry["status"] for entry in first.trace[2:4]] == ["success", "not_found"]
    assert second.input == "thanks"
    assert record.notes == ()


def test_the_calls_of_a_batch_are_on_disk_before_the_first_of_them_runs(tmp_path: Path) -> None:
    log = SessionLog(tmp_path)
    seen: list[SessionRecord] = []

    def look() -> str:
        """Read the session while it runs."""
        seen.append(record_of(log))
        return "looked"

    @before_tools
    def approve(agent: Agent) -> None:
        seen.append(record_of(log))

    llm = Script(
        calls(ToolCall("look", {}, "c1"), ToolCall("add", {"a": 1, "b": 1}, "c2")), LLMResponse("ok")
    )
    Agent("helper", [look, add], llm=llm, observers=[log], on_events=[approve]).input("go")
    for record in seen:
        (turn,) = record.turns
        assert turn.status == "running"
        assert [m["role"] for m in turn.messages] == ["system", "user", "assistant", "tool", "tool"]
        assert "may have had effects" in turn.messages[3]["content"]
        assert [entry["type"] for entry in turn.trace] == ["user_input", "llm_call"]


def test_turns_that_fail_or_are_refused_are_written_like_any_other(tmp_path: Path) -> None:
    log = SessionLog(tmp_path)

    @before_tools
    def refuse(agent: Agent) -> None:
        raise ToolRejected("not today")

    llm = Script(
        ConnectionError("refused"), calls(ToolCall("add", {"a": 1, "b": 1}, "c1")), LLMResponse("fine")
    )
    agent = Agent("helper", [add], llm=llm, observers=[log, TextLog(tmp_path)], on_events=[refuse])
    with pytest.raises(Exception, match="refused"):
        agent.input("first")
    agent.input("second")
    first, second = record_of(log).turns
    assert (first.status, second.status) == ("error", "success")
    assert first.error is not None
    assert "refused" in first.error
    assert second.trace[2]["status"] == "rejected"
    text = (tmp_path / ".workbench/logs/helper.log").read_text()
    assert "error  ProviderError" in text
    assert 'tool   add({"a": 1, "b": 1}) rejected' in text


def test_a_reset_and_an_agent_inside_a_tool_have_files_of_their_own(tmp_path: Path) -> None:
    inner_log, log = SessionLog(tmp_path), SessionLog(tmp_path)
    inner = Agent("helper", llm=Script(LLMResponse("inner answer")), observers=[inner_log])

    def delegate(task: str) -> str:
        """Let another do it."""
        return inner.input(task)

    llm = Script(calls(ToolCall("delegate", {"task": "x"}, "c1")), LLMResponse("done"), LLMResponse("new"))
    agent = Agent("helper", [delegate], llm=llm, observers=[log])
    agent.input("go")
    assert record_of(inner_log).turns[0].result == "inner answer"
    assert len({log.path, inner_log.path}) == 2
    nested = record_of(log).turns[0].trace[2]["nested"]
    assert nested[0]["result"] == "inner answer"
    old = log.path
    agent.reset_conversation()
    agent.input("again")
    assert log.path != old
    assert [turn.result for turn in record_of(log).turns] == ["new"]


def test_every_file_is_yaml_with_json_inside(tmp_path: Path) -> None:
    log = SessionLog(tmp_path)
    llm = Script(calls(ToolCall("add", {"a": 1, "b": 2}, "c1")), LLMResponse("ok \u2028 \ud800 \x9b"))
    Agent("helper", [add], llm=llm, observers=[log]).input("\x1b[2J")
    assert log.path is not None
    (turn,) = yaml.safe_load(log.path.read_bytes())["turns"]
    assert all(isinstance(json.loads(turn[key]), list) for key in ("messages", "trace"))
