"""Leaving the app: at once where nothing would be lost, else on a second press."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from textual.app import App

QUIT_SECONDS: Final = 3
"""How long the first press of a quit key waits for the second."""


class Leaving:
    """``clock`` gives seconds."""

    def __init__(self, app: App[Any], clock: Callable[[], float]) -> None:
        self._app = app
        self._clock = clock
        self._asked: float | None = None

    def ask(self, key: str, *, running: bool, queued: int) -> None:
        """Leave on the second press of ``key``; the first one says what goes on."""
        now = self._clock()
        if self._asked is not None and now - self._asked < QUIT_SECONDS:
            self._app.exit()
            return
        self._asked = now
        what = "A turn is running. " if running else ""
        if queued:
            what += "One message is queued. " if queued == 1 else f"{queued} messages are queued. "
        text = f"{what}Press {key} again to leave."
        self._app.notify(text, title="Leave Workbench?", markup=False, timeout=QUIT_SECONDS)
