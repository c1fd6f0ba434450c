"""Wakes a thread that waits: an eventfd, or a pipe, which take half the time of a lock to change threads.

Whoever wakes gives up the interpreter while it writes, so the one that wakes up finds it free.
"""

from __future__ import annotations

import os
import select
import sys
import threading
from typing import Final
from weakref import WeakSet

_ONE: Final = (1).to_bytes(8, sys.byteorder)
"""What an eventfd takes for one ring; a pipe takes anything."""


class Bell:
    """One thread waits on it, any thread rings it. It may ring for nothing: look for a reason, wait again.

    Nothing is written while nobody waits: each side says first what it is about to do and looks then at
    what the other has said, so one of them always notices.

    Its file descriptors are closed when nobody holds the bell any more. A forked child has its own.
    """

    __slots__ = ("__weakref__", "_poll", "_read", "_rung", "_waiting", "_write")

    def __init__(self) -> None:
        self._rung = self._waiting = False
        self._open()
        _all.add(self)

    def _open(self) -> None:
        if sys.platform == "linux":
            self._read = self._write = os.eventfd(0)
        else:
            self._read, self._write = os.pipe()
            os.set_blocking(self._write, False)
        self._poll = select.poll()
        self._poll.register(self._read, select.POLLIN)

    def ring(self) -> None:
        """Wake the thread that waits, or the next time that one waits."""
        self._rung = True
        if not self._waiting:
            return
        try:
            os.write(self._write, _ONE)
        except BlockingIOError:  # a pipe is full: it is ringing
            return

    def wait(self, timeout: float | None = None) -> None:
        """Return when the bell rings or rang since the last time, at the latest after ``timeout`` seconds."""
        before, self._waiting = self._waiting, True
        try:
            if not self._rung and (timeout is None or self._poll.poll(max(0.0, timeout) * 1000)):
                os.read(self._read, 4096)
        finally:
            self._waiting = before  # a signal handler may wait for something while this thread does
            self._rung = False

    def renew(self) -> None:
        """In a forked child: let go of what the parent listens to."""
        self._close()
        self._open()

    def _close(self) -> None:
        for each in {self._read, self._write}:
            os.close(each)

    __del__ = _close


_all: WeakSet[Bell] = WeakSet()
_here = threading.local()


def own_bell() -> Bell:
    """The bell of this thread, made when it is first asked for."""
    try:
        bell: Bell = _here.bell
    except AttributeError:
        bell = _here.bell = Bell()
    return bell


def _renew_all() -> None:
    for bell in list(_all):
        bell.renew()


os.register_at_fork(after_in_child=_renew_all)
