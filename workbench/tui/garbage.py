"""Keeps the garbage collector from pausing the screen: what lives long is set aside while it is idle."""

from __future__ import annotations

import gc


def set_aside() -> None:
    """Collect once, then let no later collection look at what is alive now.

    A full pass over a loaded app takes tens of milliseconds, which a person feels while typing or while
    text streams. To be called when nobody waits for the screen.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
