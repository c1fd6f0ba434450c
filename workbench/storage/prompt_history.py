"""What a person sent in a project, over sessions: one JSON record a line, appended, readable by its owner."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Final, NamedTuple

from workbench.storage.masking import Masker
from workbench.storage.private_file import append, open_private, private_folder
from workbench.whole_file import locked_folder, replace_file

MOST_BYTES: Final = 4_000_000
"""From this size on the older half of the file is dropped."""

MOST_MESSAGES: Final = 5_000
"""How many of the newest messages are given back."""


class SentMessage(NamedTuple):
    """A message as it was sent; ``at`` is in Unix seconds."""

    at: float
    text: str


class PromptHistory:
    """The messages in one file, which several apps may write at once. Every method raises ``OSError``.

    Secrets are masked, as in the logs. Nothing is read or written through a symbolic link.
    """

    def __init__(self, path: Path, *, mask: Masker | None = None) -> None:
        self._path = path
        self._mask = Masker() if mask is None else mask

    def load(self) -> list[SentMessage]:
        """The newest messages, oldest first. Records that cannot be read are passed over."""
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return []
        with os.fdopen(descriptor, "rb") as file:
            lines = file.read().splitlines()
        found = [message for line in lines[-MOST_MESSAGES:] if (message := _message(line)) is not None]
        return [
            message
            for index, message in enumerate(found)
            if index + 1 == len(found) or found[index + 1].text != message.text
        ]

    def add(self, text: str) -> None:
        """Append a message that was sent just now."""
        self._mask.refresh()
        record = json.dumps({"at": round(time.time(), 3), "text": self._mask(text)}).encode() + b"\n"
        folder = private_folder(self._path.parent)
        with locked_folder(folder):
            self._make_room(len(record))
            descriptor = open_private(self._path)
            try:
                append(descriptor, self._begin() + record)
            finally:
                os.close(descriptor)

    def _begin(self) -> bytes:
        """A newline where a crash has left half a record."""
        with self._path.open("rb") as file:
            if file.seek(0, os.SEEK_END) == 0:
                return b""
            file.seek(-1, os.SEEK_END)
            return b"" if file.read() == b"\n" else b"\n"

    def _make_room(self, needed: int) -> None:
        if self._path.is_symlink() or not self._path.is_file():
            return
        if self._path.stat().st_size + needed <= MOST_BYTES:
            return
        kept: list[bytes] = []
        room = MOST_BYTES // 2 - needed
        for line in reversed(self._path.read_bytes().splitlines(keepends=True)):
            room -= len(line)
            if room < 0:
                break
            kept.append(line)
        replace_file(self._path, b"".join(reversed(kept)).decode("ascii", "replace"))


def _message(line: bytes) -> SentMessage | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or not isinstance(record.get("text"), str):
        return None
    at = record.get("at")
    return SentMessage(at if isinstance(at, float) else 0.0, record["text"])
