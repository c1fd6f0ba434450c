"""Threads that belong to no call, whoever starts them."""

from __future__ import annotations

import contextvars
import threading


def start_apart(thread: threading.Thread) -> None:
    """Start a thread that lives on and belongs to no call."""
    contextvars.Context().run(thread.start)
