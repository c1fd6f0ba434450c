"""What differs between two texts: JSON by its paths, other texts by their lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Final

from workbench.tui.diff import MINUS, Diff, DiffRow, diff
from workbench.tui.json_changes import Change, changes
from workbench.tui.matching import never, watch
from workbench.tui.nesting import too_deep

AT_ONCE: Final = 100_000
"""Characters of two texts together up to which comparing them holds nothing up."""

JSON_LIMIT: Final = 1_000_000
"""Characters of JSON that are read at once, in the screen's loop too."""

_LONGEST: Final = 2_000
_LEAD: Final = 100
"""Of a longer line than the longest only a part is shown, from a few characters before what differs."""

_KINDS: Final = ("changed", "added", "removed")


@dataclass(frozen=True, slots=True)
class Comparison:
    """``told`` is how the two differ in a few words, empty if they are the same.

    ``found`` are the changes where both are JSON, the lines of a diff otherwise.
    """

    told: str = ""
    found: tuple[Change, ...] | Diff = ()


def compare(old: str, new: str, stopped: Callable[[], bool] = never) -> Comparison:
    """How two texts differ. Raises CancelledError soon after ``stopped`` turned true."""
    if old == new:
        return Comparison()
    before, after = json_of(old), json_of(new)
    if before is None or after is None:
        found = diff(old, new, stopped=stopped)
        return Comparison(f"+{found.added:,} {MINUS}{found.removed:,} lines", _shortened(found))
    changed = tuple(watch(changes(before, after, stopped=stopped), stopped))
    counts = [(sum(each.kind == kind for each in changed), kind) for kind in _KINDS]
    told = ", ".join(f"{count:,} {kind}" for count, kind in counts if count)
    return Comparison(told or "written differently, the values are the same", changed)


def _shortened(found: Diff) -> Diff:
    """The same without what is too long to be read of its lines."""
    if all(len(row.text) <= _LONGEST for row in found.rows):
        return found
    rows: list[DiffRow] = []
    cut: list[DiffRow] = []
    add: list[DiffRow] = []
    for row in (*found.rows, None):
        if row is not None and row.kind == "cut" and not add:
            cut.append(row)
        elif row is not None and row.kind == "add":
            add.append(row)
        else:
            pairs = list(zip_longest(cut, add))
            rows += [_part(left, right) for left, right in pairs if left is not None]
            rows += [_part(right, left) for left, right in pairs if right is not None]
            cut, add = [], []
            if row is not None and row.kind == "cut":
                cut.append(row)
            elif row is not None:
                rows.append(_part(row, None))
    return replace(found, rows=tuple(rows))


def _part(row: DiffRow, other: DiffRow | None) -> DiffRow:
    """A line; of a long one the part that differs from the line in whose place it came."""
    if len(row.text) <= _LONGEST:
        return row
    start = max(0, _common(row.text, other.text) - _LEAD) if other is not None else 0
    rest = len(row.text) - start - _LONGEST
    before = f"{start:,} characters … " if start else ""
    after = f" … {rest:,} more characters" if rest > 0 else ""
    return replace(row, text=before + row.text[start : start + _LONGEST] + after)


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with that are the same."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def json_of(text: str, limit: int = JSON_LIMIT) -> Any:
    """The list or object that a result holds, None if it is another text, or one that is nested too deep.

    A text of more characters than ``limit`` is not read.
    """
    if text[:1] not in ("{", "[") or len(text) > limit:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) and not too_deep(value) else None
