"""Lines to read, in which one can look for a text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TypeAlias

from textual import events
from textual.message import Message

from workbench.tui.palette import Palette, Token
from workbench.tui.row_view import RowView
from workbench.tui.sought import folded
from workbench.tui.wrapped import GoesOn, Line

Paragraph: TypeAlias = tuple[int, str, Sequence[int]]
"""Its first row, its text as it is compared, and where in that its rows end: nowhere if it is one row."""


class PageView(RowView[Line], inherit_bindings=False):
    """Lines to read; the keys are the screen's. Lines that were looked for, or marked, are tinted.

    There is a cursor only where somebody placed one: ``cursor`` is -1 else.
    """

    class Pressed(Message):
        """A line was clicked, without marking any."""

        def __init__(self, line: int) -> None:
            super().__init__()
            self.line = line

    def __init__(self, palette: Palette, background: Token, part: str) -> None:
        super().__init__(_as_drawn, palette, background=background, id=part)
        self.matches: list[int] = []
        self._match = 0
        self.cursor = -1
        self._anchor = -1
        self._pressed = -1
        self._folded: list[Paragraph] | None = None

    def show(self, rows: list[Line]) -> None:
        """Show other lines."""
        self._folded = None
        super().show(rows)

    # the cursor and what is marked

    @property
    def marked(self) -> bool:
        """Whether lines are marked."""
        return self._anchor >= 0

    def place_cursor(self, line: int) -> None:
        """Put the cursor on a line, or on the nearest there is, and bring it into view."""
        self.cursor = max(0, min(line, len(self.rows) - 1)) if self.rows else -1
        top = self.scroll_offset.y
        if self.cursor < top:
            self._scroll(max(0, self.cursor))
        elif self.cursor >= top + self.size.height:
            self._scroll(self.cursor - self.size.height + 1)
        self.refresh()

    def leave_cursor(self) -> None:
        """No cursor, and nothing marked."""
        self.cursor = self._anchor = -1
        self.refresh()

    def mark(self) -> None:
        """Mark from the cursor on; it comes up at the first line in view."""
        self.place_cursor(self.cursor if self.cursor >= 0 else self.scroll_offset.y)
        self._anchor = self.cursor

    def unmark(self) -> None:
        """Nothing is marked; the cursor stays."""
        self._anchor = -1
        self.refresh()

    def marked_text(self) -> str:
        """What the marked lines say, without the margin; what was broken to fit is one line again."""
        lines: list[str] = []
        marked = self._marked_lines()
        for row in self.rows[marked.start : marked.stop]:
            if lines and isinstance(row, GoesOn):
                lines[-1] += _without_margin(row)
            else:
                lines.append(_text(row))
        lines = [line.rstrip() for line in lines]
        margin = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
        return "\n".join(line[margin:] for line in lines)

    def _marked_lines(self) -> range:
        if self._anchor < 0:
            return range(0)
        return range(min(self._anchor, self.cursor), min(max(self._anchor, self.cursor) + 1, len(self.rows)))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the thumb, or begin to mark."""
        super().on_mouse_down(event)
        line = event.y + self.scroll_offset.y
        self._pressed = line if not self._dragging and line < len(self.rows) else -1

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Mark the lines that the mouse is drawn over while its button is down."""
        super().on_mouse_move(event)
        line = event.y + self.scroll_offset.y
        if self._pressed >= 0 and event.button and line != self._pressed:
            self._anchor = self._pressed
            self.place_cursor(line)

    def on_mouse_up(self) -> None:
        """Let go; lines that were marked stay so."""
        super().on_mouse_up()
        pressed, self._pressed = self._pressed, -1
        if pressed >= 0 and not self.marked:
            self.post_message(self.Pressed(pressed))

    # looking for a text

    @property
    def match(self) -> int:
        """Which of the matches is gone to, from 1 on; 0 while there is none."""
        return self._match + 1 if self.matches else 0

    def find(self, text: str) -> None:
        """Tint the lines that hold the text, or in which it begins, and go to the first one from here on.

        Case does not count.
        """
        if text and self._folded is None:
            self._folded = list(_paragraphs(self.rows))
        self.matches = list(_found(self._folded or (), folded(text))) if text else []
        here = self.scroll_offset.y
        self._match = next((at for at, line in enumerate(self.matches) if line >= here), 0)
        self.go_on(0)

    def go_on(self, step: int) -> None:
        """Go to a match further on, from the last one to the first."""
        if self.matches:
            self._match = (self._match + step) % len(self.matches)
            line = self.matches[self._match]
            self.bring(line)
            if self.cursor >= 0:
                self.place_cursor(line)
        self.refresh()

    def bring(self, line: int) -> None:
        """Scroll a line into view, if it is not there."""
        top = self.scroll_offset.y
        if not top <= line < top + self.size.height:
            self._scroll(line - self.size.height // 2)

    def ground(self, index: int) -> tuple[Token, Token | None]:
        """The background of a line."""
        if index == self.cursor:
            return "selected", "accent"
        if index in self._marked_lines():
            return "selected", None
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


def _paragraphs(rows: Sequence[Line]) -> Iterator[Paragraph]:
    """What was one line each before it was broken."""
    at, count = 0, len(rows)
    while at < count:
        first, said = at, folded(_text(rows[at]))
        at += 1
        if at == count or not isinstance(rows[at], GoesOn):
            yield first, said, ()
            continue
        pieces = [said]
        while at < count and isinstance(rows[at], GoesOn):
            pieces.append(folded(_without_margin(rows[at])))
            at += 1
        yield first, "".join(pieces), list(accumulate(map(len, pieces)))


def _found(paragraphs: Iterable[Paragraph], wanted: str) -> Iterator[int]:
    """The rows in which the text begins, also where it was broken."""
    for first, said, ends in paragraphs:
        place = said.find(wanted)
        while place >= 0:
            row = bisect_right(ends, place)
            yield first + row
            place = said.find(wanted, ends[row]) if ends else -1


def _text(line: Line) -> str:
    return "".join(text for text, _ in line)


def _without_margin(line: Line) -> str:
    return _text(line[1:])
