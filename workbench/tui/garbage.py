"""Keeps the garbage collector from pausing the screen: no pass looks twice at what lives long."""

from __future__ import annotations

import gc
from typing import Final, Literal

_YOUNG_PASSES: Final = 5
_MIDDLE_PASSES: Final = 4
"""Passes over the youngest before one over what survived them, and of those before a full one."""


class Garbage:
    """Sets aside what survived a full pass of the cyclic collector, so that later passes do not grow.

    A pass over a whole session takes tenths of a second, which a person feels while typing or while text
    streams. What was set aside and became garbage since is found by ``sweep``. As no two full passes look
    at the same things, many short ones cost no more than a few long ones.
    """

    def __init__(self) -> None:
        self._aside = 0
        self._thresholds = gc.get_threshold()

    def install(self) -> None:
        """Switch it on, set aside what is there, and from now on whatever survives a full pass."""
        self._thresholds = gc.get_threshold()
        gc.set_threshold(self._thresholds[0], _YOUNG_PASSES, _MIDDLE_PASSES)
        gc.callbacks.append(self._passed)
        self.keep()
        gc.enable()

    def keep(self) -> None:
        """Set aside everything at once, without a look at it: much was made that lives long."""
        gc.freeze()
        self._aside += 1

    def remove(self) -> None:
        """Leave the collector to itself again; nothing stays aside."""
        if self._passed in gc.callbacks:
            gc.callbacks.remove(self._passed)
            gc.set_threshold(*self._thresholds)
        gc.unfreeze()

    def rest(self) -> None:
        """Collect what came up lately, while nothing goes on: it costs what the last turn was long."""
        gc.collect()
        # a full pass waits until a quarter as much came up as survived the last one: let that be nothing
        gc.collect()

    def sweep(self) -> None:
        """Look at everything, if anything was set aside since: for when nobody has been there for long."""
        if self._aside:
            gc.unfreeze()
            self.rest()
            self._aside = 0

    def _passed(self, phase: Literal["start", "stop"], info: dict[str, int]) -> None:
        if phase == "stop" and info["generation"] == 2:
            self.keep()
