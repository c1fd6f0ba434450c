"""Delivers change events: one order for every subscriber, on the thread that caused the change.

A change is published under the registry's lock, which fixes its place in the order, and delivered
after that lock is free. Each thread delivers its own events when their turn comes. An event that a
callback causes waits behind everything published before it. A thread whose turn does not come (a
callback may be waiting for that very thread) leaves its events to the thread in front, so that
callbacks can never lock each other up.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import Any, TypeAlias

from workbench.registry.changes import ChangeEvent, ChangeEventType

logger = logging.getLogger(__name__)

PATIENCE = 0.5
"""Seconds that a thread waits for its turn before it leaves its events to another thread."""

AnyCallback: TypeAlias = Callable[[ChangeEvent], Any]
"""A change callback, or its ``async def`` form."""

EventFilter: TypeAlias = ChangeEventType | Iterable[ChangeEventType] | Callable[[ChangeEvent], bool]
"""One type, several types, or a predicate."""


class Subscription:
    """One callback with its filter; an ``async def`` callback gets its events one after another."""

    def __init__(self, callback: AnyCallback, only: EventFilter | None) -> None:
        self.callback = callback
        self.active = True
        self._wants = _predicate(only)
        self._loop = _running_loop()
        self._pending: deque[Coroutine[Any, Any, Any]] = deque()
        self._pump: asyncio.Task[None] | None = None

    def deliver(self, event: ChangeEvent) -> None:
        """Hand the event over; whatever the callback raises is logged and goes no further."""
        if not self.active:
            return
        try:
            if self._wants is not None and not self._wants(event):
                return
            outcome = self.callback(event)
            if outcome is not None and inspect.iscoroutine(outcome):
                self._await(outcome)
        except Exception:  # a subscriber's fault must not reach the one who made the change
            logger.exception("a change callback failed on %s: %r", event.event_type.value, self.callback)

    def _await(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        here = _running_loop()
        home = self._loop if self._loop is not None and self._loop.is_running() else here
        if home is None:
            asyncio.run(_as_coroutine(coroutine))
            return
        self._pending.append(coroutine)
        if home is here:
            self._start_pump()
        else:
            home.call_soon_threadsafe(self._start_pump)

    def _start_pump(self) -> None:
        if self._pump is None or self._pump.done():
            self._pump = asyncio.get_running_loop().create_task(self._drain())

    async def _drain(self) -> None:
        while self._pending:
            try:
                await self._pending.popleft()
            except Exception:  # as in `deliver`: logged, isolated
                logger.exception("an async change callback failed: %r", self.callback)


class _Held(threading.local):
    """How many blocks that keep a thread's events back it is in."""

    depth = 0


class Emitter:
    """The queue between a registry and its subscribers.

    ``publish`` must be called while the caller holds the lock that guards the state; ``deliver``
    after it was released.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._lock = threading.Lock()
        self._turn = threading.Condition(self._lock)
        self._waiting = 0
        """How many threads wait for their turn: nobody needs to be woken while there are none."""
        self._subscriptions: tuple[Subscription, ...] = ()
        self._queue: deque[_Entry] = deque()
        self._running: int | None = None
        self._held = _Held()
        self._seq = 0

    def subscribe(self, callback: AnyCallback, only: EventFilter | None) -> Subscription:
        """Add a callback; it sees the changes that are published from now on."""
        subscription = Subscription(callback, only)
        with self._lock:
            self._subscriptions = (*self._subscriptions, subscription)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> bool:
        """Take one subscription out; False when it was out already."""
        with self._lock:
            known = subscription in self._subscriptions
            subscription.active = False
            self._subscriptions = tuple(each for each in self._subscriptions if each is not subscription)
        return known

    def find(self, callback: AnyCallback) -> Subscription | None:
        """The oldest subscription of this callback."""
        return next((each for each in self._subscriptions if each.callback == callback), None)

    def publish(
        self,
        event_type: ChangeEventType,
        tool_name: str | None = None,
        reason: str | None = None,
        **metadata: Any,
    ) -> None:
        """Give the change its place in the order, for everybody subscribed at this moment."""
        with self._lock:
            self._seq += 1
            if not self._subscriptions:
                return
            metadata["seq"] = self._seq
            metadata["time"] = time.time()
            event = ChangeEvent(event_type, tool_name, reason, metadata)
            self._queue.append(_Entry(event, self._subscriptions, get_ident()))

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep this thread's events back until the outermost block ends, then deliver them."""
        depth = self._held.depth
        self._held.depth = depth + 1
        try:
            yield
        finally:
            self._held.depth = depth
            self.deliver()

    def deliver(self) -> None:
        """Call the subscribers for this thread's events; returns at once inside a callback."""
        if not self._queue or self._held.depth:
            return
        me = get_ident()
        if self._running == me:
            return
        while (entry := self._next(me)) is not None:
            try:
                for subscription in entry.subscriptions:
                    subscription.deliver(entry.event)
            finally:
                with self._lock:
                    self._running = None
                    if self._waiting:
                        self._turn.notify_all()
            if not self._queue:
                return

    def _next(self, me: int) -> _Entry | None:
        """Wait for this thread's turn; None when nothing is left for it to deliver."""
        with self._lock:
            while self._queue:
                head = self._queue[0]
                if self._running is None and head.owner in (me, None):
                    self._running = me
                    return self._queue.popleft()
                mine = [entry for entry in self._queue if entry.owner == me]
                if not mine:
                    return None
                if self._wait():
                    continue
                if self._running is None:
                    # The owner of the head is busy elsewhere (a hook that runs long): step in.
                    self._queue[0].owner = None
                else:
                    for entry in mine:
                        entry.owner = None
                    return None
            return None

    def _wait(self) -> bool:
        """With the lock held: wait for news; False when none came within the patience."""
        self._waiting += 1
        try:
            return self._turn.wait(self._patience)
        finally:
            self._waiting -= 1


class _Entry:
    """A published event; ``owner`` is the thread that delivers it, None when any thread may."""

    __slots__ = ("event", "owner", "subscriptions")

    def __init__(self, event: ChangeEvent, subscriptions: tuple[Subscription, ...], owner: int) -> None:
        self.event = event
        self.subscriptions = subscriptions
        self.owner: int | None = owner


def _predicate(only: EventFilter | None) -> Callable[[ChangeEvent], bool] | None:
    if only is None:
        return None
    if isinstance(only, ChangeEventType):
        return lambda event: event.event_type is only
    if callable(only):
        return only
    types = frozenset(ChangeEventType(each) for each in only)
    return lambda event: event.event_type in types


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


async def _as_coroutine(coroutine: Coroutine[Any, Any, Any]) -> None:
    await coroutine
