"""A program in a pseudo terminal: what it paints and when."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

ROWS: Final = 40
COLUMNS: Final = 120
_SCREEN: Final = b"\x1b[?1049h"
"""What a program sends to take the whole screen."""

_ESCAPES: Final = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|.)"
)
_CELLS: Final = 1_000
"""Cells from which on a painting is a frame, and not just a line before it."""


class Terminal:
    """Starts a program and keeps all that it sends; times are ``perf_counter`` seconds since its start."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self._master = master
        self._sent = bytearray()
        self._begin = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env=dict(environment),
            start_new_session=True,
        )
        os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it, by force: how a program leaves is not measured."""
        os.killpg(self._process.pid, signal.SIGTERM)
        try:
            self._process.wait(1)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        os.close(self._master)

    def first_frame(self) -> float:
        """Milliseconds from the start to the first painted frame: most of a screen, with a word on it."""

        def painted() -> bool:
            _, found, after = self._sent.partition(_SCREEN)
            text = _ESCAPES.sub("", after.decode("utf-8", "ignore")) if found else ""
            return len(text) >= _CELLS and any(letter.isalpha() for letter in text)

        return self.wait(painted)

    def shown(self, text: str) -> float:
        """Milliseconds from the start until ``text`` was sent."""
        sought = text.encode()
        return self.wait(lambda: sought in self._sent)

    def key(self, text: str) -> float:
        """Type a text; milliseconds until it was painted."""
        self._sent.clear()
        begin = time.perf_counter()
        self.type(text)
        self.shown(text)
        return (time.perf_counter() - begin) * 1000

    def type(self, text: str) -> None:
        """Send keys."""
        os.write(self._master, text.encode())

    def wait(self, fact: Callable[[], bool], seconds: float = 60) -> float:
        """Take what it sends until the fact; milliseconds since the start. Raises TimeoutError."""
        end = time.perf_counter() + seconds
        while not fact():
            if not self._read(end - time.perf_counter()):
                tail = bytes(self._sent[-500:])
                raise TimeoutError(f"{self._process.args!r} did not come so far; it sent {tail!r}")
        return (time.perf_counter() - self._begin) * 1000

    def rest(self, seconds: float) -> None:
        """Let it go on for so long."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self._read(left)

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0.0, seconds))
        if not ready:
            return False
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:  # Linux tells so that nobody holds the other end any more
            return False
        self._sent += data
        return bool(data)
