"""Removing widgets while others go on being painted."""

from __future__ import annotations

from collections.abc import Iterable

from textual.widget import Widget


def take_away(widgets: Iterable[Widget]) -> None:
    """Remove widgets, and paint none of them any more.

    A widget loses its styles part by part while it goes, and a painting that finds it half gone would fail.
    """
    for widget in list(widgets):
        widget.display = False
        widget.remove()
