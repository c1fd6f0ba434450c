"""Waiting for a fact that another thread brings about."""

from __future__ import annotations

import threading
from collections.abc import Callable


def until(fact: Callable[[], object]) -> None:
    """Return as soon as ``fact()`` holds; fail if it never does."""
    pause = threading.Event()
    for _ in range(6000):
        if fact():
            return
        pause.wait(0.01)
    raise AssertionError("it never became so")
