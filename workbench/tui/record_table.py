"""A list of records as a table that fits its width."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from rich.cells import cell_len

from workbench.tui.render import fit
from workbench.tui.wrapped import Line
from workbench.visible import visible_line

_NARROWEST: Final = 8
_GAP: Final = 2
_MOST_ROWS: Final = 20_000
_LONGEST: Final = 2_000


def is_table(value: Any) -> bool:
    """Whether it is a list of records: objects, all with something in them."""
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) and item for item in value)


def table_lines(value: Sequence[dict[str, Any]], width: int) -> list[Line]:
    """Heads and rows. Wide columns are made narrower; columns without room are named below."""
    records = value[:_MOST_ROWS]
    names = list(dict.fromkeys(key for record in records for key in record))
    cells = [[_cell(record[name]) if name in record else "" for name in names] for record in records]
    heads = [visible_line(name) for name in names]
    widths = [max(map(cell_len, column)) for column in zip(heads, *cells, strict=True)]
    numbers = [all(_is_number(record.get(name, 0)) for record in records) for name in names]
    shown = _fitted(widths, width - 4)

    def line(texts: Sequence[str], key: str) -> Line:
        columns = zip(texts, shown, numbers, strict=False)
        joined = (" " * _GAP).join(fit(text, size, right=right) for text, size, right in columns)
        return (("  " + joined, key),)

    lines = [line(heads, "muted"), *(line(row, "text") for row in cells)]
    if len(shown) < len(names):
        lines.append(((f"  no room for {', '.join(heads[len(shown) :])}", "muted"),))
    if len(value) > len(records):
        lines.append(((f"  {len(value) - len(records):,} more rows are not shown", "muted"),))
    return lines


def _fitted(widths: Sequence[int], room: int) -> list[int]:
    """The widths of the columns that fit: the widest give way first."""
    shown = list(widths)
    while len(shown) > 1 and sum(min(each, _NARROWEST) + _GAP for each in shown) - _GAP > room:
        shown.pop()
    left = max(1, room - _GAP * (len(shown) - 1))
    while sum(shown) > left:
        widest = max(shown)
        next_widest = max((each for each in shown if each < widest), default=0)
        many = shown.count(widest)
        target = max(next_widest, widest - -(-(sum(shown) - left) // many), 1)
        shown = [target if each == widest else each for each in shown]
    return shown


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return visible_line(text[:_LONGEST])


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
