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
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from threading import get_ident
from time import time
from typing import Any, TypeAlias

from workbench.registry.changes import ChangeEvent, ChangeEventType

logger = logging.getLogger(__name__)
_new = object.__new__

PATIENCE = 0.5
"""Seconds that a thread waits for its turn before it leaves its events to another thread."""

AnyCallback: TypeAlias = Callable[[ChangeEvent], Any]
"""A change callback, or its ``async def`` form."""

EventFilter: TypeAlias = ChangeEventType | Iterable[ChangeEventType] | Callable[[ChangeEvent], bool]
"""One type, several types, or a predicate."""


Listener: TypeAlias = "list[Any]"
"""What to call with an event, and the subscription that it belongs to."""


class Subscription:
    """One callback with its filter; an ``async def`` callback gets its events one after another.

    ``listener`` is what events are delivered to: looking at a flag and at a filter each time would take
    as long as the call.
    """

    __slots__ = ("_loop", "_pending", "_pump", "callback", "listener")

    def __init__(self, callback: AnyCallback, only: EventFilter | None) -> None:
        self.callback = callback
        self.listener: Listener = [_chosen(callback, only), self]
        self._loop = _running_loop()
        self._pending: deque[Coroutine[Any, Any, Any]] = deque()
        self._pump: asyncio.Task[None] | None = None

    def end(self) -> None:
        """Hear of nothing from now on, not even of what was published before."""
        self.listener[0] = _ignore

    def settle(self, outcome: object) -> None:
        """See to what the callback gave back."""
        if inspect.iscoroutine(outcome):
            self._await(outcome)

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
            except Exception:  # as in `Emitter.deliver`: logged, isolated
                logger.exception("an async change callback failed: %r", self.callback)


class _Held(threading.local):
    """How many blocks that keep a thread's events back it is in."""

    depth = 0


class Emitter:
    """The queue between a registry and its subscribers.

    ``lock`` guards the registry's state too, so that a change and its place in the order are one step:
    `note` and `take` are called with it held, and `deliver` after it was released.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        self.lock = threading.Lock()
        self._patience = patience
        self._turn = threading.Condition(self.lock)
        self._waiting = 0
        """How many threads wait for their turn: nobody needs to be woken while there are none."""
        self._listeners: tuple[Listener, ...] = ()
        self._queue: deque[_Entry] = deque()
        self._running: int | None = None
        self._hearing: tuple[Listener, ...] = ()
        """Who hears of the event whose turn it is."""
        self._held = _Held()
        self._holding = 0
        """How many blocks keep events back, on whatever thread."""
        self._seq = 0

    def subscribe(self, callback: AnyCallback, only: EventFilter | None) -> Subscription:
        """Add a callback; it sees the changes that are published from now on."""
        subscription = Subscription(callback, only)
        with self.lock:
            self._listeners = (*self._listeners, subscription.listener)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> bool:
        """Take one subscription out; False when it was out already."""
        subscription.end()
        with self.lock:
            before = self._listeners
            self._listeners = tuple(each for each in before if each is not subscription.listener)
            return len(self._listeners) < len(before)

    def find(self, callback: AnyCallback) -> Subscription | None:
        """The oldest subscription of this callback."""
        subscriptions: list[Subscription] = [each for _, each in self._listeners]
        return next((each for each in subscriptions if each.callback == callback), None)

    def publish(
        self,
        event_type: ChangeEventType,
        tool_name: str | None = None,
        reason: str | None = None,
        **metadata: Any,
    ) -> None:
        """Tell a change that no lock guards: `note` and `deliver`."""
        with self.lock:
            self.note(event_type, tool_name, reason, **metadata)
        self.deliver()

    def note(
        self,
        event_type: ChangeEventType,
        tool_name: str | None = None,
        reason: str | None = None,
        **metadata: Any,
    ) -> None:
        """Give the change its place in the order, for everybody subscribed at this moment."""
        self._seq += 1
        if self._listeners:
            metadata["seq"] = self._seq
            metadata["time"] = time()
            event = ChangeEvent(event_type, tool_name, reason, metadata)
            self._queue.append(_Entry(event, self._listeners, get_ident()))

    def take(
        self, event_type: ChangeEventType, tool_name: str | None, reason: str | None
    ) -> ChangeEvent | None:
        """As `note`; where nobody is ahead, this thread has the turn at once and must `deliver` the event."""
        self._seq += 1
        if not self._listeners:
            return None
        event = _new(ChangeEvent)
        facts = event.__dict__  # as its __init__ does, without the call: switching is done in loops
        facts["event_type"] = event_type
        facts["tool_name"] = tool_name
        facts["reason"] = reason
        facts["metadata"] = {"seq": self._seq, "time": time()}
        if self._queue or self._running is not None or self._holding:
            self._queue.append(_Entry(event, self._listeners, get_ident()))
            return None
        self._running = get_ident()
        self._hearing = self._listeners
        return event

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep this thread's events back until the outermost block ends, then deliver them."""
        self._held.depth += 1
        with self.lock:
            self._holding += 1
        try:
            yield
        finally:
            with self.lock:
                self._holding -= 1
            self._held.depth -= 1
            self.deliver()

    def deliver(self, event: ChangeEvent | None = None) -> None:
        """Call the subscribers for this thread's events, beginning with the one that it took.

        Returns at once inside a callback, and while events are kept back.
        """
        if event is None:
            if not self._queue or self._held.depth or self._running == get_ident():
                return
            event = self._next()
        while event is not None:
            try:
                for listener in self._hearing:
                    try:
                        outcome = listener[0](event)
                        if outcome is not None:
                            listener[1].settle(outcome)
                    except Exception:  # a subscriber's fault must not reach the one who made the change
                        logger.exception(
                            "a change callback failed on %s: %r", event.event_type, listener[1].callback
                        )
            finally:
                # Without the lock: whoever waits has said so before looking whose turn it is.
                self._running = None
                if self._waiting:
                    with self.lock:
                        self._turn.notify_all()
            if not self._queue:
                return
            event = self._next()

    def _next(self) -> ChangeEvent | None:
        """Wait for this thread's turn; None when nothing is left for it to deliver."""
        me = get_ident()
        with self.lock:
            self._waiting += 1
            try:
                return self._wait_for_turn(me)
            finally:
                self._waiting -= 1

    def _wait_for_turn(self, me: int) -> ChangeEvent | None:
        while self._queue:
            head = self._queue[0]
            if self._running is None and head.owner in (me, None):
                self._running = me
                self._queue.popleft()
                self._hearing = head.listeners
                return head.event
            mine = [entry for entry in self._queue if entry.owner == me]
            if not mine:
                return None
            if self._turn.wait(self._patience):
                continue
            if self._running is None:
                # The owner of the head is busy elsewhere (a hook that runs long): step in.
                self._queue[0].owner = None
            else:
                for entry in mine:
                    entry.owner = None
                return None
        return None


class _Entry:
    """A published event; ``owner`` is the thread that delivers it, None when any thread may."""

    __slots__ = ("event", "listeners", "owner")

    def __init__(self, event: ChangeEvent, listeners: tuple[Listener, ...], owner: int) -> None:
        self.event = event
        self.listeners = listeners
        self.owner: int | None = owner


def _chosen(callback: AnyCallback, only: EventFilter | None) -> AnyCallback:
    """The callback for those events that pass the filter.

    Raises TypeError for what cannot be called, ValueError for a word that is no type of event.
    """
    if not callable(callback):
        raise TypeError(f"a change callback must be callable, not {callback!r}")
    if only is None:
        return callback
    if callable(only):
        wants = only
    else:
        wanted = (only,) if isinstance(only, str) else only
        types = frozenset(ChangeEventType(each) for each in wanted)
        return lambda event: callback(event) if event.event_type in types else None
    return lambda event: callback(event) if wants(event) else None


def _ignore(event: ChangeEvent) -> None:
    """In the place of a callback that was taken out."""


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


async def _as_coroutine(coroutine: Coroutine[Any, Any, Any]) -> None:
    await coroutine
