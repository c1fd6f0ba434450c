"""What waits for the running turn to end, above the prompt: calls that run again, and messages."""

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
    """A row for each, in their order; a click takes a message back into the prompt, and a call out."""

    DEFAULT_CSS = "QueuePanel { height: auto; }"

    @dataclass
    class Taken(Message):
        """The person wants message ``index`` back for editing."""

        index: int

    @dataclass
    class RunTaken(Message):
        """The person wants the waiting call ``index`` not to run again."""

        index: int

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id)
        self._palette = palette
        self._runs: tuple[str, ...] = ()
        self._messages: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many messages and calls wait."""
        return len(self._runs) + len(self._messages)

    def show(self, messages: Sequence[str]) -> None:
        """Draw these messages from now on."""
        self._messages = tuple(messages)
        self._renew()

    def show_runs(self, runs: Sequence[str]) -> None:
        """Draw these calls, which run again before any message is sent, from now on."""
        self._runs = tuple(runs)
        self._renew()

    def _renew(self) -> None:
        self.display = bool(self.count)
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """A row for each, and one that says how many more there are."""
        return min(self.count, _SHOWN + 1)

    def render_line(self, y: int) -> Strip:
        """Draw one row."""
        width = self.size.width
        runs = len(self._runs)
        if y >= self.count:
            return row([], width, self._palette, "background")
        if y == _SHOWN:
            text, label = f"and {self.count - _SHOWN} more", "       "
        elif y < runs:
            text, label = f"run again {visible_line(self._runs[y])}", "queued "
        else:
            text, label = visible_line(self._messages[y - runs]), "queued "
        spans = [("  ○ ", "muted"), (label, "muted"), (clip(text, width - 13), "subtle")]
        return row(spans, width, self._palette, "background")

    def on_click(self, event: events.Click) -> None:
        """Take what is under the mouse back."""
        if event.y < min(self.count, _SHOWN):
            at = event.y - len(self._runs)
            self.post_message(self.Taken(at) if at >= 0 else self.RunTaken(event.y))
