"""The row of tabs of the inspector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from workbench.tui.palette import Palette
from workbench.tui.panels.status import Line as OneRow
from workbench.tui.render import Span, spans_width


class Tabs(OneRow):
    """The names of the pages; the one that is shown has the colour of the page."""

    background = "raised"

    @dataclass
    class Chosen(Message):
        """A tab was clicked."""

        index: int

    def __init__(self, palette: Palette) -> None:
        super().__init__(palette)
        self._tabs: Sequence[tuple[str, str]] = ()
        self._active = 0
        self._ends: list[int] = []

    def show(self, tabs: Sequence[tuple[str, str]], active: int) -> None:
        """Draw these names and counts."""
        self._tabs, self._active = tabs, active
        self.refresh()

    def spans(self, width: int) -> list[Span]:
        """Each name with 2 cells on either side; those before the active one leave when there is no room.

        Those behind it that have none are left out whole, and a click where they would stand shows the next.
        """
        parts = [[*self._tab(index)] for index in range(len(self._tabs))]
        first = 0
        while first < self._active and sum(map(spans_width, parts[first : self._active + 1])) > width:
            first += 1
        last = len(parts)
        while last > self._active + 1 and sum(map(spans_width, parts[first:last])) > width:
            last -= 1
        self._ends, used = [], 0
        for index, part in enumerate(parts):
            used += spans_width(part) if first <= index < last else 0
            self._ends.append(used if index < last else width)
        more: list[Span] = [("  …", "muted")] if last < len(parts) and used + 3 <= width else []
        return [*(span for part in parts[first:last] for span in part), *more]

    def _tab(self, index: int) -> list[Span]:
        name, count = self._tabs[index]
        active = index == self._active
        ground = " on:background" if active else ""
        spans: list[Span] = [(f"  {name}", ("text strong" if active else "subtle") + ground)]
        if count:
            spans.append((f" {count}", "muted" + ground))
        return [*spans, ("  ", "muted" + ground)]

    def on_click(self, event: events.Click) -> None:
        """Show the page."""
        for index, end in enumerate(self._ends):
            if event.x < end:
                self.post_message(self.Chosen(index))
                return
