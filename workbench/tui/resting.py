"""Moments in which nobody waits for the screen, used for its own upkeep."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from textual.app import App

from workbench.tui.garbage import Garbage

IDLE_SECONDS: Final = 1
"""How long nothing has gone on before the screen's own upkeep may take a moment."""

AWAY_SECONDS: Final = 60
"""How long nothing has gone on or been typed before that upkeep may take a longer one."""


class Resting:
    """``busy`` tells whether something goes on, ``draft`` what stands in the prompt while somebody types."""

    def __init__(
        self, app: App[Any], garbage: Garbage, *, busy: Callable[[], bool], draft: Callable[[], str]
    ) -> None:
        self._app = app
        self._garbage = garbage
        self._busy = busy
        self._draft = draft

    def begin(self) -> None:
        """Something has ended: rest soon, if nothing else begins."""
        self._app.set_timer(IDLE_SECONDS, partial(self._rest, self._draft()))

    def _rest(self, draft: str) -> None:
        if self._busy():
            return
        if draft != self._draft():
            self.begin()  # somebody is typing, who would feel it
        else:
            self._garbage.rest()
            self._app.set_timer(AWAY_SECONDS, partial(self._sweep, draft))

    def _sweep(self, draft: str) -> None:
        if not self._busy() and draft == self._draft():
            self._garbage.sweep()
