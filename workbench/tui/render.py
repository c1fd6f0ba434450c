"""Rows of styled cells: the few shapes that every panel draws with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.strip import Strip

from workbench.tui.palette import Palette
from workbench.visible import visible_line

Span = tuple[str, str]
"""A piece of one line: its text (already safe to paint) and its style key."""

TIME_WIDTH: Final = 8
ELLIPSIS: Final = "…"
CURSOR_BAR: Final = "▎"

_ARGUMENT_LIMIT: Final = 2_000


def clip(text: str, width: int) -> str:
    """The text in at most ``width`` cells; ``…`` at its end says that something is missing."""
    if width <= 0:
        return ""
    if len(text) <= width and cell_len(text) <= width:
        return text
    return set_cell_size(text[: width + 1], width - 1).rstrip() + ELLIPSIS


def fit(text: str, width: int, *, right: bool = False) -> str:
    """The text in exactly ``width`` cells, clipped or filled with blanks."""
    text = clip(text, width)
    blanks = " " * (width - cell_len(text))
    return blanks + text if right else text + blanks


def spans_width(spans: Iterable[Span]) -> int:
    """How many cells the spans take."""
    return sum(cell_len(text) for text, _ in spans)


def row(
    spans: Iterable[Span], width: int, palette: Palette, background: str, *, bar: str | None = None
) -> Strip:
    """A full-bleed row of exactly ``width`` cells. ``bar`` puts the cursor bar in that colour into cell 0."""
    segments = [Segment(text, palette.style(key, background)) for text, key in spans if text]
    if bar is not None:
        blanks = Strip(segments).crop(1, width)
        segments = [Segment(CURSOR_BAR, palette.style(bar, background)), *blanks]
    return Strip(segments).adjust_cell_length(width, palette.style("text", background))


def time_cells(milliseconds: float | None) -> str:
    """A duration in exactly 8 cells: the number right-aligned in 5, a blank, the unit left-aligned in 2."""
    if milliseconds is None:
        return " " * TIME_WIDTH
    if milliseconds < 1:
        number, unit = "<1", "ms"
    elif milliseconds < 999.5:
        number, unit = f"{milliseconds:.0f}", "ms"
    elif milliseconds < 9_995:
        number, unit = f"{milliseconds / 1000:.2f}", "s"
    elif milliseconds < 99_950:
        number, unit = f"{milliseconds / 1000:.1f}", "s"
    elif milliseconds < 6_000_000:
        minutes, seconds = divmod(round(milliseconds / 1000), 60)
        number, unit = f"{minutes}:{seconds:02d}", "m"
    else:
        number, unit = f"{milliseconds / 3_600_000:.1f}", "h"
    return f"{number:>5} {unit:<2}"


def count_text(number: int) -> str:
    """A count for people: ``980``, ``12.4k``, ``3.1M``."""
    if number < 1_000:
        return str(number)
    if number < 999_950:
        return f"{number / 1_000:.1f}k"
    return f"{number / 1_000_000:.1f}M"


def cost_text(cost: float | None) -> str:
    """Dollars for people; ``unknown`` where the price is not known."""
    return "cost unknown" if cost is None else f"${cost:.4f}"


def value_text(value: Any) -> str:
    """One argument or result as one line that can be painted; strings are quoted, the rest is JSON."""
    if isinstance(value, str):
        shown = repr(value[:_ARGUMENT_LIMIT])
    else:
        try:
            shown = json.dumps(value, ensure_ascii=False, default=repr)[:_ARGUMENT_LIMIT]
        except (TypeError, ValueError):
            shown = repr(value)[:_ARGUMENT_LIMIT]
    return visible_line(shown)


def arguments_text(arguments: Mapping[str, Any]) -> str:
    """A call's arguments as one line: ``path='a.txt', text='hi'``."""
    return ", ".join(f"{visible_line(str(key))}={value_text(value)}" for key, value in arguments.items())


def name_spans(name: str, key: str = "text") -> list[Span]:
    """A dotted tool name: the namespace in muted, the rest in ``key``."""
    namespace, dot, last = visible_line(name).rpartition(".")
    return [(namespace + dot, "muted"), (last, key)] if dot else [(last, key)]
