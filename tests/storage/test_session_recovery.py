"""Session files after a bad end: what is whole is there, and what is not is said."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.storage.fake_agent import FakeAgent, load, new_log, path_of
from workbench.engine.llm import TokenUsage
from workbench.errors import StorageError
from workbench.storage import file_hold
from workbench.storage.end_mark import PREFIX
from workbench.storage.journal import journal_path
from workbench.storage.session_file import read_session, recover
from workbench.storage.turn_stream import each_turn


def test_an_interrupted_turn_is_read_with_every_call_answered(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn()
    agent.begin("dangerous")
    agent.call("c1", "add", "5")
    agent.call("c2", "delete", None)
    agent.start_call("c2")
    path = path_of(log)
    running = read_session(path)
    assert running.turns[-1].status == "running"
    assert "turn 2 is still running" in running.notes[0]
    log.close()
    record = read_session(path)
    turn = record.turns[-1]
    assert (turn.status, turn.input, turn.tokens) == ("interrupted", "dangerous", 30)
    assert "turn 2 was interrupted" in record.notes[0]
    assert [m["role"] for m in turn.messages] == ["user", "assistant", "tool", "assistant", "tool"]
    assert turn.messages[2]["content"] == "5"
    assert "may have had effects" in turn.messages[4]["content"]


def test_an_interrupted_turn_costs_what_is_known_or_is_not_known(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.begin("x")
    agent.call("c1", "add", "5")
    assert read_session(path_of(log)).turns[0].cost == 0.00001
    agent.trace({"type": "llm_call", "model": "new", "timestamp": 1003.0, "usage": TokenUsage(10, 5)})
    (turn,) = read_session(path_of(log)).turns
    assert (turn.tokens, turn.cost) == (30, None)


def test_recovery_writes_the_interrupted_turn_once_and_the_session_can_go_on(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn("one")
    agent.begin("two")
    path = path_of(log)
    with pytest.raises(StorageError, match="still running"):
        recover(path)
    log.close()
    record = recover(path)
    assert [turn.status for turn in record.turns] == ["success", "interrupted"]
    assert not journal_path(path).exists()
    again = recover(path)
    assert (len(again.turns), again.notes) == (2, ())

    other = new_log(tmp_path)
    other.continue_in(again)
    later = FakeAgent(other)
    later.session["messages"] = list(again.messages)
    later.turn("three")
    assert [turn.input for turn in read_session(path).turns] == ["one", "two", "three"]
    assert yaml.safe_load(path.read_bytes())["turns"][1]["status"] == "interrupted"


def test_a_turn_whose_journal_was_not_emptied_is_not_read_twice(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.begin("once")
    journal = journal_path(path_of(log)).read_bytes()
    agent.end()
    journal_path(path_of(log)).write_bytes(journal)
    assert len(read_session(path_of(log)).turns) == 1


def test_each_way_of_cutting_the_file_leaves_the_whole_turns(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    ends = []
    for number in range(3):
        agent.turn(f"turn {number}")
        ends.append(path_of(log).read_bytes().rindex(PREFIX))
    path = path_of(log)
    log.close()
    whole = path.read_bytes()
    cut = tmp_path / "cut.yaml"
    marks = [range(end - 1, whole.index(b"\n", end) + 2) for end in ends]
    near = {end + step for end in ends for step in range(-3, 45)}
    for length in sorted(near.union(range(0, len(whole), 7)) & set(range(len(whole)))):
        cut.write_bytes(whole[:length])
        record = read_session(cut)
        complete = sum(end - 1 <= length for end in ends)  # only the last newline may miss
        assert len(record.turns) == complete
        told = any("torn" in note for note in record.notes)
        if any(length in mark for mark in marks):
            assert not told  # nothing is lost with the rest of it
        elif length > ends[0]:
            assert told
        assert [turn for _, turn in each_turn(cut)] == list(record.turns)


def test_recovery_cuts_a_torn_tail_and_keeps_it_beside(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn()
    agent.turn()
    path = path_of(log)
    log.close()
    os.truncate(path, path.read_bytes().rindex(PREFIX) - 20)
    record = recover(path)
    assert len(record.turns) == 1
    assert "torn" in record.notes[0]
    assert len(yaml.safe_load(path.read_bytes())["turns"]) == 1
    assert path.with_name(path.name + ".torn").read_bytes().startswith(b"  - input:")


def test_a_torn_journal_gives_its_whole_lines(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.begin("work")
    agent.call("c1", "add", "5")
    journal = journal_path(path_of(log))
    os.truncate(journal, journal.stat().st_size - 10)
    record = read_session(path_of(log))
    assert "bytes of its journal were dropped" in record.notes[0]
    assert len(record.turns[0].trace) == 2


def test_a_killed_process_loses_nothing_that_happened(tmp_path: Path) -> None:
    script = (
        "import sys, time\n"
        "from tests.storage.fake_agent import FakeAgent\n"
        "from workbench.storage.session_log import SessionLog\n"
        "log = SessionLog(sys.argv[1]); agent = FakeAgent(log)\n"
        "agent.turn('first'); agent.begin('second'); agent.call('c1', 'add', '5')\n"
        "print(log.path, flush=True); time.sleep(600)\n"
    )
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=root
    ) as process:
        assert process.stdout is not None
        path = Path(process.stdout.readline().strip())
        process.send_signal(signal.SIGKILL)
    record = recover(path)
    assert [turn.status for turn in record.turns] == ["success", "interrupted"]
    assert record.turns[1].trace[2]["result"] == "5"


def test_a_damaged_turn_in_the_middle_is_left_out_and_said(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    for number in range(3):
        agent.turn(f"turn {number}")
    path = path_of(log)
    path.write_bytes(path.read_bytes().replace(b'- input: "turn 1"', b'- input: "turn 1'))
    record = read_session(path)
    assert [turn.input for turn in record.turns] == ["turn 0", "turn 2"]
    assert "damaged turn" in record.notes[0]


def test_a_file_that_somebody_formatted_again_still_loads(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    FakeAgent(log).turn("hello", "world")
    loaded = load(log)
    other = tmp_path / "other.yaml"
    other.write_text(yaml.safe_dump(loaded, sort_keys=False))
    assert read_session(other).turns[0] == read_session(path_of(log)).turns[0]


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot read"):
        read_session(tmp_path / "none.yaml")


def test_a_result_that_only_the_trace_holds_answers_its_call(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.begin("work")
    agent.call("c1", "add", None)
    agent.trace(
        {"type": "tool_execution", "tool_name": "add", "call_id": "c1", "result": "5", "status": "success"}
    )
    (turn,) = read_session(path_of(log)).turns
    assert turn.messages[-1] == {"role": "tool", "tool_call_id": "c1", "content": "5"}


@pytest.mark.parametrize("removed", ["all", "session", "journal"])
def test_a_session_whose_files_are_removed_while_it_runs_is_whole_on_disk_again(
    removed: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn("one")
    agent.begin("two")
    path = path_of(log)
    if removed == "all":
        shutil.rmtree(tmp_path / ".workbench")
    else:
        (path if removed == "session" else journal_path(path)).unlink()
    agent.call("c1", "add", "5")
    running = read_session(path_of(log))
    assert [(turn.input, turn.status) for turn in running.turns] == [("one", "success"), ("two", "running")]
    assert running.turns[1].messages[-1]["content"] == "5"
    agent.end()
    assert path_of(log) == path
    assert [turn.input for turn in read_session(path).turns] == ["one", "two"]
    assert file_hold.is_held(path)
    assert ("was removed while it ran" in caplog.text) is (removed != "journal")
    log.close()
    assert not journal_path(path).exists()


def test_a_file_that_took_the_place_of_a_running_session_s_is_left_alone(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn("one")
    path = path_of(log)
    path.unlink()
    path.write_text("something else")
    agent.turn("two")
    assert path.read_text() == "something else"
    assert path_of(log) != path
    assert [turn.input for turn in read_session(path_of(log)).turns] == ["one", "two"]
    log.close()
