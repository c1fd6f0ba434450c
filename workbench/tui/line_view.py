"""A scrolling view of many lines that wraps and paints only what is on the screen."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from rich.cells import cell_len, chop_cells
from textual.events import Resize
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from workbench.tui.palette import Palette
from workbench.tui.render import Span, row
from workbench.tui.thumb import Thumb, with_thumb

_EXACT: Final = 4_096
_EDGE: Final = 2


class Mark(NamedTuple):
    """A part of a line's text with a style key of its own; ``end`` is exclusive, in characters."""

    start: int
    end: int
    key: str


Marks = tuple[Mark, ...]


class Line(NamedTuple):
    """One line of text, safe to paint, however long: it is wrapped, never cut.

    ``hang`` is how many cells stand before the text; ``prefix`` fills them on the first row only.
    ``marks`` are in order; a function makes them from the text once the line is painted.
    ``words`` wraps between words.
    """

    text: str = ""
    key: str = "text"
    hang: int = _EDGE
    prefix: tuple[Span, ...] = ()
    marks: Marks | Callable[[str], Marks] = ()
    background: str = "background"
    words: bool = False


class LineView(ScrollView, can_focus=False):
    """Shows lines; cost per frame depends on its height alone, opening costs a few operations per line."""

    DEFAULT_CSS = "LineView { overflow: hidden hidden; background: $background; }"

    class Moved(Message):
        """Other rows are on the screen now."""

        def __init__(self, view: LineView) -> None:
            super().__init__()
            self.view = view

    def __init__(
        self,
        palette: Palette,
        *,
        background: str = "background",
        id: str | None = None,  # noqa: A002  # Textual's own name
    ) -> None:
        """``background`` is the colour below the last line; lines have their own."""
        super().__init__(id=id)
        self._palette = palette
        self._background = background
        self._lines: Sequence[Line] = ()
        self._ends: list[int] = []
        self._width = 0

    @property
    def palette(self) -> Palette:
        """The colours; setting them paints anew."""
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = palette
        self.refresh()

    @property
    def window(self) -> tuple[int, int, int]:
        """The first and last row on the screen, counted from 1, and how many rows there are."""
        total = self._ends[-1] if self._ends else 0
        top = self.scroll_offset.y
        return min(top + 1, total), min(top + self.size.height, total), total

    def needed(self, width: int, most: int) -> int:
        """How many rows the lines take in ``width`` cells, counted up to ``most``."""
        total = 0
        for line in self._lines:
            if total >= most:
                break
            total += _rows(line, width)
        return min(total, most)

    def show(self, lines: Sequence[Line]) -> None:
        """Show these lines from the top."""
        self._lines = lines
        self._lay_out()
        self.go_to(0)
        self.refresh()
        self.post_message(self.Moved(self))

    @property
    def allow_vertical_scroll(self) -> bool:
        """Always: the thumb is drawn by the rows themselves."""
        return True

    def go_to(self, to: int) -> None:
        """Bring this row to the top, or as near as there are rows."""
        self.scroll_to(0, max(0, min(to, self.max_scroll_y)), animate=False, force=True)

    def on_resize(self, event: Resize) -> None:
        """Wrap anew for another width."""
        if self.size.width != self._width:
            self._lay_out()
        self.post_message(self.Moved(self))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell the tab bar which rows are on the screen."""
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Moved(self))

    def render_line(self, y: int) -> Strip:
        """Build one painted row."""
        width = self.size.width
        at = self.scroll_offset.y + y
        index = bisect_right(self._ends, at)
        if index >= len(self._ends) or width != self._width:
            return row((), width, self._palette, self._background)
        line = self._lines[index]
        nth = at - (self._ends[index - 1] if index else 0)
        start, end = _piece(line, nth, self._width)
        before: Sequence[Span] = line.prefix if nth == 0 and line.prefix else ((" " * line.hang, line.key),)
        strip = row([*before, *_spans(line, start, end)], width, self._palette, line.background)
        thumb = Thumb(self.size.height, self._ends[-1], self.scroll_offset.y)
        return with_thumb(strip, width, self._palette, line.background) if thumb.covers(y) else strip

    def _lay_out(self) -> None:
        width = self._width = self.size.width
        self._ends = list(accumulate(_rows(line, width) for line in self._lines)) if width else []
        self.virtual_size = Size(width, self._ends[-1] if self._ends else 0)


def _room(line: Line, width: int) -> int:
    # one cell more is kept free for the thumb
    return max(2, width - line.hang - _EDGE - 1)


def _rows(line: Line, width: int) -> int:
    room, length = _room(line, width), len(line.text)
    if length <= room and line.text.isascii():
        return 1
    if length > _EXACT:
        return -(-length // _step(line.text, room))
    if line.text.isascii() and not line.words:
        return -(-length // room)
    return len(_breaks(line, room))


def _piece(line: Line, nth: int, width: int) -> tuple[int, int]:
    room, length = _room(line, width), len(line.text)
    if length > _EXACT or (line.text.isascii() and not line.words):
        step = _step(line.text, room)
        return nth * step, min(length, (nth + 1) * step)
    breaks = [*_breaks(line, room), length]
    return breaks[nth], breaks[nth + 1]


def _step(text: str, room: int) -> int:
    # characters are at most two cells wide; counting a million of them exactly would take too long
    return room if text.isascii() else room // 2


def _breaks(line: Line, room: int) -> list[int]:
    """Where each row of a line of moderate length starts, in characters."""
    if not line.words:
        parts = chop_cells(line.text, room)
        return [0, *accumulate(len(part) for part in parts[:-1])]
    starts, text, start = [0], line.text, 0
    while cell_len(text[start:]) > room:
        fits = len(chop_cells(text[start:], room)[0])
        blank = text.rfind(" ", start, start + fits + 1)
        start = blank + 1 if blank > start else start + max(1, fits)
        starts.append(start)
    return starts


def _spans(line: Line, start: int, end: int) -> list[Span]:
    spans: list[Span] = []
    at = start
    for mark in line.marks(line.text) if callable(line.marks) else line.marks:
        left, right = max(mark.start, at), min(mark.end, end)
        if left >= right:
            continue
        spans += [(line.text[at:left], line.key), (line.text[left:right], mark.key)]
        at = right
    spans.append((line.text[at:end], line.key))
    return spans
