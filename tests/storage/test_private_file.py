"""Files of their owner only, and no way through a link to somewhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.storage.fake_agent import FakeAgent, new_log, path_of
from workbench.errors import StorageError
from workbench.storage.private_file import append, open_private, private_folder
from workbench.storage.session_file import read_session, recover
from workbench.storage.text_log import TextLog


def test_a_log_that_is_a_link_is_not_followed_and_ends_no_turn(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine\n")
    logs = tmp_path / ".workbench" / "logs"
    logs.mkdir(parents=True)
    (logs / "tester.log").symlink_to(victim)
    log = TextLog(tmp_path)
    agent = FakeAgent(log)
    agent.turn()
    agent.turn()
    assert victim.read_text() == "mine\n"
    assert [record.getMessage() for record in caplog.records] == [
        "the log of tester cannot be written: tester.log is a symbolic link"
    ]


def test_a_new_session_takes_no_name_whose_journal_is_there_already(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine\n")
    sessions = tmp_path / ".workbench" / "sessions"
    sessions.mkdir(parents=True)
    (sessions / "tester_2025-12-03T12-00-00.yaml.journal").symlink_to(victim)
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.begin("x")
    assert victim.read_text() == "mine\n"
    assert path_of(log).name == "tester_2025-12-03T12-00-00_2.yaml"
    assert read_session(path_of(log)).turns[0].input == "x"


def test_a_session_file_that_is_a_link_is_neither_continued_nor_mended(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    FakeAgent(log).turn()
    path = path_of(log)
    log.close()
    link = tmp_path / "link.yaml"
    link.symlink_to(path)
    with pytest.raises(StorageError, match=r"link\.yaml is a symbolic link"):
        new_log(tmp_path).continue_in(read_session(link))
    with pytest.raises(StorageError, match=r"link\.yaml is a symbolic link"):
        recover(link)


@pytest.mark.parametrize("linked", [".workbench", ".workbench/sessions"])
def test_a_folder_that_is_a_link_is_not_entered(
    tmp_path: Path, linked: str, caplog: pytest.LogCaptureFixture
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o755)
    project = tmp_path / "project"
    link = project / linked
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere)
    log = new_log(project)
    agent = FakeAgent(log)
    agent.turn("one")
    assert log.path is None
    assert f"{link.name} is a symbolic link" in caplog.text
    assert not list(elsewhere.iterdir())
    assert elsewhere.stat().st_mode & 0o777 == 0o755


def test_an_old_file_that_others_can_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.touch()
    path.chmod(0o644)
    os.close(open_private(path))
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    os.mkfifo(path)
    with pytest.raises(OSError, match="is no plain file"):
        open_private(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(OSError, match="is no plain file"):
        open_private(path)
    os.close(reader)


def test_what_was_said_and_done_is_kept_out_of_git_and_a_file_that_is_there_stays(tmp_path: Path) -> None:
    private_folder(tmp_path / ".workbench" / "sessions")
    ignored = tmp_path / ".workbench" / ".gitignore"
    assert "sessions/" in ignored.read_text()
    assert "config.yaml" not in ignored.read_text()
    ignored.write_text("mine\n")
    private_folder(tmp_path / ".workbench" / "logs")
    assert ignored.read_text() == "mine\n"


def test_an_interrupt_while_a_file_is_appended_to_leaves_it_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write

    def write_and_be_interrupted(descriptor: int, data: bytes) -> int:
        write(descriptor, data)
        raise KeyboardInterrupt

    path = tmp_path / "file"
    descriptor = open_private(path, os.O_CREAT)
    append(descriptor, b"before")
    monkeypatch.setattr(os, "write", write_and_be_interrupted)
    with pytest.raises(KeyboardInterrupt):
        append(descriptor, b"after")
    os.close(descriptor)
    assert path.read_bytes() == b"before"
