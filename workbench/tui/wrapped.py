"""Text broken into lines of spans between margins, never shortened in silence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from rich.cells import chop_cells

from workbench.tui.render import Span
from workbench.visible import visible

Line: TypeAlias = tuple[Span, ...]
"""One line of a page, from cell 0 on."""

LIMIT: Final = 1_000_000
"""Characters that are shown at most; a last line says how many more there are."""


def wrapped(text: str, width: int, key: str = "text", indent: int = 2) -> Iterator[Line]:
    """Lines of a text, set in by ``indent`` cells, with 2 cells free at the right."""
    room = max(1, width - indent - 2)
    margin: Span = (" " * indent, "text")
    shown = visible(text[:LIMIT])
    for line in shown.split("\n"):
        if line.isascii():
            for start in range(0, max(1, len(line)), room):
                yield margin, (line[start : start + room], key)
        else:
            for piece in chop_cells(line, room) or [""]:
                yield margin, (piece, key)
    if len(text) > LIMIT:
        yield margin, (f"{len(text) - LIMIT:,} more characters are not shown here", "muted")
