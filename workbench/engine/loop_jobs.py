"""Coroutines on the event loop of another thread, and the loop that an agent makes for them."""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from workbench.engine.apart import start_apart
from workbench.engine.jobs import Errand, Job

_GRACE = 0.25
"""Seconds that a cancelled coroutine has for its clean-up before it counts as left running."""


class LoopJob(Job):
    """A coroutine on an event loop of another thread; a stop cancels it.

    ``owned``: nobody else starts child processes on that loop, so those of a stopped call may be ended.
    """

    __slots__ = ("_loop", "_outcome", "_owned", "_task")

    def __init__(
        self,
        make: Callable[[], Awaitable[Any]],
        loop: asyncio.AbstractEventLoop,
        errand: Errand,
        *,
        owned: bool,
    ) -> None:
        super().__init__(make, errand)
        self._loop = loop
        self._owned = owned
        self._outcome: tuple[Any, BaseException | None] = (None, asyncio.CancelledError())
        self.thread_name = "event loop"
        loop.call_soon_threadsafe(self._begin)

    def _begin(self) -> None:
        if self._owned:
            self.thread_id = threading.get_native_id()
        self._task = self._loop.create_task(self._main(), context=self._context)
        self._task.add_done_callback(self._end)

    async def _main(self) -> None:
        try:
            self._outcome = (await self._func(), None)
        except BaseException as error:  # noqa: BLE001 - the top of a worker: the waiting side raises it
            self._outcome = (None, error)

    def _end(self, _task: asyncio.Task[None]) -> None:
        if self.settle(*self._outcome):
            self.announce()
        else:
            self.end_late(*self._outcome)

    def _interrupt(self) -> None:
        super()._interrupt()
        self._loop.call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        self._task.cancel()

    def _grace(self) -> float:
        return _GRACE


class LoopThread:
    """An event loop on a daemon thread of its own, made at the first coroutine."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._process = os.getpid()

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The running loop."""
        with self._lock:
            if self._loop is None or self._process != os.getpid():  # a forked child has no such thread
                self._process = os.getpid()
                # in no context: the loop would hold on to the call that it is made in, and so to the agent
                self._loop = contextvars.Context().run(asyncio.new_event_loop)
                start_apart(threading.Thread(target=_serve, args=(self._loop,), name=self._name, daemon=True))
            return self._loop

    def close(self) -> None:
        """Stop the loop, if there is one; a later coroutine gets a new one."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None:
            loop.call_soon_threadsafe(loop.stop)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
