"""Cursors that do not blink: what a picture shows does not depend on how long a test took."""

from __future__ import annotations

from textual.widget import Widget
from textual.widgets import Input, TextArea


def _stay(field: Widget) -> None:
    """The cursor is left as it is."""


def use() -> None:
    """Have every field keep its cursor in sight."""
    for kind, toggle in ((Input, "_toggle_cursor"), (TextArea, "_toggle_cursor_blink_visible")):
        assert hasattr(kind, toggle)
        setattr(kind, toggle, _stay)
