"""Textual's text area, steady whatever is undone and whatever stands in the text."""

from __future__ import annotations

from rich.text import Text
from textual.geometry import Offset
from textual.strip import Strip
from textual.widgets import TextArea

from workbench.visible import in_place


class SteadyArea(TextArea):
    """Undoing a change of many lines brings the scrollbar in line before the cursor, which Textual then seeks
    in a line that is gone already. Nothing is scrolled to in that moment; the cursor follows right after.

    Characters that would act on the terminal are painted as signs; the text keeps them.
    """

    def get_line(self, line_index: int) -> Text:
        """A line as it is painted."""
        return Text(in_place(self.document.get_line(line_index)), end="", no_wrap=True)

    def render_line(self, y: int) -> Strip:
        """A row as it is painted; without any room, nothing: Textual breaks the placeholder in no cells."""
        return super().render_line(y) if self.content_size.width else Strip.blank(0)

    def scroll_cursor_visible(self, center: bool = False, animate: bool = False) -> Offset:
        """Scroll to the cursor, if it stands in the text."""
        if self.cursor_location[0] >= self.document.line_count:
            return Offset(0, 0)
        return super().scroll_cursor_visible(center, animate)
