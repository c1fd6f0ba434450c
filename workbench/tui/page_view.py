"""Lines to read, in which one can look for a text."""

from __future__ import annotations

from bisect import bisect_left

from workbench.tui.palette import Palette, Token
from workbench.tui.row_view import RowView
from workbench.tui.wrapped import Line


class PageView(RowView[Line], inherit_bindings=False):
    """Lines to read: no cursor, so the keys are the screen's. Lines that were looked for are tinted."""

    def __init__(self, palette: Palette, background: Token, part: str) -> None:
        super().__init__(_as_drawn, palette, background=background, id=part)
        self.matches: list[int] = []
        self._match = 0

    @property
    def match(self) -> int:
        """Which of the matches is gone to, from 1 on; 0 while there is none."""
        return self._match + 1 if self.matches else 0

    def find(self, text: str) -> None:
        """Tint the lines that hold the text, and go to the first one from here on."""
        wanted = text.lower()
        self.matches = [at for at, line in enumerate(self.rows) if wanted in _said(line)] if wanted else []
        here = self.scroll_offset.y
        self._match = next((at for at, line in enumerate(self.matches) if line >= here), 0)
        self.go_on(0)

    def go_on(self, step: int) -> None:
        """Go to a match further on, from the last one to the first."""
        if self.matches:
            self._match = (self._match + step) % len(self.matches)
            self.bring(self.matches[self._match])
        self.refresh()

    def bring(self, line: int) -> None:
        """Scroll a line into view, if it is not there."""
        top = self.scroll_offset.y
        if not top <= line < top + self.size.height:
            self._scroll(line - self.size.height // 2)

    def ground(self, index: int) -> tuple[Token, Token | None]:
        """The background of a line."""
        at = bisect_left(self.matches, index)
        if at == len(self.matches) or self.matches[at] != index:
            return super().ground(index)
        return ("selected", "accent") if at == self._match else ("hovered", None)

    # scrolling

    def lines(self, count: int) -> None:
        """Scroll by lines."""
        self.scroll_relative(y=count, animate=False, force=True)

    def screens(self, count: int) -> None:
        """Scroll by screens."""
        self.lines(count * max(1, self.size.height - 1))

    def ends(self, end: int) -> None:
        """Scroll to the first (0) or the last (1) line."""
        self.scroll_to(y=end * self.max_scroll_y, animate=False, force=True)


def _as_drawn(line: Line, _width: int) -> Line:
    return line


def _said(line: Line) -> str:
    return "".join(text for text, _ in line).lower()
