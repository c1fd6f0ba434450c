"""Rows of the conversation as strips: margins, colours, selection, links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from workbench.tui.palette import Palette
from workbench.tui.render import CURSOR_BAR, Span, row
from workbench.tui.thumb import with_thumb
from workbench.tui.transcript.blocks import Block, Row
from workbench.tui.transcript.line import COPY, Line, slice_spans

MARGIN: Final = 2
"""Blank cells at both edges of a row."""
_LINE_BITS: Final = 20
_CARET: Final[Span] = ("▍", "accent")
_FOUND: Final = "accent reverse"
_SELECTED: Final = "["
_KEPT_ROWS: Final = 1_000
"""Painted rows that are kept, several screens of them."""


def line_id(block: Block, line: int) -> int:
    """A number for a logical line that rises along the conversation and is never used twice."""
    return block.number << _LINE_BITS | line


def block_number(line: int) -> int:
    """The number of the block that a line id belongs to."""
    return line >> _LINE_BITS


def line_index(line: int) -> int:
    """The index within its block of the line that a line id belongs to."""
    return line & ((1 << _LINE_BITS) - 1)


@dataclass(frozen=True, slots=True)
class Look:
    """How one row is painted.

    ``background`` replaces the block's own. ``bar`` is the cursor bar. ``selected`` is the selected part
    of the row's line, in characters, -1 being its end. ``offsets`` adds what finds a character under the
    mouse. ``caret`` ends the row with the mark of an answer that goes on.
    """

    background: str | None = None
    bar: bool = False
    selected: tuple[int, int] | None = None
    found: tuple[tuple[int, int], ...] = ()
    offsets: bool = False
    caret: bool = False


class _Kept(NamedTuple):
    """A strip, and all that it was painted from."""

    line: Line
    row: Row
    first: bool
    look: Look
    strip: Strip


class Painter:
    """Paints rows in the colours of one palette; a row that is as it was before is not painted again."""

    def __init__(self, palette: Palette) -> None:
        self._palette = palette
        self._kept: dict[tuple[int, int], _Kept] = {}
        self._width = 0

    @property
    def palette(self) -> Palette:
        """The colours; setting them forgets what was painted."""
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = palette
        self._kept.clear()

    def blank(self, width: int, *, thumb: bool = False) -> Strip:
        """A row with nothing on it."""
        strip = Strip.blank(width, self.palette.style("text"))
        return with_thumb(strip, width, self.palette, "background") if thumb else strip

    def bar(self, spans: Sequence[Span], width: int, *, thumb: bool = False) -> Strip:
        """A row that lies over the last row of the view."""
        strip = row([(" " * MARGIN, "text"), *spans], width, self.palette, "raised")
        return with_thumb(strip, width, self.palette, "raised") if thumb else strip

    def paint(self, block: Block, index: int, width: int, look: Look, *, thumb: bool = False) -> Strip:
        """One row of a block, exactly ``width`` cells; ``thumb`` ends it with a piece of the scrollbar."""
        strip = self._row(block, index, width, look)
        if thumb:
            return with_thumb(strip, width, self.palette, look.background or block.background)
        return strip

    def _row(self, block: Block, index: int, width: int, look: Look) -> Strip:
        """The row without a thumb, as it is kept."""
        place, span = (block.number, index), block.rows[index]
        line, first = block.lines[span[0]], not index or block.rows[index - 1][0] != span[0]
        if width != self._width or len(self._kept) > _KEPT_ROWS:
            self._kept.clear()
            self._width = width
        kept = self._kept.get(place)
        if (
            kept is not None
            and kept.line is line
            and kept.row == span
            and kept.first == first
            and kept.look == look
        ):
            return kept.strip
        strip = self._paint(block, span, width, look, first=first)
        if not look.offsets:
            self._kept[place] = _Kept(line, span, first, look, strip)
        return strip

    def _paint(self, block: Block, span: Row, width: int, look: Look, *, first: bool) -> Strip:
        number, start, end = span
        line = block.lines[number]
        background = look.background or block.background
        style = self.palette.style
        segments = [Segment(" " * MARGIN, style("text", background))]
        if look.bar:
            segments = [
                Segment(CURSOR_BAR, style("accent", background)),
                Segment(" ", style("text", background)),
            ]
        for text, key in line.lead if first else line.hang:
            segments.append(Segment(text, style(key, background)))
        text_from = len(segments)
        for at, text, key in self._parts(line, start, end, look):
            segments.append(Segment(text, self._link(line, block, number, at, self._style(key, background))))
        if look.offsets:
            segments = self._with_offsets(segments, text_from, line_id(block, number), start)
        if look.caret:
            segments.append(Segment(_CARET[0], style(_CARET[1], background)))
        if line.right:
            strip = self._flush_right(Strip(segments), (block.number, number), line.right, width, background)
            return strip.adjust_cell_length(width, style("text", background))
        blanks = width - sum(cell_len(text) for text, _, _ in segments)
        if blanks < 0:
            return Strip(segments).adjust_cell_length(width)
        if blanks:
            segments.append(Segment(" " * blanks, style("text", background)))
        return Strip(segments, width)

    def _style(self, key: str, background: str) -> Style:
        if key.startswith(_SELECTED):
            # selected: one background over everything
            words = [word for word in key.removeprefix(_SELECTED).split() if not word.startswith("on:")]
            return self.palette.style(" ".join(words), "selected")
        return self.palette.style(key, background)

    def _parts(self, line: Line, start: int, end: int, look: Look) -> Iterator[tuple[int, str, str]]:
        """Pieces of one style: where they begin, text, key."""
        from_, to = look.selected or (0, 0)
        to = len(line.text) if to < 0 else to
        cuts = {from_, to, *(edge for left, right, _ in line.links for edge in (left, right))}
        cuts |= {edge for part in look.found for edge in part}
        at = start
        for text, key in slice_spans(line, start, end):
            stop = at + len(text)
            edges = sorted({at, stop, *(cut for cut in cuts if at < cut < stop)})
            for left, right in pairwise(edges):
                shown = _FOUND if any(first <= left < last for first, last in look.found) else key
                yield left, line.text[left:right], _SELECTED + shown if from_ <= left < to else shown
            at = stop

    def _link(self, line: Line, block: Block, number: int, at: int, style: Style) -> Style:
        for index, (left, right, _) in enumerate(line.links):
            if left <= at < right:
                return style + Style.from_meta({"@click": ("open_link", (block.number, number, index))})
        return style

    def _with_offsets(self, segments: list[Segment], text_from: int, line: int, start: int) -> list[Segment]:
        """What is before the text counts as its first character: a cell of its own for each character."""
        done: list[Segment] = []
        before = Style.from_meta({"offset": (start, line)})
        for text, style, _ in segments[:text_from]:
            done += [Segment(char, before if style is None else style + before) for char in text]
        at = start
        for text, style, _ in segments[text_from:]:
            meta = Style.from_meta({"offset": (at, line)})
            done.append(Segment(text, meta if style is None else style + meta))
            at += len(text)
        # an empty line is found as well
        done.append(Segment("", Style.from_meta({"offset": (at, line)})))
        return done

    def _flush_right(
        self, strip: Strip, place: tuple[int, int], right: tuple[Span, ...], width: int, background: str
    ) -> Strip:
        cells = sum(cell_len(text) for text, _ in right)
        room = max(width - MARGIN - cells, 0)
        strip = strip.adjust_cell_length(room, self.palette.style("text", background))
        meta = Style.from_meta({"@click": ("copy_block", place)}) if right == COPY else None
        parts = [self.palette.style(key, background) for _, key in right]
        return Strip(
            [
                *strip,
                *(
                    Segment(text, style + meta if meta is not None else style)
                    for (text, _), style in zip(right, parts, strict=True)
                ),
            ]
        )
