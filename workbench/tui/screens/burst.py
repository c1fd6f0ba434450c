"""Tells prose from verdicts by how fast its keys follow each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from textual import events

BURST_SECONDS: Final = 0.2
"""Keys that follow each other faster than this are typed, not pressed."""

OFTEN_FAST: Final = frozenset("ynYNjkgGu")
"""What one presses quickly on purpose, row after row; no word is written with these alone."""


class Burst:
    """The keys of one run, each of which followed the one before at once. ``clock`` gives seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._run: list[events.Key] = []
        self._last = clock()

    @property
    def begins(self) -> bool:
        """Whether the next key, should it come now, is the first of a run."""
        return not self._run or self._clock() - self._last >= BURST_SECONDS

    def end(self) -> None:
        """The run is over; what comes next is not part of it."""
        self._run.clear()

    def add(self, event: events.Key) -> tuple[events.Key, ...]:
        """Take a key in; the keys of the run as soon as they can only be prose, else none."""
        if self.begins:
            self._run.clear()
        if not event.is_printable:
            self._run.clear()
            return ()
        self._last = self._clock()
        self._run.append(event)
        if len(self._run) < 2 or {key.character for key in self._run} <= OFTEN_FAST:
            return ()
        typed = tuple(self._run)
        self._run.clear()
        return typed
