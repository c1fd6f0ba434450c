"""What a person ran by hand is in the session's file at once, and disturbs nobody who reads the turns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from workbench.engine.agent import Agent
from workbench.engine.llm import LLMResponse
from workbench.storage.session_file import read_session, recover
from workbench.storage.session_log import SessionLog


class Silent:
    def complete(self, messages: Any, tools: Any = None) -> LLMResponse:
        return LLMResponse("hi")


def echo(text: str) -> str:
    """The text."""
    return text


def made(folder: Path) -> tuple[Agent, SessionLog]:
    log = SessionLog(folder)
    return Agent("a", [echo], llm=Silent(), quiet=True, observers=[log]), log


def by_hand(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text().splitlines()
    return [json.loads(line.partition("# by hand: ")[2]) for line in lines if line.startswith("# by hand: ")]


def test_it_is_written_as_it_happens_also_behind_the_last_turn(tmp_path: Path) -> None:
    agent, log = made(tmp_path)
    agent.input("hello")
    hard = "\x7f \x85 \ud800 \u2028\n  - input: x 😀"
    agent.run_tool("echo", {"text": hard}, rerun_of="c1")
    path = log.path
    assert path is not None
    (entry,) = by_hand(path)
    assert (entry["result"], entry["rerun_of"]) == (hard, "c1")
    agent.close()
    assert [turn.input for turn in read_session(path).turns] == ["hello"]
    assert [turn.input for turn in recover(path).turns] == ["hello"]
    assert len(yaml.safe_load(path.read_text())["turns"]) == 1


def test_the_next_turn_holds_it_in_its_trace(tmp_path: Path) -> None:
    agent, log = made(tmp_path)
    agent.run_tool("echo", {"text": "before any turn"})
    agent.input("hello")
    agent.run_tool("echo", {"text": "between"})
    agent.input("again")
    path = log.path
    assert path is not None
    agent.close()
    turns = read_session(path).turns
    results = [[e["result"] for e in turn.trace if e["type"] == "tool_execution"] for turn in turns]
    assert results == [["before any turn"], ["between"]]
    assert [turn.input for turn in turns] == ["hello", "again"]
    assert [len(turn.messages) for turn in turns] == [3, 2]
