"""Keeps the garbage collector from pausing the screen: no pass looks twice at what lives long."""

from __future__ import annotations

import gc
from typing import Literal


class Garbage:
    """Sets aside what survived a full pass of the cyclic collector, so that later passes do not grow.

    A pass over a whole session takes tenths of a second, which a person feels while typing or while text
    streams. What was set aside and became garbage since is found by ``sweep``.
    """

    def __init__(self) -> None:
        self._aside = 0

    def install(self) -> None:
        """Set aside whatever survives a full pass, from now on."""
        gc.callbacks.append(self._passed)

    def remove(self) -> None:
        """Leave the collector to itself again; nothing stays aside."""
        if self._passed in gc.callbacks:
            gc.callbacks.remove(self._passed)
        gc.unfreeze()

    def rest(self) -> None:
        """Collect what came up lately, while nothing goes on: it costs what the last turn was long."""
        gc.collect()

    def sweep(self) -> None:
        """Look at everything, if anything was set aside since: for when nobody has been there for long."""
        if self._aside:
            gc.unfreeze()
            gc.collect()
            self._aside = 0

    def _passed(self, phase: Literal["start", "stop"], info: dict[str, int]) -> None:
        if phase == "stop" and info["generation"] == 2:
            gc.freeze()
            self._aside += 1
