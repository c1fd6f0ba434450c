"""The sessions of a project can be listed, named and searched."""

from __future__ import annotations

import fcntl
import io
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.storage.fake_agent import FakeAgent, new_log, path_of
from workbench.errors import StorageError
from workbench.storage import end_mark, file_hold, private_file, session_index, turn_stream
from workbench.storage.journal import journal_path
from workbench.storage.session_file import read_session, recover
from workbench.storage.session_index import (
    LAST,
    _excerpt,
    _place,
    find_session,
    list_sessions,
    search_sessions,
    sessions_folder,
)
from workbench.storage.session_log import SessionLog


def session(project: Path, name: str, *prompts: str, written: float = 0) -> Path:
    """A finished session with these turns."""
    log = new_log(project)
    agent = FakeAgent(log, name=name)
    for prompt in prompts:
        agent.turn(prompt, f"an answer to {prompt}")
    path = path_of(log)
    log.close()
    os.utime(path, (written, written))
    return path


def test_the_session_written_last_comes_first(tmp_path: Path) -> None:
    old = session(tmp_path, "old", "one", written=1000)
    new = session(tmp_path, "new", "two", "three", written=2000)
    heads = list_sessions(tmp_path)
    assert [head.path for head in heads] == [new, old]
    assert [(head.agent, head.turns, head.first) for head in heads] == [("new", 2, "two"), ("old", 1, "one")]
    assert not any(head.running or head.interrupted or head.problem for head in heads)


def test_a_project_without_sessions_has_an_empty_list(tmp_path: Path) -> None:
    assert list_sessions(tmp_path) == []
    with pytest.raises(StorageError, match="there are no sessions"):
        find_session(tmp_path, LAST)


def test_a_session_that_runs_and_one_that_was_interrupted_say_so(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log, name="busy")
    agent.begin("work")
    (running,) = list_sessions(tmp_path)
    assert (running.running, running.interrupted) == (True, False)
    left = journal_path(path_of(log)).read_bytes()
    path = path_of(log)
    agent.end()
    log.close()
    journal_path(path).write_bytes(left)
    (interrupted,) = list_sessions(tmp_path)
    assert (interrupted.running, interrupted.interrupted) == (False, True)


def test_a_file_that_is_no_session_stays_in_the_list_with_its_problem(tmp_path: Path) -> None:
    folder = sessions_folder(tmp_path)
    folder.mkdir(parents=True)
    (folder / "broken.yaml").write_bytes(b"{]")
    (head,) = list_sessions(tmp_path)
    assert (head.agent, head.turns) == ("broken", 0)
    assert head.problem


def test_a_link_in_the_folder_is_not_followed(tmp_path: Path) -> None:
    path = session(tmp_path, "one", "prompt")
    (path.parent / "link.yaml").symlink_to(path)
    assert [head.path for head in list_sessions(tmp_path)] == [path]


def test_a_session_is_named_by_last_by_a_part_of_its_name_and_by_its_path(tmp_path: Path) -> None:
    old = session(tmp_path, "old", "one", written=1000)
    new = session(tmp_path, "new", "two", written=2000)
    assert find_session(tmp_path, LAST) == new
    assert find_session(tmp_path, "old") == old
    assert find_session(tmp_path, str(old)) == old


def test_a_name_that_fits_none_or_several_says_what_there_is(tmp_path: Path) -> None:
    session(tmp_path, "search_one", "one")
    session(tmp_path, "search_two", "two")
    with pytest.raises(StorageError, match="2 sessions fit 'search'") as several:
        find_session(tmp_path, "search")
    assert "search_one" in several.value.hint
    with pytest.raises(StorageError, match="no session fits 'nothing'") as none:
        find_session(tmp_path, "nothing")
    assert "search_two" in none.value.hint


@pytest.mark.parametrize("text", ["LISBON", "lis", "an answer to weather"])
def test_a_text_is_found_in_prompts_and_answers_whatever_its_case(tmp_path: Path, text: str) -> None:
    session(tmp_path, "trip", "hello", "weather in Lisbon")
    (found,) = search_sessions(tmp_path, text)
    assert (found.head.agent, found.turn) == ("trip", 2)
    assert text.casefold() in found.excerpt.casefold()


def test_a_text_is_found_in_calls_and_results(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.begin("look")
    agent.call("c1", "read_file", "the treasure is buried")
    agent.end()
    log.close()
    assert [found.turn for found in search_sessions(tmp_path, "treasure")] == [1]
    assert [found.turn for found in search_sessions(tmp_path, "read_file")] == [1]
    assert list(search_sessions(tmp_path, "gold")) == []
    assert list(search_sessions(tmp_path, "")) == []


def test_the_excerpt_of_a_long_text_shows_what_is_around(tmp_path: Path) -> None:
    session(tmp_path, "long", "x" * 1000 + " needle " + "y" * 1000)
    found = next(iter(search_sessions(tmp_path, "needle")))
    assert len(found.excerpt) < 200
    assert found.excerpt.startswith("…")
    assert found.excerpt.endswith("…")


def test_a_fork_begins_with_the_turns_it_was_made_of_and_leaves_the_other_alone(tmp_path: Path) -> None:
    path = session(tmp_path, "origin", "one", "two", "three", written=1000)
    before = path.read_bytes()
    log = SessionLog(tmp_path)
    fork = log.fork(read_session(path).until(2))
    record = read_session(fork)
    assert [turn.input for turn in record.turns] == ["one", "two"]
    assert record.origin is not None
    assert (record.origin.session, record.origin.turns) == (path.name, 2)
    assert record.messages == read_session(path).until(2).messages
    assert path.read_bytes() == before
    log.close()
    head = next(head for head in list_sessions(tmp_path) if head.path == fork)
    assert head.origin == record.origin


def test_the_next_turn_of_a_fork_is_appended_with_its_own_messages_alone(tmp_path: Path) -> None:
    path = session(tmp_path, "origin", "one", "two")
    log = SessionLog(tmp_path)
    kept = read_session(path).until(1)
    fork = log.fork(kept)
    agent = FakeAgent(log, name="origin")
    agent.session["messages"].extend(kept.messages)
    agent.turn("other")
    log.close()
    record = read_session(fork)
    assert [turn.input for turn in record.turns] == ["one", "other"]
    assert not record.turns[1].replaces
    assert record.turns[1].messages[0] == {"role": "user", "content": "other"}


def test_a_fork_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    record = read_session(session(tmp_path, "origin", "one"))
    elsewhere = tmp_path / "file"
    elsewhere.write_text("in the way")
    with pytest.raises(StorageError, match="cannot write the fork"):
        SessionLog(elsewhere).fork(record)


def test_a_session_goes_on_in_its_own_file_when_a_fork_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = read_session(session(tmp_path, "origin", "one"))
    log = new_log(tmp_path)
    agent = FakeAgent(log, name="present")
    agent.turn("first")
    path, append = path_of(log), private_file.append

    def full(descriptor: int, data: bytes) -> None:
        if b"  - input" in data:
            raise OSError(28, "No space left on device")
        append(descriptor, data)

    files = set(sessions_folder(tmp_path).iterdir())
    with monkeypatch.context() as patch:
        patch.setattr(private_file, "append", full)
        with pytest.raises(StorageError, match="No space left"):
            log.fork(record)
    assert set(sessions_folder(tmp_path).iterdir()) == files
    agent.turn("second")
    assert path_of(log) == path
    assert [turn.input for turn in read_session(path).turns] == ["first", "second"]


def test_a_session_goes_on_in_its_own_file_when_another_one_is_in_use(tmp_path: Path) -> None:
    other = new_log(tmp_path)
    FakeAgent(other, name="other").turn("theirs")
    log = new_log(tmp_path)
    agent = FakeAgent(log, name="present")
    agent.turn("first")
    path = path_of(log)
    with pytest.raises(StorageError, match="still running"):
        log.continue_in(read_session(path_of(other)))
    agent.turn("second")
    assert [turn.input for turn in read_session(path).turns] == ["first", "second"]


@contextmanager
def bytes_read(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How much is read of files meanwhile, read by read."""
    read: list[int] = []

    class Counted(io.BufferedReader):
        def read(self, size: int | None = -1, /) -> bytes:
            read.append(len(data := super().read(size)))
            return data

    def opened(path: Path, mode: str = "r") -> Counted:
        assert mode == "rb"
        return Counted(io.FileIO(path))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", opened)
        patch.setattr(Path, "read_bytes", lambda path: opened(path, "rb").read())
        yield read


def test_the_list_reads_only_begin_and_end_of_a_long_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(tmp_path, "long", "é" * 500_000 + "first", *("x" * 500_000 for _ in range(3)))
    with bytes_read(monkeypatch) as read:
        (head,) = list_sessions(tmp_path)
    assert (head.turns, head.first) == (4, "é" * 200)
    assert 0 < sum(read) < 20_000


def test_to_name_a_session_no_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = session(tmp_path, "one", "prompt")
    with bytes_read(monkeypatch) as read:
        assert find_session(tmp_path, LAST) == find_session(tmp_path, "one") == path
    assert read == []


def test_a_file_that_was_changed_by_hand_is_counted_and_only_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = session(tmp_path, "one", "first", "second", "third")
    data = path.read_bytes()
    item = data.index(b'  - input: "second')
    path.write_bytes(data[:item] + data[data.index(b'  - input: "third') :])
    counted: list[object] = []

    def count(file: IO[bytes]) -> int:
        counted.append(file)
        return turn_stream.count_turns(file)

    monkeypatch.setattr(session_index, "count_turns", count)
    assert [head.turns for head in (*list_sessions(tmp_path), *list_sessions(tmp_path))] == [2, 2]
    assert len(counted) == 1
    assert len(end_mark.PREFIX) < end_mark.LONGEST


@pytest.mark.parametrize("lost", [1, 60, 120])
def test_a_turn_whose_end_is_lost_is_not_counted(tmp_path: Path, lost: int) -> None:
    path = session(tmp_path, "one", "first", "second")
    data = path.read_bytes()
    end = data.index(end_mark.PREFIX, data.index(b'  - input: "second'))
    path.write_bytes(data[: end - lost])
    (head,) = list_sessions(tmp_path)
    assert head.turns == len(read_session(path).turns) == (2 if lost == 1 else 1)


def test_what_a_person_ran_leaves_the_end_of_the_file_as_told(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn("first")
    log.hand_finished(agent, [{"type": "tool_execution", "result": "x" * 100_000}])  # type: ignore[arg-type]  # duck-typed
    data = path_of(log).read_bytes()
    assert end_mark.marked_turns(data[-end_mark.LONGEST :], len(data)) == 1
    log.close()


def test_a_look_at_the_list_never_takes_a_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session(tmp_path, "ended", "prompt")
    log = new_log(tmp_path)
    FakeAgent(log, name="busy").begin("work")

    def taken(*_: object) -> None:
        raise AssertionError("a lock was taken")

    monkeypatch.setattr(fcntl, "flock", taken)
    assert {head.agent: head.running for head in list_sessions(tmp_path)} == {"busy": True, "ended": False}
    log.close()


def test_where_the_system_tells_of_no_lock_a_look_makes_a_writer_wait_and_not_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = session(tmp_path, "one", "prompt")
    monkeypatch.setattr(file_hold, "_can_be_asked", lambda: False)
    looks = os.open(path, os.O_RDONLY)
    fcntl.flock(looks, fcntl.LOCK_SH)
    monkeypatch.setattr(time, "sleep", lambda _: os.close(looks))
    with file_hold.sole_writer(path) as writer:
        assert writer is not None
        assert file_hold.is_held(path)
    assert not file_hold.is_held(path)


def test_a_session_of_another_process_is_told_with_that_process(tmp_path: Path) -> None:
    path = session(tmp_path, "one", "prompt")
    code = (
        "import sys; from pathlib import Path; from workbench.storage.file_hold import sole_writer\n"
        "with sole_writer(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        assert [head.running for head in list_sessions(tmp_path)] == [True]
        with pytest.raises(StorageError, match=rf"still running, in process {other.pid} \(") as held:
            recover(path)
        assert "/sessions" in held.value.hint
        assert other.stdin is not None
        other.stdin.close()
    assert not list_sessions(tmp_path)[0].running


def test_a_search_reads_turn_by_turn_and_ends_when_it_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(tmp_path, "long", *(f"needle {number} " + "x" * 300_000 for number in range(5)))
    enough: list[bool] = []
    found = search_sessions(tmp_path, "needle", stopped=lambda: bool(enough))
    with bytes_read(monkeypatch) as read:
        assert next(found).turn == 1
    assert sum(read) < 4_000_000
    enough.append(True)
    assert list(found) == []


def test_the_turns_come_one_by_one_as_all_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    for number in range(4):
        agent.turn(f"turn {number}")
    agent.begin("the last")
    monkeypatch.setattr(turn_stream, "_CHUNK", 7)
    record = read_session(path_of(log))
    assert list(turn_stream.each_turn(path_of(log))) == list(record.numbered())
    assert [turn.input for turn in record.turns][-1] == "the last"
    log.close()


@given(
    st.text(st.sampled_from("aßİſﬁẞK\u0130 \nx"), max_size=30),
    st.text(st.sampled_from("aßİſﬁẞK\u0130"), min_size=1, max_size=3),
    st.text(max_size=90),
)
def test_a_place_is_where_the_text_is_whatever_becomes_of_its_letters(
    before: str, wanted: str, after: str
) -> None:
    text = before + wanted + after
    place = _place(text, wanted.casefold())
    assert place is not None
    at, length = place
    assert wanted.casefold() in text[at : at + length].casefold()
    assert at <= len(before)
    excerpt, begin, count = _excerpt(text, at, length)
    assert excerpt[begin : begin + count] == text[at : at + length]


def test_what_is_found_behind_letters_that_fold_to_two_is_what_was_looked_for(tmp_path: Path) -> None:
    session(tmp_path, "one", "Straße " * 40 + "NEEDLE" + " İ" * 40)
    (found,) = search_sessions(tmp_path, "needle")
    assert found.excerpt[found.at : found.at + found.length] == "NEEDLE"
    (street,) = search_sessions(tmp_path, "strasse")
    assert street.excerpt[street.at : street.at + street.length] == "Straße"
