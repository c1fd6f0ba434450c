"""One change of a form, and how it is taken back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual.widget import Widget


@dataclass(frozen=True, slots=True)
class Step:
    """``back`` undoes it and goes there; it can no more once ``owner`` has left the screen."""

    owner: Widget
    back: Callable[[], object]
