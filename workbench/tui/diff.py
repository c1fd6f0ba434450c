"""The difference between two texts as rows for people: lines, the words that changed, and folds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

from workbench.tui.line_view import Line, Mark
from workbench.tui.matching import Watched, never, watch
from workbench.tui.render import Span
from workbench.tui.words import count_words
from workbench.visible import visible_line

Kind = Literal["same", "add", "cut", "fold", "note"]
Words = tuple[tuple[int, int], ...]

MINUS: Final = "−"
_CONTEXT: Final = 3
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_WORD_LIMIT: Final = 2_000
_PAIR_LIMIT: Final = 100
_PAIR_RATIO: Final = 0.2
# beyond this many line pairs a matcher may take seconds; the middle is then shown as replaced whole
_MATCH_LIMIT: Final = 25_000_000
_NO_NEWLINE: Final = "no newline at the end"


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One row. ``old`` and ``new`` are line numbers from 1. ``words`` are the changed parts of ``text``.

    A ``fold`` stands for lines that are the same in both; a ``note`` says something about the line above.
    """

    kind: Kind
    text: str
    old: int | None = None
    new: int | None = None
    words: Words = ()


@dataclass(frozen=True, slots=True)
class Diff:
    """All rows, and how many lines came and went."""

    rows: tuple[DiffRow, ...]
    added: int
    removed: int


def diff(old: str, new: str, *, context: int = _CONTEXT, stopped: Callable[[], bool] = never) -> Diff:
    """Compare two texts line by line; no rows if they are the same.

    Time is bounded: long texts that differ much are not matched closely. Raises CancelledError soon after
    ``stopped`` turned true.
    """
    before, after = _lines(old), _lines(new)
    rows: list[DiffRow] = []
    if before == after and old.endswith("\n") == new.endswith("\n"):
        return Diff((), 0, 0)
    for tag, i1, i2, j1, j2 in _opcodes(before, after, stopped):
        if tag == "equal":
            first, last = i1 == j1 == 0, (i2, j2) == (len(before), len(after))
            rows += _same(before, i1, i2, j1, context, first=first, last=last)
        else:
            rows += watch(_changed(before, after, i1, i2, j1, j2), stopped)
    if old and new and old.endswith("\n") != new.endswith("\n"):
        which = "before" if new.endswith("\n") else "after"
        rows.append(DiffRow("note", f"{_NO_NEWLINE} {which}"))
    return Diff(tuple(rows), sum(row.kind == "add" for row in rows), sum(row.kind == "cut" for row in rows))


def counts(added: int, removed: int) -> list[Span]:
    """``+8 −3`` with its colours; empty if nothing changed."""
    spans: list[Span] = []
    if added:
        spans.append((f"+{added}", "success"))
    if removed:
        spans.append(((" " if spans else "") + f"{MINUS}{removed}", "error"))
    return spans


def diff_lines(found: Diff) -> list[Line]:
    """The rows as lines to show: both line numbers, the sign, the text."""
    numbers = [number for row in found.rows for number in (row.old, row.new) if number is not None]
    wide = max(3, len(str(max(numbers, default=0))))
    return [_line(row, wide) for row in found.rows]


def _line(row: DiffRow, wide: int) -> Line:
    hang = 2 + wide + 1 + wide + 2 + 2
    if row.kind in ("fold", "note"):
        return Line(row.text, "muted", hang)
    old, new = ("" if number is None else str(number) for number in (row.old, row.new))
    sign, sign_key, background = {
        "add": ("+", "success", "add"),
        "cut": (MINUS, "error", "cut"),
    }.get(row.kind, (" ", "muted", "background"))
    prefix = ((f"  {old:>{wide}} {new:>{wide}}  ", "subtle"), (f"{sign} ", sign_key))
    marks = tuple(Mark(start, end, f"text on:{row.kind}_word") for start, end in row.words)
    return Line(row.text, "text", hang, prefix, marks, background)


def _lines(text: str) -> list[str]:
    if not text:
        return []
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _opcodes(
    before: list[str], after: list[str], stopped: Callable[[], bool]
) -> Iterator[tuple[str, int, int, int, int]]:
    head = 0
    for left, right in zip(before, after, strict=False):
        if left != right:
            break
        head += 1
    tail, most = 0, min(len(before), len(after)) - head
    while tail < most and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    old_end, new_end = len(before) - tail, len(after) - tail
    middle_old, middle_new = before[head:old_end], after[head:new_end]
    if head:
        yield "equal", 0, head, 0, head
    if len(middle_old) * len(middle_new) > _MATCH_LIMIT:
        yield "replace", head, old_end, head, new_end
    elif middle_old or middle_new:
        matcher = SequenceMatcher(None, Watched(middle_old, stopped), middle_new)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            yield tag, head + i1, head + i2, head + j1, head + j2
    if tail:
        yield "equal", old_end, len(before), new_end, len(after)


def _same(
    lines: list[str], start: int, end: int, new_start: int, context: int, *, first: bool, last: bool
) -> Iterator[DiffRow]:
    keep_head, keep_tail = (0 if first else context), (0 if last else context)
    hidden = end - start - keep_head - keep_tail
    # a fold takes a row itself, so a single line is shown rather than folded
    fold = range(start + keep_head, end - keep_tail) if hidden > 1 else range(0)
    for index in range(start, end):
        if index in fold:
            if index == fold.start:
                yield DiffRow(
                    "fold", f"… {count_words(hidden, 'line')} {'is' if hidden == 1 else 'are'} the same"
                )
            continue
        yield DiffRow("same", visible_line(lines[index]), index + 1, new_start + index - start + 1)


def _changed(before: list[str], after: list[str], i1: int, i2: int, j1: int, j2: int) -> Iterator[DiffRow]:
    cut = [visible_line(line) for line in before[i1:i2]]
    add = [visible_line(line) for line in after[j1:j2]]
    pairs: list[tuple[Words, Words]] = []
    if len(cut) == len(add) <= _PAIR_LIMIT:
        pairs = [_words(left, right) for left, right in zip(cut, add, strict=True)]
    if pairs and all(left or right for left, right in pairs):
        for index, (left, right) in enumerate(pairs):
            yield DiffRow("cut", cut[index], i1 + index + 1, None, left)
            yield DiffRow("add", add[index], None, j1 + index + 1, right)
        return
    for index, text in enumerate(cut):
        yield DiffRow("cut", text, i1 + index + 1, None, pairs[index][0] if pairs else ())
    for index, text in enumerate(add):
        yield DiffRow("add", text, None, j1 + index + 1, pairs[index][1] if pairs else ())


def _words(left: str, right: str) -> tuple[Words, Words]:
    """The changed parts of two lines that are much alike; nothing for lines that are not."""
    if len(left) > _WORD_LIMIT or len(right) > _WORD_LIMIT:
        return (), ()
    before, after = _WORD.findall(left), _WORD.findall(right)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    same = sum(
        len(word)
        for block in matcher.get_matching_blocks()
        for word in before[block.a : block.a + block.size]
    )
    if same < _PAIR_RATIO * min(len(left), len(right)):
        return (), ()
    old_at, new_at = _offsets(before), _offsets(after)
    old: list[tuple[int, int]] = []
    new: list[tuple[int, int]] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            _join(old, left, old_at[i1], old_at[i2])
            _join(new, right, new_at[j1], new_at[j2])
    return tuple(old), tuple(new)


def _offsets(words: list[str]) -> list[int]:
    offsets = [0]
    for word in words:
        offsets.append(offsets[-1] + len(word))
    return offsets


def _join(parts: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    """Add a part; one that only blanks or a single sign keep from the last one becomes part of it."""
    if start == end:
        return
    if parts and len(text[parts[-1][1] : start].strip()) <= 1:
        parts[-1] = (parts[-1][0], end)
    else:
        parts.append((start, end))
