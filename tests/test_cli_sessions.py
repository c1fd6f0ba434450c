"""Sessions on the command line: listing, searching, going on, exporting."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml


def workbench(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "workbench.cli", *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def kept(own_folder: Path) -> Path:
    """A folder with one session of one turn."""
    assert workbench("run", "add(a=2, b=3)", "--quiet", folder=own_folder).returncode == 0
    return own_folder


def test_a_folder_without_sessions_says_so(own_folder: Path) -> None:
    run = workbench("sessions", folder=own_folder)
    assert run.returncode == 0
    assert "No session was kept here yet." in run.stdout


def test_sessions_are_listed_and_searched(kept: Path) -> None:
    listed = workbench("sessions", folder=kept)
    assert "1 turn  add(a=2, b=3)" in listed.stdout
    found = workbench("sessions", "--search", "A=2", folder=kept)
    assert "turn 1" in found.stdout
    assert found.returncode == 0
    nothing = workbench("sessions", "--search", "nowhere", folder=kept)
    assert (nothing.returncode, nothing.stdout) == (1, "")
    assert "nothing found for nowhere" in nothing.stderr


def test_a_turn_can_go_on_in_an_earlier_session(kept: Path) -> None:
    run = workbench("run", "add(a=4, b=5)", "--resume", "last", "--quiet", folder=kept)
    assert run.returncode == 0
    assert "9" in run.stdout
    (path,) = (kept / ".workbench" / "sessions").glob("*.yaml")
    turns = yaml.safe_load(path.read_text())["turns"]
    assert [turn["input"] for turn in turns] == ["add(a=2, b=3)", "add(a=4, b=5)"]


def test_a_session_that_is_not_there_is_an_error_that_names_what_is(kept: Path) -> None:
    run = workbench("run", "hello", "--resume", "nothing", folder=kept)
    assert run.returncode == 2
    assert "no session fits 'nothing'" in run.stderr
    assert "assistant_" in run.stderr


def test_a_session_is_exported_to_stdout_or_to_a_new_file(kept: Path) -> None:
    assert "> add(a=2, b=3)" in workbench("export", "last", folder=kept).stdout
    lines = workbench("export", "last", "--format", "jsonl", folder=kept).stdout.splitlines()
    assert json.loads(lines[0])["kind"] == "session"
    run = workbench("export", "last", "--format", "otel", "-o", "spans.jsonl", folder=kept)
    assert (run.returncode, run.stdout) == (0, "")
    assert "execute_tool arithmetic.add" in (kept / "spans.jsonl").read_text()
    again = workbench("export", "last", "-o", "spans.jsonl", folder=kept)
    assert again.returncode == 2
    assert "spans.jsonl is there already" in again.stderr


def test_sending_spans_needs_their_format_and_a_collector(kept: Path) -> None:
    run = workbench("export", "last", "--to", "http://127.0.0.1:1", folder=kept)
    assert run.returncode == 2
    assert "--to needs --format otel" in run.stderr
    run = workbench("export", "last", "--format", "otel", "--to", "localhost:4318", folder=kept)
    assert run.returncode == 2
    assert run.stderr == "workbench: localhost:4318 is no address\nSuch as http://localhost:4318.\n"
