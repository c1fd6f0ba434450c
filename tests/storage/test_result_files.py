"""A result that is too long for the model is cut for it, and kept whole where it and the person are told."""

from __future__ import annotations

import errno
import io
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.strict_llm import StrictLLM, call, calls
from tests.storage.fake_agent import FakeAgent, new_log
from workbench import Agent, ToolMetadata, ToolRegistry
from workbench.engine.results import sendable, shorten
from workbench.storage import file_hold, private_file, result_files
from workbench.storage.journal import journal_path
from workbench.storage.result_files import MOST_FILES, ResultFiles, tidy_results


def asked(result: Any, limit: int, folder: Path, **options: Any) -> tuple[str, dict[str, Any]]:
    """What the model reads of a tool's result, and the entry of the call."""
    registry = ToolRegistry()
    registry.register(lambda: result, name="files.look", metadata=ToolMetadata(max_result=limit))
    llm = StrictLLM(calls(call("files-look")), "done")
    agent = Agent("a", registry, llm=llm, quiet=True, folder=folder, **options)
    agent.input("go")
    agent.close()
    assert agent.current_session is not None
    (entry,) = [each for each in agent.current_session["trace"] if each["type"] == "tool_execution"]
    return llm.requests[-1][-1]["content"], entry


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "result",
    [
        "begin" + "x" * 5_000_000 + "end",
        ["begin", "x" * 400, "end"],
        {"a": list(range(500))},
        "é\ud800" * 400,
    ],
)
def test_the_model_gets_head_and_tail_within_the_limit_and_the_path_of_the_whole(
    result: Any, here: Path
) -> None:
    read, entry = asked(result, 300, here)
    whole = result if isinstance(result, str) else json.dumps(result)
    kept = Path(entry["result_file"])
    assert len(read) == 300
    assert f" characters in all, the middle is left out; the whole is in {kept} …" in read
    assert read[0] == whole[0]
    assert read[-1] == sendable(whole)[-1]
    assert kept.read_bytes() == whole.encode("utf-8", "surrogatepass")
    assert kept.parent == Path(".workbench/results")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert entry["result"] == whole


def test_a_result_that_fits_is_left_alone(here: Path) -> None:
    read, entry = asked("x" * 300, 300, here)
    assert (read, "result_file" in entry) == ("x" * 300, False)
    assert not (here / ".workbench/results").exists()


def test_where_the_path_leaves_too_little_room_the_limit_wins_and_the_person_is_told(here: Path) -> None:
    read, entry = asked("x" * 500, 100, here)
    assert len(read) == 100
    assert "500 characters in all, the middle is left out …" in read
    assert Path(entry["result_file"]).read_text() == "x" * 500
    read, _ = asked("x" * 500, 7, here)
    assert read == "x" * 7


def test_without_logs_nothing_is_written(here: Path) -> None:
    read, entry = asked("x" * 500, 300, here, log=False)
    assert "the middle is left out …" in read
    assert "result_file" not in entry
    assert not (here / ".workbench").exists()


def test_a_full_disk_is_told_and_leaves_no_torn_file(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(private_file, "append", full)
    read, entry = asked("x" * 500, 300, here)
    assert "; the whole could not be kept (No space left on device) …" in read
    assert entry["result_file_error"] == "No space left on device"
    assert entry["status"] == "success"
    assert list((here / ".workbench/results").iterdir()) == []


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b\0c", ".", "\x1b[31m", "工具" * 60, "-rf", "CON"])
def test_no_tool_s_name_leads_out_of_the_folder(name: str, here: Path) -> None:
    files = ResultFiles(here, clock=lambda: 0.0)
    first, second = Path(files(name, "one")), Path(files(name, "two"))
    assert (first.read_text(), second.read_text()) == ("one", "two")
    for path in (first, second):
        assert path.parent == Path(".workbench/results")
        assert path.name.startswith("19700101T000000Z_")
        assert path.name.isprintable()
        assert len(path.name.encode()) < 200


def test_a_folder_that_is_a_link_is_not_followed(
    here: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (here / ".workbench").mkdir()
    (here / ".workbench/results").symlink_to(elsewhere)
    with pytest.raises(OSError, match="is a symbolic link"):
        ResultFiles(here)("look", "text")
    assert list(elsewhere.iterdir()) == []


def test_secrets_are_masked_as_in_the_logs(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "value-that-nobody-may-read")
    kept = Path(ResultFiles(here)("look", "it is value-that-nobody-may-read"))
    assert "nobody" not in kept.read_text()


@given(st.text(max_size=400), st.integers(1, 500), st.text(max_size=60))
def test_the_limit_is_never_exceeded_and_nothing_short_is_cut(text: str, limit: int, where: str) -> None:
    cut = shorten(text, limit, where)
    assert len(cut) <= limit
    assert (cut == text) == (len(text) <= limit)


def kept(folder: Path, number: int, *, size: int = 1, written: float = 1000.0) -> list[Path]:
    """So many results, each written a second after the one before."""
    place = private_file.private_folder(folder / ".workbench" / "results")
    paths = [place / f"20250101T{at:06}Z_look.txt" for at in range(number)]
    for at, path in enumerate(paths):
        path.write_text("x" * size)
        os.utime(path, (written + at, written + at))
    return paths


def test_of_too_many_results_the_newest_stay(here: Path) -> None:
    paths = kept(here, MOST_FILES + 3)
    other = paths[0].with_name("notes.md")
    other.write_text("mine")
    assert tidy_results(here) == 3
    assert [path.exists() for path in paths] == [False] * 3 + [True] * MOST_FILES
    assert other.exists()
    assert tidy_results(here) == 0


def test_of_too_large_results_the_newest_stay(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_files, "MOST_BYTES", 100)
    paths = kept(here, 5, size=40)
    assert tidy_results(here) == 3
    assert [path.exists() for path in paths] == [False, False, False, True, True]


def test_a_result_of_a_running_session_stays_and_so_does_a_young_one(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result_files, "MOST_FILES", 1)
    monkeypatch.setattr(result_files, "_CHUNK", 100)
    told, journaled, other, young, newest = kept(here, 5)
    os.utime(young, (1e9 - 10, 1e9 - 10))
    os.utime(newest, (1e9, 1e9))
    log = new_log(here)
    agent = FakeAgent(log)
    agent.begin("look")
    agent.call("c1", "look", "long", result_file=str(told))
    agent.end()
    agent.begin("look again")
    agent.call("c2", "look", "long", result_file=str(journaled))
    assert tidy_results(here, now=1e9) == 1
    assert [path.exists() for path in (told, journaled, other, young, newest)] == [
        True,
        True,
        False,
        True,
        True,
    ]
    agent.end()
    log.close()
    assert tidy_results(here, now=1e9) == 2


def test_a_folder_that_is_a_link_is_not_tidied(here: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    paths = kept(elsewhere, MOST_FILES + 1)
    (here / ".workbench").mkdir()
    (here / ".workbench" / "results").symlink_to(paths[0].parent)
    assert tidy_results(here) == 0
    assert paths[0].exists()


def test_a_script_tidies_with_its_first_result(here: Path) -> None:
    paths = kept(here, MOST_FILES)
    ResultFiles(here)("look", "one more")
    assert [path.exists() for path in paths[:2]] == [False, True]


def test_a_result_is_kept_although_older_ones_cannot_be_removed(
    here: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(path: Path, missing_ok: bool = False) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    kept(here, MOST_FILES)
    monkeypatch.setattr(Path, "unlink", refuse)
    assert Path(ResultFiles(here)("look", "one more")).read_text() == "one more"
    assert "older results could not be removed" in caplog.text


def test_what_stands_among_the_sessions_and_is_no_plain_file_is_not_opened(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(here, MOST_FILES + 1)
    sessions = here / ".workbench" / "sessions"
    sessions.mkdir()
    os.mkfifo(sessions / "pipe.yaml")
    (sessions / "link.yaml").symlink_to("pipe.yaml")
    (sessions / "one.yaml").write_text("")
    os.mkfifo(journal_path(sessions / "one.yaml"))
    asked: list[str] = []

    def is_held(path: Path) -> bool:
        asked.append(path.name)
        return True

    def opened(path: Path, mode: str) -> io.BytesIO:
        assert mode == "rb"
        asked.append(f"{path.name} read")
        return io.BytesIO()

    monkeypatch.setattr(file_hold, "is_held", is_held)
    monkeypatch.setattr(Path, "open", opened)
    assert tidy_results(here) == 1
    assert asked == ["one.yaml", "one.yaml read"]
