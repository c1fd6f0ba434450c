"""Messages that wait for the running turn to end, above the prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from workbench.tui.painted import Painted
from workbench.tui.palette import Palette
from workbench.tui.render import clip, row
from workbench.visible import visible_line

_SHOWN = 4


class QueuePanel(Painted):
    """One row a message, in the order they will be sent; a click takes one back into the prompt."""

    DEFAULT_CSS = "QueuePanel { height: auto; }"

    @dataclass
    class Taken(Message):
        """The person wants message ``index`` back for editing."""

        index: int

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id)
        self._palette = palette
        self._messages: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many messages wait."""
        return len(self._messages)

    def show(self, messages: Sequence[str]) -> None:
        """Draw these from now on."""
        self._messages = tuple(messages)
        self.display = bool(messages)
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """A row a message, and one that says how many more there are."""
        return min(len(self._messages), _SHOWN + 1)

    def render_line(self, y: int) -> Strip:
        """Draw one row."""
        width = self.size.width
        if y >= len(self._messages):
            return row([], width, self._palette, "background")
        if y == _SHOWN:
            text, label = f"and {len(self._messages) - _SHOWN} more", "       "
        else:
            text, label = visible_line(self._messages[y]), "queued "
        spans = [("  ○ ", "muted"), (label, "muted"), (clip(text, width - 13), "subtle")]
        return row(spans, width, self._palette, "background")

    def on_click(self, event: events.Click) -> None:
        """Take the message under the mouse back."""
        if event.y < min(len(self._messages), _SHOWN):
            self.post_message(self.Taken(event.y))
