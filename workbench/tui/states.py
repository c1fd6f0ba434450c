"""How the state of a tool call is shown, wherever calls are listed: a glyph, a word, their colours."""

from __future__ import annotations

from typing import Final, Literal

from workbench.tui.render import Span

State = Literal[
    "writing",
    "pending",
    "waiting",
    "running",
    "success",
    "error",
    "rejected",
    "cancelled",
    "not_found",
    "disabled",
    "denied",
]
"""``writing`` is a call that the model has not finished asking for."""

GLYPHS: Final[dict[State, Span]] = {
    "writing": ("○", "muted"),
    "pending": ("○", "muted"),
    "waiting": ("◇", "warning"),
    "running": ("●", "accent"),
    "success": ("✓", "success"),
    "error": ("✗", "error"),
    "rejected": ("⊘", "warning"),
    "cancelled": ("–", "muted"),
    "not_found": ("✗", "error"),
    "disabled": ("⊘", "warning"),
    "denied": ("⊘", "warning"),
}

WORDS: Final[dict[State, Span]] = {
    "writing": ("pending", "muted"),
    "pending": ("pending", "muted"),
    "waiting": ("waiting", "warning"),
    "rejected": ("rejected", "warning"),
    "cancelled": ("cancelled", "muted"),
    "not_found": ("no such", "error"),
    "disabled": ("off", "warning"),
    "denied": ("denied", "warning"),
}
"""What stands in the time column instead of a time; a state without a word shows the time.

``cancelled`` is the one word of nine cells: it takes the blank before the column as well.
"""
