"""Everything that a process and its children write while calls run, passed on and kept with its call."""

from __future__ import annotations

import fcntl
import os
import select
import sys
import threading
from codecs import getincrementaldecoder
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

from workbench.console.captured import DECODING, Captured
from workbench.console.stream_capture import StreamCapture

_FREE_FDS: Final = 10
_PIECE: Final = 1 << 16
_PIPE_SIZE: Final = 1 << 20


class ProcessOutput:
    """An ``OutputCapture`` that owns file descriptors 1 and 2 while it is entered.

    ::

        with ProcessOutput() as agent.output:
            agent.input("…")

    What Python code, C code and child processes write goes where it went before, and is kept with the call
    that wrote it. Where several calls run at the same time, only Python's own text can be told apart.
    ``stdout_to=2`` sends everything to stderr, so that nothing but the caller writes to stdout.

    Enter it on the thread that runs the agent, once at a time in a process.
    """

    def __init__(self, *, stdout_to: int = 1) -> None:
        self._stdout_to = stdout_to
        self._channels: list[_Channel] = []
        self._saved: dict[int, int] = {}
        self._wake: tuple[int, int] = (-1, -1)
        self._reader: threading.Thread | None = None
        self._capture = StreamCapture(
            drain=self._drain,
            stray=_nowhere,
            echo=self._echo,
            terminals=frozenset(fd for fd in (1, 2) if os.isatty(fd)),
        )

    def bracket(self, call_id: str) -> Captured:
        """While it is open, what this context writes belongs to ``call_id``."""
        return self._capture.bracket(call_id)

    def __enter__(self) -> Self:
        _flush_python()
        self._saved = {fd: fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _FREE_FDS) for fd in (1, 2)}
        groups = ((1, 2),) if self._stdout_to == 2 else ((1,), (2,))
        self._channels = [_Channel(fds, self._saved[fds[-1]], self._capture) for fds in groups]
        self._wake = os.pipe()
        self._reader = threading.Thread(target=self._read, name="workbench-output", daemon=True)
        self._reader.start()
        self._capture.install()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._reader is not None
        self._capture.remove()
        _flush_python()
        for fd, saved in self._saved.items():
            os.dup2(saved, fd)
        os.write(self._wake[1], b"!")
        self._reader.join()
        self._pass_on()
        for channel in self._channels:
            channel.close()
        for fd in (*self._saved.values(), *self._wake):
            os.close(fd)
        self._channels, self._saved, self._reader = [], {}, None

    def _echo(self, text: str, fd: int) -> None:
        target = self._saved.get(self._stdout_to if fd == 1 else fd)
        if target is not None:
            _write_all(target, text.encode("utf-8", DECODING))

    def _drain(self) -> None:
        """Bring in all that has been written to the file descriptors until now."""
        if self._channels:
            _flush_python()
        self._pass_on()

    def _pass_on(self) -> None:
        for channel in self._channels:
            channel.pass_on()

    def _read(self) -> None:
        poll = select.poll()
        by_fd = {channel.read: channel for channel in self._channels}
        wake = self._wake[0]
        for fd in (*by_fd, wake):
            poll.register(fd, select.POLLIN)
        while True:
            ready = [fd for fd, _ in poll.poll()]
            for fd in ready:
                if fd in by_fd:
                    by_fd[fd].pass_on()
            if wake in ready:
                return


class _Channel:
    """A pipe in the place of ``fds``; what comes out of it goes on to ``target`` and to the running call."""

    def __init__(self, fds: tuple[int, ...], target: int, capture: StreamCapture) -> None:
        self.read, self._write = os.pipe()
        os.set_blocking(self.read, False)
        if hasattr(fcntl, "F_SETPIPE_SZ"):  # C code may write while it holds the lock that the reader needs
            with suppress(OSError):
                fcntl.fcntl(self._write, fcntl.F_SETPIPE_SZ, _PIPE_SIZE)
        self._target = target
        self._capture = capture
        self._lock = threading.Lock()
        self._decode = getincrementaldecoder("utf-8")(DECODING).decode
        for fd in fds:
            os.dup2(self._write, fd)

    def pass_on(self) -> None:
        """Everything that waits in the pipe."""
        with self._lock:
            while True:
                try:
                    data = os.read(self.read, _PIECE)
                except BlockingIOError:
                    return
                if not data:
                    return
                _write_all(self._target, data)
                text = self._decode(data)
                if text:
                    self._capture.write_unowned(text)

    def close(self) -> None:
        os.close(self.read)
        os.close(self._write)


def _write_all(fd: int, data: bytes) -> None:
    """To a descriptor whose other end may be gone: what cannot be shown there is still kept with its call."""
    with suppress(OSError):
        while data:
            data = data[os.write(fd, data) :]


def _flush_python() -> None:
    for stream in (sys.__stdout__, sys.__stderr__):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            # closed, or its reader is gone: what it holds has nowhere to go
            continue


def _nowhere(_text: str) -> None:
    """The text of no call was echoed, that is all."""
