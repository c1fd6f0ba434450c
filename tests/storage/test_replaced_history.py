"""Handlers may rewrite the conversation; the files then hold what it became."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.storage.fake_agent import FakeAgent, load, new_log, path_of
from workbench.engine import Agent, after_user_input
from workbench.engine.llm import LLMResponse
from workbench.storage.journal import read_journal
from workbench.storage.session_file import read_session, recover
from workbench.storage.session_log import SessionLog

SUMMARY = {"role": "user", "content": "(summary of what was said)"}


def compact(agent: FakeAgent) -> None:
    """Put a summary in the place of all that was said before the present turn."""
    del agent.session["messages"][: agent.started_at]
    agent.session["messages"].insert(0, SUMMARY)


def test_a_turn_that_replaces_the_history_says_so_and_reading_starts_there(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn("one")
    agent.begin("two")
    compact(agent)
    agent.end("ok", replaces=True)
    agent.turn("three")
    assert [turn.get("replaces") for turn in load(log)["turns"]] == [None, True, None]
    record = read_session(path_of(log))
    assert [turn.replaces for turn in record.turns] == [False, True, False]
    assert record.messages == agent.session["messages"]
    assert record.messages[0] == SUMMARY
    assert record.notes == ()


def test_another_layout_of_the_file_says_it_too(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn("one")
    agent.begin("two")
    compact(agent)
    agent.end("ok", replaces=True)
    other = tmp_path / "other.yaml"
    other.write_text(yaml.safe_dump(load(log)))
    assert read_session(other).messages == agent.session["messages"]


def test_the_journal_of_a_turn_that_rewrote_the_history_holds_all_of_it(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn("one")
    agent.begin("two")
    compact(agent)
    agent.call("c2", "add", "5")
    (running,) = read_journal(path_of(log))
    assert (running.index, running.replaces) == (1, True)
    record = read_session(path_of(log))
    assert record.messages == agent.session["messages"]
    assert record.turns[-1].replaces


def test_what_comes_after_a_rewrite_is_journaled_once_and_in_its_place(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    for number in range(5):
        agent.turn(str(number))
    agent.begin("x")
    compact(agent)
    agent.end("ok", replaces=True)
    agent.begin("next")
    agent.call("c1", "add", "5")
    (running,) = read_journal(path_of(log))
    assert (running.index, running.replaces) == (6, False)
    assert running.messages == agent.session["messages"][-3:]


def test_a_recovered_turn_that_replaced_the_history_still_does(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn("one")
    agent.begin("two")
    compact(agent)
    agent.call("c2", "add", "5")
    path = path_of(log)
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    copy.with_name(copy.name + ".journal").write_bytes(path.with_name(path.name + ".journal").read_bytes())
    recovered = recover(copy)
    assert recovered.messages == read_session(copy).messages == agent.session["messages"]


def test_messages_that_missed_the_journal_are_in_it_with_the_next_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn("one")
    agent.begin("two")

    def refuse(descriptor: int, data: Any) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", refuse)
        agent.call("c1", "add", "5")
    agent.call("c2", "add", "6")
    assert read_session(path_of(log)).messages == agent.session["messages"]


def test_a_real_agent_whose_handler_compacts_can_be_read_back(tmp_path: Path) -> None:
    class Echo:
        def complete(self, messages: object, tools: object = None) -> LLMResponse:
            return LLMResponse("heard")

    @after_user_input
    def compact_at_three(agent: Agent) -> None:
        assert agent.current_session is not None
        if agent.current_session["turn"] == 3:
            messages = agent.current_session["messages"]
            messages[:] = [SUMMARY, messages[-1]]

    log = SessionLog(tmp_path)
    agent = Agent("helper", llm=Echo(), observers=[log], on_events=[compact_at_three])
    for prompt in ("one", "two", "three", "four"):
        agent.input(prompt)
    assert log.path is not None
    record = read_session(log.path)
    assert agent.current_session is not None
    assert record.messages == agent.current_session["messages"]
    assert [turn.replaces for turn in record.turns] == [False, False, True, False]
