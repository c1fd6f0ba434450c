"""Keeps everything but the screen away from the terminal while the screen is up."""

from __future__ import annotations

import ctypes
import faulthandler
import fcntl
import os
import select
import struct
import sys
import termios
import threading
from codecs import getincrementaldecoder
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Final, Self

from textual.drivers.linux_driver import LinuxDriver

from workbench.console.captured import DECODING
from workbench.console.stray_log import Stray, StrayLog
from workbench.console.stream_capture import StreamCapture
from workbench.tui.driver import Terminal, driver_class

_PIPE_SIZE: Final = 1 << 20
_FREE_FDS: Final = 10
_NO_BYTES: Final = struct.pack("i", 0)
_FULLY, _BY_LINE, _NOT = 0, 1, 2
"""How C's stdio buffers a stream: ``_IOFBF``, ``_IOLBF``, ``_IONBF``."""


class ScreenGuard:
    """Puts a pipe in the place of file descriptors 1 and 2, and nothing in the place of 0.

    ::

        guard = ScreenGuard()
        with guard:
            App(driver_class=guard.driver_class()).run()

    The screen writes through a private copy of the terminal. What comes through the pipe belongs to
    the call that runs (``capture``), otherwise to ``stray``; while the screen is not up, before, after and
    when suspended, it passes through to the terminal. Leaving puts everything back as it was.

    Not protected: a child process that opens the controlling terminal itself.
    """

    def __init__(self, *, stray: Stray | None = None) -> None:
        self.stray: Stray = stray if stray is not None else StrayLog()
        self.capture = StreamCapture(drain=self.drain, stray=self._take_stray)
        self._lock = threading.RLock()
        self._waiting = bytearray(_NO_BYTES)
        self._saved: list[int] = []
        self._pipe: tuple[int, int] | None = None
        self._wake: tuple[int, int] | None = None
        self._null = -1
        self._terminal: Terminal | None = None
        self._reader: threading.Thread | None = None
        self._screen_is_up = False
        self._faults_before = False
        self._decoder = getincrementaldecoder("utf-8")(DECODING)

    def driver_class(self) -> type[LinuxDriver]:
        """The driver for ``App(driver_class=…)``. Raises RuntimeError if the guard was not entered."""
        if self._terminal is None:
            raise RuntimeError("enter the guard before asking it for a driver")
        return driver_class(self._terminal)

    def title(self, text: str) -> None:
        """Give the terminal's window a title while the screen is up; one line that is safe to paint."""
        if self._terminal is not None:
            self._terminal.title(text)

    def install_streams(self) -> None:
        """Take over Python's streams and logging; for the app's ``on_mount``."""
        self.capture.install()

    def remove_streams(self) -> None:
        """Give them back; for the app's ``on_unmount``."""
        self.capture.remove()
        self._flush_stray()

    def __enter__(self) -> Self:
        _flush_python()
        self._saved = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _FREE_FDS) for fd in (0, 1, 2)]
        self._pipe = _pipe()
        self._wake = os.pipe()
        self._null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        out = next((fd for fd in (self._saved[2], self._saved[1]) if os.isatty(fd)), self._saved[2])
        self._terminal = Terminal(self._saved[0], out, self._show, self._hide)
        self._faults_before = faulthandler.is_enabled()
        faulthandler.enable(file=out)
        self._take_fds()
        self._reader = threading.Thread(target=self._read, name="workbench-output", daemon=True)
        self._reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._terminal is not None
        assert self._wake is not None
        assert self._reader is not None
        assert self._pipe is not None
        self.remove_streams()
        self._terminal.restore()
        self._give_fds_back()
        os.write(self._wake[1], b"x")
        self._reader.join()
        self.drain()
        faulthandler.disable()
        if self._faults_before:
            faulthandler.enable(file=2)
        self._terminal.file.flush()
        self._terminal = self._reader = None
        for fd in (*self._saved, *self._pipe, *self._wake, self._null):
            os.close(fd)
        self._pipe = self._wake = None
        self._saved.clear()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Lend the terminal to a program such as an editor; use inside ``App.suspend()``.

        File descriptors 0, 1 and 2 are the real ones meanwhile. What Python code prints goes to its call.
        """
        if self._pipe is None:
            yield
            return
        self._give_fds_back()
        self.capture.replace_streams()
        try:
            yield
        finally:
            self._take_fds()

    def drain(self) -> None:
        """Bring in all that has been written to the file descriptors until now."""
        if self._pipe is None:
            return
        # outside the lock: a flush may wait for the reader
        _flush_python()
        self._read_pipe(self._pipe[0])

    def _take_fds(self) -> None:
        assert self._pipe is not None
        _flush_python()
        os.dup2(self._null, 0)
        os.dup2(self._pipe[1], 1)
        os.dup2(self._pipe[1], 2)

    def _give_fds_back(self) -> None:
        _buffer_c_stdout(_BY_LINE if os.isatty(self._saved[1]) else _FULLY)
        self.drain()
        for fd, saved in enumerate(self._saved):
            os.dup2(saved, fd)

    def _read(self) -> None:
        assert self._pipe is not None
        assert self._wake is not None
        read, wake = self._pipe[0], self._wake[0]
        # here, not on the way to the first frame: nothing of C writes before a tool does
        _buffer_c_stdout(_NOT)
        poll = select.poll()
        poll.register(read, select.POLLIN)
        poll.register(wake, select.POLLIN)
        while wake not in dict(poll.poll()):
            self._read_pipe(read)

    def _read_pipe(self, read: int) -> None:
        # each call passes here twice: no work where nothing waits
        with self._lock:
            fcntl.ioctl(read, termios.FIONREAD, self._waiting)
            if self._waiting == _NO_BYTES:
                return
            try:
                data = os.read(read, struct.unpack("i", self._waiting)[0])
            except BlockingIOError:
                # a signal handler has read it meanwhile
                return
            self._route(data)

    def _route(self, data: bytes) -> None:
        text = self._decoder.decode(data)
        if self.capture.write_unowned(text):
            return
        if self._screen_is_up:
            self.stray(text)
        else:
            self._pass_through(data)

    def _take_stray(self, text: str) -> None:
        if self._screen_is_up:
            self.stray(text)
        else:
            self._pass_through(text.encode("utf-8", DECODING))

    def _pass_through(self, data: bytes) -> None:
        with suppress(OSError):
            while data:
                data = data[os.write(self._saved[2], data) :]

    def _show(self) -> None:
        self.drain()
        self._screen_is_up = True

    def _hide(self) -> None:
        self.drain()
        self._flush_stray()
        self._screen_is_up = False

    def _flush_stray(self) -> None:
        if isinstance(self.stray, StrayLog):
            self.stray.flush()


def _pipe() -> tuple[int, int]:
    read, write = os.pipe()
    os.set_blocking(read, False)
    # C code may write while it holds the interpreter's lock, and the reader needs that lock
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):
            fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, _PIPE_SIZE)
    return read, write


def _flush_python() -> None:
    try:
        if sys.__stdout__ is not None:
            sys.__stdout__.flush()
        if sys.__stderr__ is not None:
            sys.__stderr__.flush()
    except (OSError, ValueError):
        # closed, or its reader is gone: what it holds has nowhere to go
        return


def _buffer_c_stdout(mode: int) -> None:
    """Set how C's own ``stdout`` buffers; on a pipe it would keep text back until its buffer is full."""
    with suppress(OSError, ValueError, AttributeError):
        libc = ctypes.CDLL(None)
        name = "__stdoutp" if sys.platform == "darwin" else "stdout"
        stdout = ctypes.c_void_p.in_dll(libc, name)
        libc.fflush(stdout)
        libc.setvbuf(stdout, None, mode, 0)
