"""Wakes a thread that waits: a pipe, which takes half the time that a lock takes to change threads.

Whoever wakes gives up the interpreter while it writes, so the one that wakes up finds it free.
"""

from __future__ import annotations

import os
import select
import threading
from contextlib import suppress
from weakref import WeakSet


class Bell:
    """One thread waits on it, any thread rings it. It may ring for nothing: look for a reason, wait again.

    Two file descriptors, closed when nobody holds the bell any more. A forked child has its own.
    """

    __slots__ = ("__weakref__", "_poll", "_read", "_write")

    def __init__(self) -> None:
        self._open()
        _all.add(self)

    def _open(self) -> None:
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self._poll = select.poll()
        self._poll.register(self._read, select.POLLIN)

    def ring(self) -> None:
        """Wake the thread that waits, or the next time that one waits."""
        with suppress(BlockingIOError):  # full: it is ringing
            os.write(self._write, b"!")

    def wait(self, timeout: float | None = None) -> None:
        """Return when the bell rings or rang since the last time, at the latest after ``timeout`` seconds."""
        if timeout is None or self._poll.poll(max(0.0, timeout) * 1000):
            os.read(self._read, 4096)

    def renew(self) -> None:
        """In a forked child: let go of what the parent listens to."""
        self._close()
        self._open()

    def _close(self) -> None:
        os.close(self._read)
        os.close(self._write)

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
