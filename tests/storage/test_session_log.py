"""The session file and its journal while a session runs, and after it ended badly."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.storage.fake_agent import FakeAgent
from workbench.errors import StorageError
from workbench.storage.journal import journal_path
from workbench.storage.masking import Masker
from workbench.storage.session_file import read_session, recover
from workbench.storage.session_log import SessionLog

NOON = 1764763200.0  # 2025-12-03T12:00:00Z
ANY_TEXT = st.text(st.characters())


def new_log(root: Path, **environ: str) -> SessionLog:
    return SessionLog(root, mask=Masker(environ), clock=lambda: NOON)


def path_of(log: SessionLog) -> Path:
    assert log.path is not None
    return log.path


def load(log: SessionLog) -> dict[str, Any]:
    loaded = yaml.safe_load(path_of(log).read_bytes())
    assert isinstance(loaded, dict)
    return loaded


def test_the_file_has_the_structure_and_the_order_of_keys(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log, name="my_agent")
    agent.turn("Find tutorials", "Here they are")
    assert path_of(log) == tmp_path / ".workbench/sessions/my_agent_2025-12-03T12-00-00.yaml"
    loaded = load(log)
    assert list(loaded) == ["agent", "model", "started", "turns"]
    assert loaded["agent"] == "my_agent"
    assert loaded["started"].isoformat() == "2025-12-03T12:00:00+00:00"
    (turn,) = loaded["turns"]
    assert list(turn)[:8] == (
        ["input", "model", "duration_ms", "tokens", "cost", "tools_called", "result", "messages"]
    )
    assert list(turn)[8:] == ["status", "waited_ms", "error", "trace"]
    assert turn["duration_ms"] == 2500.123
    assert (turn["tokens"], turn["cost"], turn["tools_called"]) == (15, 0.00001, ["add"])
    assert [m["role"] for m in json.loads(turn["messages"])] == ["user", "assistant", "tool", "assistant"]
    usage = json.loads(turn["trace"])[1]["usage"]
    assert usage == {"input_tokens": 10, "output_tokens": 5, "cached_tokens": 0, "cost": 0.00001}


def test_the_file_is_valid_before_its_first_turn_ended_and_after_each_turn(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.begin("first")
    assert load(log)["turns"] is None
    agent.end()
    assert len(load(log)["turns"]) == 1
    agent.turn()
    assert len(load(log)["turns"]) == 2


def test_a_turn_holds_only_its_own_messages(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn("one")
    agent.turn("two")
    record = read_session(path_of(log))
    assert record.turns[1].messages[0] == {"role": "user", "content": "two"}
    assert record.messages == agent.session["messages"]


def test_appending_writes_no_more_bytes_in_a_long_session(tmp_path: Path, monkeypatch: Any) -> None:
    written: list[int] = []
    real = os.write

    def counting(descriptor: int, data: bytes) -> int:
        written.append(len(data))
        return real(descriptor, data)

    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn()
    monkeypatch.setattr(os, "write", counting)
    agent.turn()
    early = list(written)
    for _ in range(50):
        agent.turn()
    assert sum(written[-len(early) :]) - sum(early) < 10  # the turn's number has a digit more


def test_files_are_private(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    FakeAgent(log).begin("x")
    path = path_of(log)
    assert path.stat().st_mode & 0o777 == 0o600
    assert journal_path(path).stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_sessions_of_the_same_second_never_share_a_file(tmp_path: Path) -> None:
    logs = [new_log(tmp_path) for _ in range(8)]
    barrier = Barrier(len(logs))

    def run(number: int) -> None:
        barrier.wait()
        FakeAgent(logs[number]).turn("the same prompt", str(number))

    threads = [Thread(target=run, args=(number,)) for number in range(len(logs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({log.path for log in logs}) == 8
    assert [read_session(path_of(log)).turns[0].result for log in logs] == [str(n) for n in range(8)]


def test_an_agent_name_never_leaves_the_folder(tmp_path: Path) -> None:
    for name in ("../../etc/passwd", "a/b", " ", "..", "x" * 500, "\ud800", "naïve 助手", "a\0b"):
        log = new_log(tmp_path)
        FakeAgent(log, name=name).turn()
        assert path_of(log).parent == tmp_path / ".workbench/sessions"
        assert read_session(path_of(log)).agent == name


def test_a_reset_begins_a_new_file(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn()
    first = path_of(log)
    log.session_reset(agent)  # type: ignore[arg-type]  # duck-typed on purpose
    agent.current_session = {"messages": [], "trace": [], "turn": 0}
    agent.turn("again")
    assert path_of(log) != first
    assert [turn.input for turn in read_session(path_of(log)).turns] == ["again"]


@given(text=ANY_TEXT)
def test_any_text_survives_in_the_file(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    log = new_log(tmp_path_factory.mktemp("any"))
    agent = FakeAgent(log)
    agent.begin(text)
    agent.call("c1", "echo", text, arguments={text: [text]})
    agent.end(text)
    (raw,) = load(log)["turns"]
    assert raw["input"] == raw["result"] == text
    (turn,) = read_session(path_of(log)).turns
    assert turn.input == turn.result == turn.messages[0]["content"] == text
    assert turn.trace[2]["arguments"] == {text: [text]}
    log.close()


@given(text=ANY_TEXT)
def test_any_text_survives_in_the_journal(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    log = new_log(tmp_path_factory.mktemp("any"))
    agent = FakeAgent(log)
    agent.begin(text)
    agent.call("c1", "echo", text)
    (turn,) = read_session(path_of(log)).turns
    assert turn.input == turn.trace[2]["result"] == turn.messages[2]["content"] == text
    log.close()


@pytest.mark.parametrize(
    "text",
    ["\ud800", "\ud83d\ude00", "😀", "\x85\x9b\x7f", "\u2028", "\0", "  indented", "- input: x", "x" * 10**7],
    ids=["surrogate", "surrogates apart", "astral", "C1", "line separator", "NUL", "indent", "item", "10 MB"],
)
def test_difficult_texts_survive(tmp_path: Path, text: str) -> None:
    log = new_log(tmp_path)
    FakeAgent(log).turn(f"{text}\n{text}", text)
    turn = read_session(path_of(log)).turns[0]
    assert turn.input == f"{text}\n{text}"
    assert turn.result == text


def test_values_that_json_does_not_know_are_written_as_something_readable(tmp_path: Path) -> None:
    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.begin("x")
    strange = {"path": Path("/x"), "set": {1}, 5: Broken(), "deep": deep, "big": 10**5000, "bytes": b"\xff"}
    agent.trace({"type": "tool_execution", "tool_name": "t", "call_id": "1", "result": strange})
    agent.end(status="error", error=ValueError("bad"))
    turn = read_session(path_of(log)).turns[0]
    assert turn.error == "ValueError: bad"
    result = turn.trace[1]["result"]
    assert result["set"] == [1]
    assert "Broken" in result["5"]
    assert int(result["big"], 16) == 10**5000


def test_what_happens_in_a_turn_is_in_the_journal_at_once(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.begin("work")
    agent.call("c1", "add", "5")
    lines = journal_path(path_of(log)).read_text().splitlines()
    assert [json.loads(line)["type"] for line in lines] == (
        ["turn", "message", "entry", "entry", "message", "message", "entry"]
    )
    agent.end()
    assert journal_path(path_of(log)).read_bytes() == b""
    path = path_of(log)
    log.close()
    assert not journal_path(path).exists()


def test_an_interrupted_turn_is_read_with_every_call_answered(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn()
    agent.begin("dangerous")
    agent.call("c1", "add", "5")
    agent.call("c2", "delete", None)
    record = read_session(path_of(log))
    turn = record.turns[-1]
    assert (turn.status, turn.input, turn.tokens) == ("interrupted", "dangerous", 30)
    assert "turn 2 was interrupted" in record.notes[0]
    assert [m["role"] for m in turn.messages] == ["user", "assistant", "tool", "assistant", "tool"]
    assert turn.messages[2]["content"] == "5"
    assert "may have had effects" in turn.messages[4]["content"]


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
        ends.append(path_of(log).stat().st_size)
    path = path_of(log)
    log.close()
    whole = path.read_bytes()
    cut = tmp_path / "cut.yaml"
    for length in range(len(whole)):
        cut.write_bytes(whole[:length])
        record = read_session(cut)
        complete = sum(end - 1 <= length for end in ends)  # only the last newline may miss
        assert len(record.turns) == complete
        if length not in {*ends, *(end - 1 for end in ends)} and length > ends[0]:
            assert any("torn" in note for note in record.notes)


def test_recovery_cuts_a_torn_tail_and_keeps_it_beside(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn()
    agent.turn()
    path = path_of(log)
    log.close()
    os.truncate(path, path.stat().st_size - 20)
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


def test_a_full_disk_ends_no_turn_and_what_waited_is_written_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn("one")
    full = True
    real = os.write

    def write(descriptor: int, data: Any) -> int:
        if not full:
            return real(descriptor, data)
        if len(data) < 10:
            raise OSError(28, "No space left on device")
        return real(descriptor, bytes(data)[:9])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write)
        agent.turn("two")
        agent.turn("three")
        assert log.problem == "No space left on device"
        assert len(load(log)["turns"]) == 1
        full = False
        agent.turn("four")
    warnings = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warnings) == 1
    record = read_session(path_of(log))
    assert [turn.input for turn in record.turns] == ["one", "two", "three", "four"]
    assert "No space left on device" in record.notes[0]
    assert len(load(log)["turns"]) == 4


def test_a_folder_that_refuses_ends_no_turn(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / ".workbench").write_text("a file in the way")
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn("one")
    agent.turn("two")
    assert log.path is None
    assert len(caplog.records) == 1
    (tmp_path / ".workbench").unlink()
    agent.turn("three")
    assert [turn.input for turn in read_session(path_of(log)).turns] == ["one", "two", "three"]


def test_secrets_are_in_neither_file(tmp_path: Path) -> None:
    secret = 'p"ss\\wörd-1234'
    log = new_log(tmp_path, MY_API_KEY=secret)
    agent = FakeAgent(log)
    agent.begin(f"use {secret}")
    agent.call("c1", "echo", json.dumps({"k": secret}), arguments={"key": secret})
    files = [path_of(log), journal_path(path_of(log))]
    early = b"".join(file.read_bytes() for file in files)
    agent.end(f"used {secret}")
    turn = read_session(path_of(log)).turns[0]
    assert turn.input == "use [masked MY_API_KEY]"
    assert turn.trace[2]["arguments"] == {"key": "[masked MY_API_KEY]"}
    for data in (early, path_of(log).read_bytes()):
        assert b"1234" not in data


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
