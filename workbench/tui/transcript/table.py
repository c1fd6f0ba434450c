"""Tables as text: columns as wide as they need, shrunk and wrapped where the panel is narrow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from rich.cells import cell_len

from workbench.tui.transcript.line import Line, Mark, RowSpan, break_words, slice_spans

Align = Literal["left", "center", "right"]

GAP: Final = 3
"""Cells between two columns."""
RULE: Final = "─"
_LEAST: Final = 6


class Table:
    """Rows of cells laid out as lines; a row added within the widths so far costs only itself.

    ``lines`` are for the width last given to ``layout``, the head and the rule under it first.
    """

    def __init__(self, head: Sequence[Line], aligns: Sequence[Align]) -> None:
        self._head = [cell._replace(key="muted") for cell in head]
        self._aligns = list(aligns)
        self._rows: list[list[Line]] = []
        self._natural = [max(cell_len(cell.text), 1) for cell in head]
        self._before = self._natural
        self._widths: list[int] = []
        self._area = 0
        self._fits = True
        self._starts: list[int] = []
        self.lines: list[Line] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, cells: Sequence[Line]) -> None:
        """Add a row at the end; missing cells are empty."""
        row = list(cells[: len(self._head)])
        row += [Line("")] * (len(self._head) - len(row))
        if row:
            row[0] = row[0]._replace(key="subtle")
        self._rows.append(row)
        self._before = self._natural
        self._natural = [
            max(width, cell_len(cell.text)) for width, cell in zip(self._natural, row, strict=True)
        ]

    def pop(self) -> None:
        """Take back the row that was added last; once, until the next ``add``."""
        self._rows.pop()
        self._natural = self._before
        if len(self._starts) > len(self._rows):
            del self.lines[self._starts.pop() :]

    def layout(self, area: int) -> int:
        """Lay out for ``area`` cells. Returns how many of the lines are as they were before."""
        widths = fit_columns(self._natural, area)
        fits = sum(widths) + GAP * (len(widths) - 1) <= area
        kept = len(self.lines)
        # columns that have room in both areas look the same in both
        same = area == self._area or (fits and self._fits)
        if widths != self._widths or not same or not self.lines:
            self._widths, self._fits, self._starts = widths, fits, []
            self.lines = [*self._row_lines(self._head), self._rule(area)]
            kept = 0
        self._area = area
        for row in self._rows[len(self._starts) :]:
            self._starts.append(len(self.lines))
            self.lines += self._row_lines(row)
        return kept

    def _rule(self, area: int) -> Line:
        width = sum(self._widths) + GAP * (len(self._widths) - 1)
        return Line(RULE * min(width, max(area, 1)), key="rule", wrap="none")

    def _row_lines(self, cells: Sequence[Line]) -> list[Line]:
        if self._fits:
            broken = [break_words(cell.text, width) for cell, width in zip(cells, self._widths, strict=True)]
            tall = max((len(rows) for rows in broken), default=1)
            return [self._line(cells, [rows[i : i + 1] for rows in broken]) for i in range(tall)]
        # too many columns for any width: one line for each cell, so that nothing is hidden
        shown = zip(self._head, cells, strict=True)
        return [_named_cell(head, cell) for head, cell in shown if cells is not self._head] or [
            Line("  ".join(cell.text for cell in cells), key="muted")
        ]

    def _line(self, cells: Sequence[Line], rows: Sequence[Sequence[RowSpan]]) -> Line:
        parts: list[str] = []
        marks: list[Mark] = []
        links: list[Mark] = []
        at = 0
        for cell, broken, width, align in zip(cells, rows, self._widths, self._aligns, strict=True):
            start, end = broken[0] if broken else (0, 0)
            text = cell.text[start:end]
            blanks = width - (len(text) if text.isascii() else cell_len(text))
            before = 0 if align == "left" else blanks if align == "right" else blanks // 2
            at += before
            links += [
                (max(left, start) - start + at, min(right, end) - start + at, target)
                for left, right, target in cell.links
                if left < end and right > start
            ]
            if cell.marks:
                place = at
                for span, key in slice_spans(cell, start, end):
                    marks.append((place, place + len(span), key))
                    place += len(span)
            elif text:
                marks.append((at, at + len(text), cell.key))
            after = blanks - before + GAP
            parts += (" " * before, text, " " * after)
            at += len(text) + after
        return Line("".join(parts).rstrip(), tuple(marks), wrap="none", links=tuple(links))


def _named_cell(head: Line, cell: Line) -> Line:
    shift = len(head.text) + 2
    moved = ((left + shift, right + shift, key) for left, right, key in cell.marks)
    links = tuple((left + shift, right + shift, target) for left, right, target in cell.links)
    return Line(f"{head.text}  {cell.text}", ((0, len(head.text), "muted"), *moved), cell.key, links=links)


def fit_columns(natural: Iterable[int], area: int) -> list[int]:
    """Column widths that fit into ``area`` cells with the gaps: the widest columns give way first.

    No column gets less than 6 cells (or what it needs, if that is less); with many columns the sum
    may then still be larger than the area.
    """
    widths = list(natural)
    room = area - GAP * (len(widths) - 1)
    while sum(widths) > room:
        widest = max(widths)
        if widest <= _LEAST:
            break
        among = [column for column, width in enumerate(widths) if width == widest]
        lower = max((width for width in widths if width < widest), default=_LEAST)
        target = max(lower, _LEAST)
        excess = sum(widths) - room
        if excess < (widest - target) * len(among):
            share, more = divmod(excess, len(among))
            for place, column in enumerate(among):
                widths[column] = widest - share - (1 if place < more else 0)
            break
        for column in among:
            widths[column] = target
    return widths
