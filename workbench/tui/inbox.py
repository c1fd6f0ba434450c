"""Facts from any thread to the screen: one queue, one wake-up, emptied at most once a frame."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.tui.events import AgentEvent

FRAME = 1 / 30


class Inbox:
    """``post`` from any thread; ``deliver`` is called on the loop with all that came since, in order."""

    def __init__(self, deliver: Callable[[Sequence[AgentEvent]], None], frame: float = FRAME) -> None:
        """``frame``: seconds from one delivery to the next, at least."""
        self._deliver = deliver
        self._frame = frame
        self._events: deque[AgentEvent] = deque()
        self._lock = threading.Lock()
        self._awake = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._context = contextvars.copy_context()
        self._last = 0.0

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Deliver on this loop, in the caller's context, from now on; what came before is delivered first."""
        self._context = contextvars.copy_context()
        with self._lock:
            self._loop = loop
        self._wake()

    def close(self) -> None:
        """Deliver nothing more; later posts are dropped, for nobody looks at the screen any more."""
        with self._lock:
            self._loop = None
            self._events.clear()

    def post(self, event: AgentEvent) -> None:
        """Take an event; returns at once."""
        self._events.append(event)
        self._wake()

    def _wake(self) -> None:
        with self._lock:
            if self._awake or self._loop is None or not self._events:
                return
            self._awake = True
            self._loop.call_soon_threadsafe(self._schedule, self._loop, context=self._context)

    def _schedule(self, loop: asyncio.AbstractEventLoop) -> None:
        wait = self._last + self._frame - loop.time()
        if wait > 0:
            loop.call_later(wait, self._empty, loop, context=self._context)
        else:
            self._empty(loop)

    def _empty(self, loop: asyncio.AbstractEventLoop) -> None:
        self._last = loop.time()
        with self._lock:
            self._awake = False
            # a post may come in between: take exactly what is there now
            batch = [self._events.popleft() for _ in range(len(self._events))]
        if batch:
            self._deliver(batch)
