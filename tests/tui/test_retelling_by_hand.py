"""Calls that a person ran between the turns are told again as theirs, and no turn's time has them."""

from __future__ import annotations

import itertools
import time
from pathlib import Path
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import Agent
from workbench.engine.by_hand import HandCall
from workbench.storage.session_file import read_session
from workbench.storage.session_log import SessionLog
from workbench.tui import events
from workbench.tui.retelling import retell
from workbench.tui.trace_model import TraceModel
from workbench.tui.trace_rows import draw


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


@pytest.fixture
def minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the clock is a minute after the one before, as when a person thinks in between."""
    ticks = itertools.count(1_700_000_000, 60)
    monkeypatch.setattr(time, "time", lambda: float(next(ticks)))


def told(path: Path) -> TraceModel:
    """The trace as it is told from the file."""
    model = TraceModel(lambda start, removed, added: None)
    model.apply(retell("tester", read_session(path)))
    return model


def lived(folder: Path, *steps: str) -> Path:
    """A session of these steps: a turn with one call, or the first call again."""
    log = SessionLog(folder)
    agent = Agent("tester", [add], llm=StrictLLM(), observers=[log])
    first: list[Any] = []
    for step in steps:
        if step == "turn":
            agent.llm.answers = [calls(call("add", a=1, b=2)), "3"]
            agent.input("go")
            assert agent.current_session is not None
            traced = agent.current_session["trace"]
            first = first or [entry for entry in traced if entry["type"] == "tool_execution"]
        else:
            agent.run_tools([HandCall("add", {"a": 1, "b": 2}, first[0]["call_id"])])
    assert log.path is not None
    path = log.path
    agent.close()
    return path


def rows(model: TraceModel) -> list[str]:
    """The outermost rows."""
    return [f"{turn.prompt} by you" if turn.by_hand else f"turn {turn.number}" for turn in model.turns]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (("turn", "again", "turn"), ["turn 1", "add again by you", "turn 2"]),
        (("turn", "turn", "again", "again"), ["turn 1", "turn 2", "add again by you", "add again by you"]),
    ],
)
def test_what_a_person_ran_is_told_where_it_was(
    tmp_path: Path, steps: tuple[str, ...], expected: list[str]
) -> None:
    model = told(lived(tmp_path, *steps))
    assert rows(model) == expected
    assert all(turn.tool_calls == 1 and not turn.live for turn in model.turns)


def test_a_fork_has_what_a_person_ran_before_it(tmp_path: Path) -> None:
    record = read_session(lived(tmp_path, "turn", "again", "turn"))
    log = SessionLog(tmp_path)
    assert rows(told(log.fork(record.until(1)))) == ["turn 1", "add again by you"]
    log.close()
    both = SessionLog(tmp_path)
    assert rows(told(both.fork(record))) == ["turn 1", "add again by you", "turn 2"]
    both.close()


@pytest.mark.usefixtures("minutes")
def test_a_turn_begins_with_its_prompt_whatever_was_run_before_it(tmp_path: Path) -> None:
    path = lived(tmp_path, "turn", "again", "turn")
    asked = [
        entry["timestamp"]
        for turn in read_session(path).turns
        for entry in turn.trace
        if entry["type"] == "user_input"
    ]
    began = [
        event.at for event in retell("tester", read_session(path)) if isinstance(event, events.TurnStarted)
    ]
    assert began == asked


def test_a_run_by_hand_is_told_again_without_a_time_that_nothing_recorded(tmp_path: Path) -> None:
    model = told(lived(tmp_path, "turn", "again"))
    turn, again = model.turns
    assert (turn.timed, again.timed) == (True, False)
    (call,) = model.entries()[-1:]
    assert call.turn is again
    assert call.ms == call.data["timing"]
    assert [text for text, _ in draw(again, 80, 0.0)][-1].strip() == ""
    assert [text for text, _ in draw(turn, 80, 0.0)][-1].strip() != ""
