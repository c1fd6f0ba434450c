"""Textual's text area, in which an undo that takes lines away does not look for a cursor behind the end."""

from __future__ import annotations

from textual.geometry import Offset
from textual.widgets import TextArea


class SteadyArea(TextArea):
    """Undoing a change of many lines brings the scrollbar in line before the cursor, which Textual then seeks
    in a line that is gone already. Nothing is scrolled to in that moment; the cursor follows right after.
    """

    def scroll_cursor_visible(self, center: bool = False, animate: bool = False) -> Offset:
        """Scroll to the cursor, if it stands in the text."""
        if self.cursor_location[0] >= self.document.line_count:
            return Offset(0, 0)
        return super().scroll_cursor_visible(center, animate)
