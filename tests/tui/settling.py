"""Waits of the pilot that end with a fact, the app having nothing left to do, and not with a quiet time."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import Any, Final

import textual.app
import textual.pilot
from textual._context import active_app
from textual.app import App

KEY_REST: Final = 0.001
"""Seconds that other threads have after a key: enough for one that runs to be noticed."""

PAUSE_REST: Final = 0.004
"""Seconds that they have in a pause, which is how a test waits for them: it does not take their time."""

LONGEST: Final = 1.0
"""Seconds after which an app that never rests is left alone: a test that needs more waits for its fact."""


async def _idle(loop: Any) -> None:
    """Wait until nothing on the loop can run: all else waits for time, a thread or a file."""
    while True:
        await asyncio.sleep(0)
        if not loop._ready:
            return


def _hasten(app: App[Any]) -> bool:
    """Do what the app put off for a few milliseconds, a new size and a painting; whether there was any."""
    if not app._running or not app._screen_stack:
        return False
    if app._resize_event is not None:
        app._check_resize()
        return True
    screen = app.screen
    due = (
        screen._dirty_widgets
        or screen._layout_required
        or screen._repaint_required
        or screen._scroll_required
        or screen._recompose_required
        or screen._callbacks
    )
    if not due or not screen.is_running or app._batch_count:
        return False
    screen._on_timer_update()
    return True


def _others() -> float:
    """Seconds that the other threads of this process worked so far."""
    return time.process_time() - time.thread_time()


def _another_runs() -> bool:
    """Whether another thread runs, or would if it had a processor; only Linux tells."""
    own = threading.get_native_id()
    for thread in threading.enumerate():
        if thread.native_id != own:
            try:
                state = Path(f"/proc/self/task/{thread.native_id}/stat").read_bytes().rpartition(b")")[2]
            except OSError:
                continue  # it has ended, or the system is another one
            if state.split()[0] in b"RD":
                return True
    return False


async def settle(rest: float) -> None:
    """Wait until the app has done all that it can do now, and no other thread is at work.

    ``rest``: seconds in which the other threads are watched.
    """
    loop: Any = asyncio.get_running_loop()
    app = active_app.get()
    end = loop.time() + LONGEST
    while loop.time() < end:
        await _idle(loop)
        if _hasten(app):
            continue
        worked = _others()
        await asyncio.sleep(rest)
        if not loop._ready and _others() - worked < rest / 10 and not _another_runs():
            return


async def after_key(min_sleep: float = 0, max_sleep: float = LONGEST) -> None:
    """Wait between two keys."""
    await settle(KEY_REST)


async def in_pause(min_sleep: float = 0, max_sleep: float = LONGEST) -> None:
    """Wait in ``Pilot.pause``."""
    await settle(PAUSE_REST)


def use() -> None:
    """Have every pilot wait so: Textual's own waits take 20 ms and more each, and guess that work is over."""
    for module, wait in ((textual.app, after_key), (textual.pilot, in_pause)):
        assert hasattr(module, "wait_for_idle")
        module.wait_for_idle = wait
