"""Waits for an awaitable from code that is not async."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Awaitable
from concurrent.futures import Future
from typing import Any


def run_privately(awaitable: Awaitable[Any]) -> Any:
    """The result of the awaitable, awaited on a loop of its own.

    Where a loop runs on this thread already, the new loop gets a thread of its own and the caller
    waits for it, so the running loop stands still meanwhile.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_await(awaitable))
    outcome: Future[Any] = Future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            outcome.set_result(context.run(asyncio.run, _await(awaitable)))
        except BaseException as error:  # noqa: BLE001 - the top of a thread: handed to the one who waits
            outcome.set_exception(error)

    threading.Thread(target=work, name="workbench-await", daemon=True).start()
    return outcome.result()


async def _await(awaitable: Awaitable[Any]) -> Any:
    return await awaitable
