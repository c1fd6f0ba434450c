"""The running turn on disk: JSON lines beside the session file, emptied once the turn is written there."""

from __future__ import annotations

import io
import os
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from workbench.engine.llm import Message
from workbench.engine.observer import TraceEntry
from workbench.storage import private_file
from workbench.storage.plain import json_line, read_json_line
from workbench.storage.private_file import append, open_private

_KEYS: Final = {
    "turn": {"input", "model", "started", "index"},
    "history": set(),
    "message": {"message"},
    "call": {"id"},
    "entry": {"entry"},
}
"""What the kinds of lines hold. ``history``: the messages that follow replace all before them. ``call``: a
call begins to run."""


def journal_path(session: Path) -> Path:
    """Where the journal of a session file lies."""
    return session.with_name(session.name + ".journal")


@dataclass(slots=True)
class JournalTurn:
    """A turn that was running when the journal was last written.

    ``index`` is the place, counted from 0, that the turn gets in the session file: if the file holds it
    already, the turn ended. ``messages`` are what the turn added, or the whole history if it ``replaces``
    what was before. ``begun`` are the ids of the calls that began to run; None if lines about them may be
    missing. ``torn`` counts the bytes behind the turn that could not be read.
    """

    input: str = ""
    model: str = ""
    started: float = 0.0
    index: int = 0
    messages: list[Message] = field(default_factory=list)
    trace: list[TraceEntry] = field(default_factory=list)
    begun: set[str] | None = None
    torn: int = 0
    replaces: bool = False


class Journal:
    """Each line is with the operating system when the call returns, so a killed process loses none.

    All values must be plain data already. Every method raises ``OSError`` when the disk refuses.
    """

    def __init__(self, session: Path) -> None:
        self._path = journal_path(session)
        self._descriptor = open_private(self._path)
        # also at the end of a script that closes nothing
        self._end = weakref.finalize(self, _close, self._descriptor, self._path, os.getpid())

    def bring_back(self, session: Path) -> Journal:
        """This journal, or all of it in a new file if its own was removed or the session has another one."""
        if not private_file.is_gone(self._descriptor) and self._path == journal_path(session):
            return self
        again = Journal(session)
        try:
            private_file.copy(self._descriptor, again._descriptor)
        except OSError:
            again.discard()
            raise
        self._end.detach()
        os.close(self._descriptor)
        self._descriptor = -1
        return again

    def discard(self) -> None:
        """Close and remove the file, whatever it holds."""
        self.clear()
        self.close()

    def start(self, prompt: str, model: str, started: float, index: int) -> None:
        """A turn begins; ``started`` in Unix seconds."""
        turn = {"type": "turn", "input": prompt, "model": model, "started": started, "index": index}
        append(self._descriptor, json_line({**turn, "boot": _boot()}))

    def add(
        self,
        entries: list[TraceEntry],
        messages: list[Message],
        *,
        begun: Sequence[str] = (),
        replaces: bool = False,
    ) -> None:
        """New messages and trace entries, and ids of calls that begin to run, in one write.

        ``replaces``: the messages are all that there are.
        """
        lines = [json_line({"type": "call", "id": call_id}) for call_id in begun]
        lines += [json_line({"type": "history"})] if replaces else []
        lines += [json_line({"type": "message", "message": message}) for message in messages]
        lines += [json_line({"type": "entry", "entry": entry}) for entry in entries]
        if lines:
            append(self._descriptor, b"".join(lines))

    def clear(self) -> None:
        """The turn is in the session file; forget it here."""
        os.ftruncate(self._descriptor, 0)

    def close(self) -> None:
        """Close the file, and remove it if it holds nothing."""
        self._end()
        self._descriptor = -1


def _close(descriptor: int, path: Path, process: int) -> None:
    empty = os.fstat(descriptor).st_size == 0
    os.close(descriptor)
    if empty and os.getpid() == process:  # a forked child leaves its parent's alone
        path.unlink(missing_ok=True)


def read_journal(session: Path) -> list[JournalTurn]:
    """The turns that the journal of ``session`` holds, mostly none or one; there are more if the session
    file could not be written. A torn tail is no error. Raises ``OSError``.
    """
    try:
        data = journal_path(session).read_bytes()
    except FileNotFoundError:
        return []
    turns: list[JournalTurn] = []
    read = 0
    for line in io.BytesIO(data):
        record = _record(line)
        if record is None:
            break
        read += len(line)
        if record["type"] == "turn":
            turns.append(JournalTurn(record["input"], record["model"], record["started"], record["index"]))
            # The system keeps the lines of a killed process, but not those of a machine that went down.
            turns[-1].begun = set() if record.get("boot") == _boot() else None
        elif turns and record["type"] == "message":
            turns[-1].messages.append(record["message"])
        elif turns and record["type"] == "history":
            turns[-1].messages, turns[-1].replaces = [], True
        elif turns and record["type"] == "call":
            if turns[-1].begun is not None:
                turns[-1].begun.add(record["id"])
        elif turns:
            turns[-1].trace.append(record["entry"])
    if turns:
        turns[-1].torn = len(data) - read
        if turns[-1].torn:
            turns[-1].begun = None
    return turns


@cache
def _boot() -> str:
    """What tells this run of the machine from others, where the system says it (Linux), else empty."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def _record(line: bytes) -> dict[str, Any] | None:
    if not line.endswith(b"\n"):
        return None
    try:
        record = read_json_line(line)
    except ValueError:
        return None
    if not isinstance(record, dict):
        return None
    wanted = _KEYS.get(str(record.get("type")))
    return record if wanted is not None and wanted <= record.keys() else None
