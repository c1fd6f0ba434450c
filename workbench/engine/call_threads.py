"""The threads that work for one call besides its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from workbench.engine.children import Children, children_of


@dataclass(frozen=True, slots=True)
class CallThread:
    """One of them: its name, its native id, and since when it works for the call, in Unix seconds."""

    name: str
    native_id: int
    since: float


class CallThreads:
    """Known while they work: those that a tool started, and those of a pool that do something for it.

    ``left`` are the child processes of those that have ended.
    """

    __slots__ = ("_busy", "_lock", "_when_idle", "left")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.left: Children = {}
        self._busy: dict[object, CallThread] = {}
        self._when_idle: list[Callable[[], None]] = []

    @contextmanager
    def working(self) -> Iterator[None]:
        """For the time inside, this thread works for the call."""
        key = object()
        here = CallThread(threading.current_thread().name, threading.get_native_id(), time.time())
        with self._lock:
            self._busy[key] = here
        try:
            yield
        finally:
            children = children_of(here.native_id, here.since)
            with self._lock:
                self.left |= children
                del self._busy[key]
                told, self._when_idle = ([], self._when_idle) if self._busy else (self._when_idle, [])
            for callback in told:
                callback()

    @property
    def busy(self) -> tuple[CallThread, ...]:
        """Those that work now, oldest first."""
        with self._lock:
            return tuple(self._busy.values())

    def when_idle(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` once nobody works any more: now, or on the thread that ends last."""
        with self._lock:
            if self._busy:
                self._when_idle.append(callback)
                return
        callback()
