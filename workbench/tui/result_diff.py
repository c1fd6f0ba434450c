"""What differs between two texts, beside each other or stacked, as lines of a page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Any, Final

from rich.cells import cell_len

from workbench.tui.comparison import AT_ONCE, Comparison, compare
from workbench.tui.diff import MINUS, Diff, DiffRow, Words
from workbench.tui.json_changes import Change
from workbench.tui.render import Span, clip, fit
from workbench.tui.wrapped import Line, pieces_of
from workbench.visible import visible, visible_line

SIDE_BY_SIDE: Final = 72
"""Cells from which on the two stand beside each other; below they are stacked."""

_VALUE_ROWS: Final = 12
_INDENTED: Final = 20_000
"""Characters of a value up to which it is written with a line for each item."""

_MOST_ROWS: Final = 5_000
_MOST_CHARACTERS: Final = 200_000
"""What is shown of a difference; more cannot be taken in, and would hold up the keys."""

_compared = lru_cache(maxsize=4)(compare)
_SIGNS: Final = {"added": ("+", "success"), "removed": (MINUS, "error"), "changed": ("±", "accent")}


def half_of(width: int) -> int:
    """The cells of either side: 2 are free at both edges and between the two."""
    return (width - 6) // 2


def result_lines(old: str, new: str, width: int) -> list[Line]:
    """Both texts as lines of spans; empty if they are the same. Of long ones the beginnings are compared."""
    lines = comparison_lines(_compared(old[:AT_ONCE], new[:AT_ONCE]), width)
    rest = max(len(old), len(new)) - AT_ONCE
    if rest > 0:
        lines.append(((f"  Compared as far as here; {rest:,} more characters.", "muted"),))
    return lines


def comparison_lines(comparison: Comparison, width: int) -> list[Line]:
    """Both sides of what differs as lines of spans, beside each other or stacked."""
    found = comparison.found
    if not isinstance(found, Diff):
        if not comparison.told:
            return []
        return [*_paths(found[:_MOST_ROWS], width), *_left_out(len(found), _MOST_ROWS)]
    shown = _shown(found.rows)
    lines = _beside(shown, width) if width >= SIDE_BY_SIDE else _stacked(shown, width)
    return [*lines, *_left_out(len(found.rows), len(shown))]


def _shown(rows: Sequence[DiffRow]) -> Sequence[DiffRow]:
    """The first ones, as far as they can be shown; a line that was cut goes with the one in its place."""
    taken: dict[int, int] = {}
    room = _MOST_CHARACTERS
    for pair in _pairs(rows):
        found = {id(row): len(row.text) for row in pair if row is not None}
        room -= sum(found.values())
        if taken and (room < 0 or len(taken) + len(found) > _MOST_ROWS):
            return [row for row in rows if id(row) in taken]
        taken.update(found)
    return rows


def _left_out(count: int, shown: int) -> Iterator[Line]:
    if count > shown:
        yield ((f"  … {count - shown:,} more differences are not shown", "muted"),)


# JSON


def _paths(found: Sequence[Change], width: int) -> Iterator[Line]:
    if not found:
        yield (("  The values are the same, only written differently.", "subtle"),)
        return
    if width < SIDE_BY_SIDE:
        for change in found:
            yield from _stacked_change(change, width)
        return
    longest = max(cell_len(_path(change)) for change in found)
    half = half_of(width)
    path_cells = min(longest, half // 2)
    room = half - 2 - path_cells - 2
    for change in found:
        sign, key = _SIGNS[change.kind]
        olds = [] if change.kind == "added" else _value(change.old, room)
        news = [] if change.kind == "removed" else _value(change.new, half)
        label = _path(change)
        if cell_len(label) > path_cells:
            yield (("  ", "muted"), (sign + " ", key), (clip(label, width - 6), "subtle"))
            sign = label = ""
        for left, right in zip_longest(olds, news):
            yield (
                ("  ", "muted"),
                (fit(sign, 2), key),
                (fit(label, path_cells + 2), "subtle"),
                *_cell(left, room, "cut"),
                ("  ", "text"),
                *_cell(right, half, "add"),
            )
            sign = label = ""


def _stacked_change(change: Change, width: int) -> Iterator[Line]:
    sign, key = _SIGNS[change.kind]
    yield (("  ", "muted"), (sign + " ", key), (clip(_path(change), width - 6), "subtle"))
    room = width - 8
    if change.kind != "added":
        yield from _marked(_value(change.old, room), MINUS, "error", "cut", room)
    if change.kind != "removed":
        yield from _marked(_value(change.new, room), "+", "success", "add", room)


def _marked(texts: Iterable[str], sign: str, key: str, ground: str, room: int) -> Iterator[Line]:
    for number, text in enumerate(texts):
        yield (
            ("    ", "text"),
            (sign if not number else " ", key),
            (" ", "text"),
            *_cell(text, room, ground),
        )


def _path(change: Change) -> str:
    return visible_line(change.path) or "(all of it)"


def _value(value: Any, room: int) -> list[str]:
    """A value in lines of at most ``room`` cells; what is left out is said."""
    text = json.dumps(value, ensure_ascii=False)
    if room < len(text) <= _INDENTED and isinstance(value, dict | list):
        text = json.dumps(value, ensure_ascii=False, indent=2)
    most = max(1, room) * _VALUE_ROWS
    shown = visible(text[: most + 1])
    pieces = [piece for line in shown.split("\n") for piece in pieces_of(line, room)]
    if len(pieces) <= _VALUE_ROWS and len(text) <= most:
        return pieces
    left = len(text) - len("".join(pieces[: _VALUE_ROWS - 1]))
    return [*pieces[: _VALUE_ROWS - 1], clip(f"… {left:,} more characters", room)]


def _cell(text: str | None, room: int, ground: str) -> list[Span]:
    return [(" " * room, "text")] if text is None else [(fit(text, room), f"text on:{ground}")]


# text


def _beside(rows: Sequence[DiffRow], width: int) -> Iterator[Line]:
    digits = max((len(str(row.old or row.new or 0)) for row in rows), default=1)
    room = half_of(width) - digits - 3
    for left, right in _pairs(rows):
        if left is not None and left.kind in ("fold", "note"):
            yield (("  " + clip(left.text, width - 4), "muted"),)
            continue
        olds = _column(left, left.old if left else None, digits, room, "cut")
        news = _column(right, right.new if right else None, digits, room, "add")
        blank: list[Span] = [(" " * (digits + 3 + room), "text")]
        for one, other in zip_longest(olds, news):
            yield (("  ", "text"), *(one or blank), ("  ", "text"), *(other or blank))


def _pairs(rows: Sequence[DiffRow]) -> Iterator[tuple[DiffRow | None, DiffRow | None]]:
    """What stands on the left and on the right: lines that took each other's place beside each other."""
    cut: list[DiffRow] = []
    add: list[DiffRow] = []
    for row in rows:
        if row.kind == "cut":
            if add:
                yield from zip_longest(cut, add)
                cut, add = [], []
            cut.append(row)
        elif row.kind == "add":
            add.append(row)
            if row.words and len(cut) == len(add):
                yield from zip_longest(cut, add)
                cut, add = [], []
        else:
            yield from zip_longest(cut, add)
            cut, add = [], []
            yield row, row
    yield from zip_longest(cut, add)


def _column(row: DiffRow | None, number: int | None, digits: int, room: int, ground: str) -> list[list[Span]]:
    if row is None:
        return []
    changed = row.kind in ("cut", "add")
    on = f" on:{ground}" if changed else ""
    lines: list[list[Span]] = []
    at = 0
    for piece in pieces_of(row.text, room):
        label = f"{number:>{digits}}" if number is not None and not lines else " " * digits
        sign = (MINUS if row.kind == "cut" else "+") if changed and not lines else " "
        sign_key = "error" if sign == MINUS else "success"
        spans: list[Span] = [(label + " ", "muted"), (sign + " ", sign_key + on)]
        spans += _worded(piece, at, row.words, "text" + on, f"text on:{ground}_word")
        spans.append((" " * (room - cell_len(piece)), "text" + on))
        lines.append(spans)
        at += len(piece)
    return lines


def _worded(text: str, start: int, words: Words, key: str, marked: str) -> Iterator[Span]:
    """The text with the changed words of its line set off; it begins at ``start`` of the line."""
    at = 0
    for left, right in words:
        left, right = max(left - start, at), min(right - start, len(text))
        if left < right:
            yield text[at:left], key
            yield text[left:right], marked
            at = right
    yield text[at:], key


def _stacked(rows: Sequence[DiffRow], width: int) -> Iterator[Line]:
    room = width - 6
    for row in rows:
        if row.kind in ("fold", "note"):
            yield (("  " + clip(row.text, width - 4), "muted"),)
            continue
        ground = {"cut": " on:cut", "add": " on:add"}.get(row.kind, "")
        sign, key = {"cut": (MINUS, "error"), "add": ("+", "success")}.get(row.kind, (" ", "muted"))
        at = 0
        for piece in pieces_of(row.text, room):
            words = _worded(piece, at, row.words, "text" + ground, f"text{ground}_word" if ground else "text")
            blanks = (" " * (room - cell_len(piece)), "text" + ground)
            yield (("  ", "text"), (sign + " ", key + ground), *words, blanks)
            at, sign = at + len(piece), " "
