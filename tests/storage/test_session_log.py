"""The session file and its journal while a session runs."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.storage.fake_agent import FakeAgent, load, new_log, path_of
from workbench.storage import session_format, session_log
from workbench.storage.journal import journal_path
from workbench.storage.session_file import read_session
from workbench.storage.session_index import list_sessions

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates too
HARD_TEXT = "\ud83d\ude00 \ud800 \x7f \x85 \x9b \u2028 \0 \ufeff \ufffe 😀\n  - input: x"


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
@example(text=HARD_TEXT)
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
@example(text=HARD_TEXT)
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
    agent = FakeAgent(log)
    agent.turn(f"{text}\nend", text)
    turn = read_session(path_of(log)).turns[0]
    assert turn.input == turn.messages[0]["content"] == f"{text}\nend"
    assert turn.result == turn.messages[-1]["content"] == text


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
        ["turn", "message", "entry", "entry", "message", "call", "message", "entry"]
    )
    agent.end()
    assert journal_path(path_of(log)).read_bytes() == b""
    path = path_of(log)
    log.close()
    assert not journal_path(path).exists()


def test_a_disk_that_fills_up_within_a_turn_leaves_no_half_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn("one")
    agent.begin("two")
    before = path_of(log).read_bytes()
    real = os.write

    def write(descriptor: int, data: Any) -> int:
        if len(data) < 100:
            raise OSError(28, "No space left on device")
        return real(descriptor, bytes(data)[:99])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write)
        agent.end()
    assert path_of(log).read_bytes() == before
    agent.turn("three")
    assert [turn.input for turn in read_session(path_of(log)).turns] == ["one", "two", "three"]


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


def test_turns_that_no_room_was_left_for_are_told_of_when_the_file_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn("one")

    def refuse(descriptor: int, data: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(session_log, "_MOST_UNWRITTEN", 0)
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", refuse)
        agent.turn("two")
        agent.turn("three")
    path = path_of(log)
    log.close()
    record = read_session(path)
    assert [turn.input for turn in record.turns] == ["one"]
    assert "(No space left on device)" in record.notes[0]
    assert "2 were lost" in record.notes[0]
    (head,) = list_sessions(tmp_path)
    assert head.turns == 1


def test_a_turn_that_could_not_begin_its_journal_leaves_no_trace_in_that_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.begin("one")
    path = path_of(log)

    def refuse(descriptor: int, data: Any) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", refuse)
        agent.end()
        agent.begin("two")
    agent.call("c1", "add", "5")
    (turn,) = read_session(path).turns
    assert (turn.input, len(turn.trace)) == ("one", 1)


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


def test_a_turn_whose_report_was_interrupted_is_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.begin("first")
    interrupts = [KeyboardInterrupt()]

    def record_of(*arguments: Any) -> Any:
        if interrupts:
            raise interrupts.pop()
        return session_format.record_of(*arguments)

    monkeypatch.setattr(session_log, "record_of", record_of)
    with pytest.raises(KeyboardInterrupt):
        agent.end()
    agent.turn("second")
    path = path_of(log)
    log.close()
    assert [turn.input for turn in read_session(path).turns] == ["first", "second"]
