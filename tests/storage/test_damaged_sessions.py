"""A session file that somebody damaged spoils neither the list, nor the search, nor its other turns."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest

from tests.storage.fake_agent import FakeAgent, new_log, path_of
from workbench.errors import ConfigError
from workbench.storage.export import FORMATS, export, export_to
from workbench.storage.session_file import read_session
from workbench.storage.session_format import DAMAGED
from workbench.storage.session_index import list_sessions, search_sessions
from workbench.tui.branches import compare
from workbench.tui.retelling import retell


def damaged(root: Path, pattern: bytes, by: bytes, count: int = 1) -> Path:
    """The path of a session of two turns in which something was replaced."""
    log = new_log(root)
    agent = FakeAgent(log)
    agent.turn("first prompt", "the first answer")
    agent.turn("second prompt", "the second answer")
    path = path_of(log)
    log.close()
    data, replaced = re.subn(pattern, lambda _: by, path.read_bytes(), count=count)
    assert replaced
    path.write_bytes(data)
    return path


DAMAGES: dict[str, tuple[bytes, bytes]] = {
    "messages that are no JSON": (rb"    messages: .*", rb'    messages: "[{]"'),
    "messages that are no list": (rb"    messages: .*", rb'    messages: "{}"'),
    "messages that are numbers": (rb"    messages: .*", rb'    messages: "[1, 2]"'),
    "calls that are a text": (rb'\\"tool_calls\\": \[\{', rb"\"tool_calls\": \"a\", \"b\": [{"),
    "a trace of numbers": (rb"    trace: .*", rb'    trace: "[1, null]"'),
    "a trace without end": (rb"    trace: .*", b'    trace: "' + b"[" * 100_000 + b'"'),
    "an escape that is none": (rb'input: "first prompt"', rb'input: "first\u12"'),
    "a number that is none": (rb"duration_ms: ", rb"duration_ms: 1.2."),
    "a number without end": (rb"tokens: ", b"tokens: " + b"9" * 400 + b"."),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_turn_says_so_and_the_others_are_there(damage: str, tmp_path: Path) -> None:
    path = damaged(tmp_path, *DAMAGES[damage])
    record = read_session(path)
    first, second = record.turns
    assert (first.status, second.status) == (DAMAGED, "success")
    assert "damaged" in str(first.error)
    assert [message["content"] for message in record.messages] == [
        "second prompt",
        None,
        "5",
        "the second answer",
    ]
    assert [head.turns for head in list_sessions(tmp_path)] == [2]
    assert [found.turn for found in search_sessions(tmp_path, "second answer")] == [2]
    for kind in FORMATS:
        export(record, kind, io.StringIO(), content=True)
    assert list(retell("tester", record))
    assert compare(record, record)


@pytest.mark.parametrize("head", [b"started: 2025-13-45T00:00:00Z", b"started: " + b"[" * 50_000])
def test_a_header_that_cannot_be_read_spoils_no_list(head: bytes, tmp_path: Path) -> None:
    path = damaged(tmp_path, rb"started: .*", head)
    (listed,) = list_sessions(tmp_path)
    assert listed.problem == "its header cannot be read"
    assert len(read_session(path).turns) == 2


@pytest.mark.parametrize(
    ("pattern", "by"),
    [
        (rb'\\"call_id\\"', rb"\"called\""),
        (rb'\\"tool_name\\"', rb"\"named\""),
        (rb'\\"timestamp\\": ', rb"\"iteration\": \"a\", \"timestamp\": \"z\", \"t\": "),
        (rb'\\"usage\\": \{', rb"\"usage\": \"none\", \"u\": {"),
        (rb'\\"arguments\\": \{', rb"\"arguments\": \"a\", \"b\": {"),
    ],
)
def test_entries_in_another_shape_are_told_as_far_as_they_go(
    pattern: bytes, by: bytes, tmp_path: Path
) -> None:
    record = read_session(damaged(tmp_path, pattern, by, count=0))
    told: list[Any] = list(retell("tester", record))
    assert len(told) > 4
    for kind in FORMATS:
        export(record, kind, io.StringIO(), content=True)


def test_a_history_that_a_turn_replaces_is_exported_once(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn("first prompt", "the first answer")
    agent.begin("second prompt")
    agent.end("the second answer", replaces=True)
    out = io.StringIO()
    export(read_session(path_of(log)), "markdown", out)
    log.close()
    assert out.getvalue().count("the first answer") == 1


def test_an_export_that_fails_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("workbench.storage.export.export", full)
    record = read_session(damaged(tmp_path, rb"success", b"success"))
    with pytest.raises(ConfigError, match="No space left"):
        export_to(record, "markdown", tmp_path / "out.md")
    assert not (tmp_path / "out.md").exists()


def test_a_call_that_was_lost_is_exported_with_what_the_model_reads_of_it(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.begin("first prompt")
    agent.call("c1", "add", None)
    agent.start_call("c1")
    out = io.StringIO()
    path = path_of(log)
    log.close()
    export(read_session(path), "markdown", out)
    assert "**add** (cancelled, 0 ms)" in out.getvalue()
    assert "It may have run and may have had effects" in out.getvalue()


def test_a_call_that_was_lost_has_an_entry_that_says_so(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.turn("first prompt", "the first answer")
    agent.begin("second prompt")
    agent.call("c2", "add", "5")
    agent.call("c3", "add", None)
    log.close()
    (_, turn), (note,) = (record := read_session(next(tmp_path.rglob("*.yaml")))).turns, record.notes
    entries = [entry for entry in turn.trace if entry["type"] == "tool_execution"]
    assert [(entry["call_id"], entry["status"]) for entry in entries] == [
        ("c2", "success"),
        ("c3", "cancelled"),
    ]
    assert entries[1]["result"] == turn.messages[-1]["content"]
    assert note.endswith("as far as its journal goes, 1 call")
