"""Logical lines: text with style keys, and where it breaks into rows at a width."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Final, Literal, NamedTuple

from rich.cells import cell_len, get_character_cell_size

from workbench.tui.render import Span

PROSE_WIDTH: Final = 96
"""Prose is not set wider than this, however wide the panel is."""

Mark = tuple[int, int, str]
"""From character, to character, style key (in ``marks``) or target (in ``links``)."""

RowSpan = tuple[int, int]
"""One row of a line: from character, to character."""

Wrap = Literal["words", "cells", "none"]
"""How a line breaks: between words; anywhere, but rather not in a word; not at all."""

_WIDE: Final = "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uffe6"


@cache
def _units() -> re.Pattern[str]:
    """What a line of other than ASCII is broken between; takes a while to be made."""
    return re.compile(f"[{_WIDE}]|[^\\s{_WIDE}]+|\\s+")


_BREAKS: Final = " \t,;([{"
"""Behind these a line of code is broken rather than elsewhere."""

COPY: Final[tuple[Span, ...]] = (("copy", "muted"),)
"""What stands at the right of a line above code: a click on it copies the code."""


class Line(NamedTuple):
    """One logical line, the unit that is selected and copied.

    ``key`` is the style where no mark says otherwise. ``lead`` is painted before the first row and
    ``hang`` before the others; both have the same width. ``wrap``: ``words`` is prose, ``cells`` is code,
    of which no character is left out, ``none`` was laid out for this width and is clipped. ``joined`` lines
    continue the line before them: no newline between the two when copied. ``right`` is painted flush right.
    """

    text: str
    marks: tuple[Mark, ...] = ()
    key: str = "text"
    lead: tuple[Span, ...] = ()
    hang: tuple[Span, ...] = ()
    wrap: Wrap = "words"
    links: tuple[Mark, ...] = ()
    joined: bool = False
    right: tuple[Span, ...] = ()

    def inside(self, lead: tuple[Span, ...], hang: tuple[Span, ...]) -> Line:
        """The same line with a container's marks before its own."""
        return self._replace(lead=lead + self.lead, hang=hang + self.hang)


def line_of(spans: Iterable[Span], *, right: tuple[Span, ...] = (), clipped: bool = False) -> Line:
    """A line from spans: the texts joined, the keys as marks. ``clipped`` lines are laid out already."""
    marks: list[Mark] = []
    at = 0
    parts: list[str] = []
    for text, key in spans:
        if text:
            marks.append((at, at + len(text), key))
            parts.append(text)
            at += len(text)
    return Line("".join(parts), tuple(marks), wrap="none" if clipped else "words", right=right)


@lru_cache(maxsize=256)
def _cells(lead: tuple[Span, ...]) -> int:
    """How wide a lead is: the lines of a block have few different ones."""
    return sum(cell_len(text) for text, _ in lead)


def break_line(line: Line, width: int) -> list[RowSpan]:
    """Where the line breaks when it has ``width`` cells, its lead included; at least one row."""
    text = line.text
    if line.wrap == "none" or not text:
        return [(0, len(text))]
    if line.lead:
        lead = _cells(line.lead)
        width -= lead
        room = PROSE_WIDTH - lead
    else:
        room = PROSE_WIDTH
    if line.wrap != "cells":
        width = min(width, room)
    if len(text) <= width and text.isascii():
        # nearly every line: a block may have thousands
        return [(0, len(text))]
    return (break_code if line.wrap == "cells" else break_words)(text, max(width, 1))


def break_words(text: str, width: int) -> list[RowSpan]:
    """Rows of at most ``width`` cells, broken at blanks and between wide characters where possible."""
    if text.isascii():
        return _break_ascii(text, width) if len(text) > width else [(0, len(text))]
    if cell_len(text) <= width:
        return [(0, len(text))]
    rows: list[RowSpan] = []
    start = end = used = 0
    for unit in _units().finditer(text):
        if unit[0].isspace():
            used += unit.end() - unit.start()
            continue
        cells = cell_len(unit[0])
        if used + cells > width and end > start:
            rows.append((start, end))
            start, used = unit.start(), 0
        if cells > width:
            # longer than a row: it fills rows of its own, and what comes next follows its last piece
            folded = break_cells(unit[0], width)
            rows += [(unit.start() + left, unit.start() + right) for left, right in folded[:-1]]
            start = unit.start() + folded[-1][0]
            cells, used = cell_len(text[start : unit.end()]), 0
        used += cells
        end = unit.end()
    rows.append((start, max(end, start)))
    return rows


def _break_ascii(text: str, width: int) -> list[RowSpan]:
    rows: list[RowSpan] = []
    start, length = 0, len(text)
    while length - start > width:
        # a blank just behind the last cell is a good place as well
        at = text.rfind(" ", start + 1, start + width + 1)
        if at < 0:
            rows.append((start, start + width))
            start += width
            continue
        end = at
        while end > start and text[end - 1] == " ":
            end -= 1
        if end == start:
            # nothing but blanks in reach
            rows.append((start, start + width))
            start += width
            continue
        rows.append((start, end))
        start = at + 1
        while start < length and text[start] == " ":
            start += 1
    if start < length or not rows:
        rows.append((start, length))
    return rows


def break_cells(text: str, width: int) -> list[RowSpan]:
    """Rows of at most ``width`` cells, broken between any two characters."""
    if text.isascii():
        return [(at, min(at + width, len(text))) for at in range(0, len(text), width)] or [(0, 0)]
    if cell_len(text) <= width:
        return [(0, len(text))]
    rows: list[RowSpan] = []
    start = used = 0
    for at, char in enumerate(text):
        cells = get_character_cell_size(char)
        if used + cells > width and at > start:
            rows.append((start, at))
            start, used = at, 0
        used += cells
    rows.append((start, len(text)))
    return rows


def break_code(text: str, width: int) -> list[RowSpan]:
    """Rows of at most ``width`` cells with every character in one: broken behind a blank or a mark in the
    last third of a row, else between a word and what is none, else anywhere.
    """
    rows: list[RowSpan] = []
    start, plain = 0, text.isascii()
    while True:
        end = start + (width if plain else break_cells(text[start : start + width], width)[0][1])
        if end >= len(text):
            rows.append((start, len(text)))
            return rows
        first = start + 2 * width // 3
        cut = next((at for at in range(end, first, -1) if text[at - 1] in _BREAKS), 0)
        cut = cut or next((at for at in range(end, first, -1) if _ends_word(text, at)), end)
        rows.append((start, cut))
        start = cut


def _ends_word(text: str, at: int) -> bool:
    return (text[at - 1].isalnum() or text[at - 1] == "_") != (text[at].isalnum() or text[at] == "_")


def slice_spans(line: Line, start: int, end: int) -> list[Span]:
    """The spans of one row of the line, without lead and right."""
    spans: list[Span] = []
    at = start
    for left, right, key in line.marks:
        if right <= at:
            continue
        if left >= end:
            break
        if left > at:
            spans.append((line.text[at:left], line.key))
            at = left
        stop = min(right, end)
        spans.append((line.text[at:stop], key))
        at = stop
    if at < end:
        spans.append((line.text[at:end], line.key))
    return spans
