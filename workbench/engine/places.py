"""Where the parts of a turn run that must not run on its own thread."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Awaitable, Callable
from queue import SimpleQueue
from typing import Any

from workbench.engine.cancel import CancelToken
from workbench.engine.jobs import Abandoned, Errand
from workbench.engine.loop_jobs import LoopJob, LoopThread
from workbench.engine.scope import STOPPED
from workbench.errors import StopTurn


class Places:
    """The event loop and the caller's thread, as one turn has them.

    ``loop`` is the caller's own when the turn came through ``ainput()``; otherwise coroutines run on the
    agent's loop and the caller's thread is the turn's.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop | None, own: LoopThread, cancel: CancelToken, owner: object
    ) -> None:
        self._loop = loop
        self._own = own
        self._cancel = cancel
        self._owner = owner

    def task(self, make: Callable[[], Awaitable[Any]], errand: Errand) -> LoopJob:
        """Begin ``await make()`` on the loop."""
        if self._loop is not None:
            return LoopJob(make, self._loop, errand, owned=False)
        return LoopJob(make, self._own.loop, errand, owned=True)

    def wait_for(self, awaitable: Awaitable[Any], label: str) -> Any:
        """Await something on the loop; raises StopTurn at a stop, which cancels it."""

        async def wait() -> Any:
            return await awaitable

        try:
            return self.task(wait, Errand(label, self._owner)).wait(self._cancel, None)
        except Abandoned:
            raise StopTurn(self._cancel.reason or STOPPED) from None

    def on_caller_thread(self, func: Callable[[], Any]) -> Any:
        """Run ``func`` on the thread of whoever called the agent; this waits, and no stop shortens it."""
        context = contextvars.copy_context()
        if self._loop is None:
            return context.run(func)
        outbox: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

        def work() -> None:
            try:
                outbox.put((context.run(func), None))
            except BaseException as error:  # noqa: BLE001 - handed over to the waiting side, which raises it
                outbox.put((None, error))

        self._loop.call_soon_threadsafe(work)
        value, error = outbox.get()
        if error is not None:
            raise error
        return value


async def run_on_thread(run: Callable[[], str], cancel: CancelToken, name: str) -> str:
    """Run a turn on a thread of its own while this loop goes on.

    When the waiting task is cancelled, the turn is stopped, and has ended before the cancellation goes on.
    """
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[tuple[str, BaseException | None]] = loop.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            outcome: tuple[str, BaseException | None] = (context.run(run), None)
        except BaseException as error:  # noqa: BLE001 - the top of a worker: the waiting side raises it
            outcome = ("", error)
        loop.call_soon_threadsafe(ended.set_result, outcome)

    threading.Thread(target=work, name=name, daemon=True).start()
    cancelled: asyncio.CancelledError | None = None
    while not ended.done():
        try:
            await asyncio.shield(ended)
        except asyncio.CancelledError as error:
            cancelled = error
            cancel.cancel("cancelled")
    answer, failure = ended.result()
    if cancelled is not None:
        raise cancelled
    if failure is not None:
        raise failure
    return answer
