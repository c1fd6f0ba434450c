"""A few rows of text whose parts can be clicked: headings, lists of calls, tab bars, hint lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from rich.cells import cell_len
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from workbench.tui.palette import Palette
from workbench.tui.render import clip, row

EDGE: Final = 2
"""Cells left free on both sides."""


class Piece(NamedTuple):
    """Some text, safe to paint, its style key, and the action that a click on it runs (empty for none)."""

    text: str
    key: str = "text"
    target: str = ""


@dataclass(frozen=True, slots=True)
class PieceRow:
    """One row. ``bar`` is the colour of the cursor bar; ``target`` is the action of a click anywhere else."""

    pieces: Sequence[Piece] = ()
    background: str = "raised"
    bar: str | None = None
    target: str = ""


BLANK: Final = PieceRow()


def width_of(pieces: Iterable[Piece]) -> int:
    """How many cells the pieces take."""
    return sum(cell_len(piece.text) for piece in pieces)


def fitted(pieces: Iterable[Piece], width: int) -> list[Piece]:
    """The pieces in exactly ``width`` cells: filled with blanks, or clipped with ``…`` at the end."""
    kept: list[Piece] = []
    left = width
    for piece in pieces:
        cells = cell_len(piece.text)
        if cells > left:
            kept.append(piece._replace(text=clip(piece.text, left)))
            left -= cell_len(kept[-1].text)
            break
        kept.append(piece)
        left -= cells
    kept.append(Piece(" " * max(0, left)))
    return kept


def spread(left: Sequence[Piece], right: Sequence[Piece], width: int) -> list[Piece]:
    """Pieces at both ends of a row of ``width`` cells; the left ones give way."""
    room = max(0, width - 2 * EDGE - width_of(right))
    return [Piece(" " * EDGE), *fitted(left, room), *right]


class PieceRows(Widget, can_focus=False):
    """Paints the rows that it is told to show; a click reports the action below it."""

    ALLOW_SELECT = False

    class Pressed(Message):
        """A piece or row was clicked."""

        def __init__(self, target: str) -> None:
            super().__init__()
            self.target = target

    class Wheeled(Message):
        """The wheel turned over the rows by ``step`` rows."""

        def __init__(self, widget: PieceRows, step: int) -> None:
            super().__init__()
            self.widget = widget
            self.step = step

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id)
        self._palette = palette
        self._rows: Sequence[PieceRow] = ()
        self._hovered = -1

    @property
    def palette(self) -> Palette:
        """The colours; setting them paints anew."""
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = palette
        self.refresh()

    def show(self, rows: Sequence[PieceRow]) -> None:
        """Show these rows, and be as high as they are."""
        if len(rows) != len(self._rows):
            self.styles.height = len(rows)
        self._rows = rows
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Paint one row."""
        if y >= len(self._rows):
            return row((), self.size.width, self._palette, "raised")
        shown = self._rows[y]
        hovered = y == self._hovered and shown.target and shown.bar is None
        spans = [(piece.text, piece.key) for piece in shown.pieces]
        background = "hovered" if hovered else shown.background
        return row(spans, self.size.width, self._palette, background, bar=shown.bar)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follow the mouse with the hovered row."""
        self._hover(event.y)

    def on_leave(self, event: events.Leave) -> None:
        """No row is hovered any more."""
        self._hover(-1)

    def on_click(self, event: events.Click) -> None:
        """Report what was clicked."""
        if event.y >= len(self._rows):
            return
        shown = self._rows[event.y]
        at = 0
        for piece in shown.pieces:
            at += cell_len(piece.text)
            if event.x < at:
                target = piece.target or shown.target
                break
        else:
            target = shown.target
        if target:
            self.post_message(self.Pressed(target))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Report the wheel."""
        event.stop()
        self.post_message(self.Wheeled(self, 1))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Report the wheel."""
        event.stop()
        self.post_message(self.Wheeled(self, -1))

    def _hover(self, y: int) -> None:
        if y != self._hovered:
            self._hovered = y
            self.refresh()
