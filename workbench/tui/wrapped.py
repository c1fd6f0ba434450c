"""Text broken into lines of spans between margins, never shortened in silence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from rich.cells import chop_cells

from workbench.tui.render import Span
from workbench.visible import visible

Line: TypeAlias = tuple[Span, ...]
"""One line of a page, from cell 0 on."""


class GoesOn(tuple[Span, ...]):
    """A line that goes on where the one before it was broken: its first span is a margin."""

    __slots__ = ()


LIMIT: Final = 1_000_000
"""Characters that are shown at most; a last line says how many more there are."""


def wrapped(
    text: str, width: int, key: str = "text", indent: int = 2, *, words: bool = False
) -> Iterator[Line]:
    """Lines of a text, set in by ``indent`` cells, with 2 cells free at the right.

    ``words``: broken between words where there is a blank; the blank stays at the end of its line.
    """
    room = max(1, width - indent - 2)
    margin: Span = (" " * indent, "text")
    shown = visible(text[:LIMIT])
    for line in shown.split("\n"):
        if words and len(line) > room:
            pieces = _at_blanks(line, room)
        elif line.isascii():
            pieces = (line[start : start + room] for start in range(0, max(1, len(line)), room))
        else:
            pieces = iter(pieces_of(line, room))
        yield margin, (next(pieces), key)
        yield from (GoesOn((margin, (piece, key))) for piece in pieces)
    if len(text) > LIMIT:
        yield margin, (f"{len(text) - LIMIT:,} more characters are not shown here", "muted")


def _at_blanks(line: str, room: int) -> Iterator[str]:
    """A long line in pieces of at most ``room`` cells, each up to the last blank in it, if there is one."""
    start = 0
    while start < len(line):
        piece = pieces_of(line[start : start + room], room)[0]
        if start + len(piece) < len(line) and (blank := piece.rfind(" ")) > 0:
            piece = piece[: blank + 1]
        yield piece
        start += len(piece)


def pieces_of(line: str, room: int) -> list[str]:
    """Pieces of at most ``room`` cells; a character that is wider, or has no room, is a piece of its own."""
    return [piece for piece in chop_cells(line, max(1, room)) if piece] or [line]
