"""A view of rows with a cursor, which keys and clicks move."""

from __future__ import annotations

from typing import Any

from textual import events
from textual.message import Message

from workbench.tui.commands import bindings
from workbench.tui.palette import Token
from workbench.tui.row_view import R, RowView


class RowList(RowView[R], inherit_bindings=False):
    """Rows of which one is the current one."""

    BINDINGS = bindings("list")

    _cursor = -1

    class Clicked(Message):
        """A row was clicked in cell ``x``; ``chain`` is 2 for a double click. The cursor is on it."""

        def __init__(self, rows: RowList[Any], record: Any, x: int, chain: int) -> None:
            super().__init__()
            self.rows = rows
            self.record = record
            self.x = x
            self.chain = chain

        @property
        def control(self) -> RowList[Any]:
            """The list that sent it."""
            return self.rows

    # what is shown

    @property
    def cursor(self) -> int:
        """The index of the cursor row, -1 while there is none."""
        return self._cursor

    @property
    def current(self) -> R | None:
        """The record under the cursor."""
        return self.rows[self._cursor] if 0 <= self._cursor < len(self.rows) else None

    @property
    def cursor_in_view(self) -> bool:
        """Whether the cursor row can be seen."""
        return self._cursor in self._view()

    def show(self, rows: list[R]) -> None:
        """Show other rows; the cursor stays on its record if that is among them, else near its place."""
        current = self.current
        self.rows = rows
        self._cursor = next(
            (index for index, record in enumerate(rows) if record is current),
            self._resting(min(self._cursor, len(rows) - 1), -1) if self._cursor >= 0 else -1,
        )
        self.settle()

    def spliced(self, start: int, removed: int, added: int) -> None:
        """``rows[start:start + removed]`` was replaced by ``added`` records: cursor and view keep theirs."""
        if self._cursor >= start + removed:
            self._cursor += added - removed
        elif self._cursor >= start and removed:
            self._cursor = start - 1
        super().spliced(start, removed, added)

    def settle(self) -> None:
        """Bring size, cursor and view in line with the rows, and draw what can be seen."""
        self._cursor = min(self._cursor, len(self.rows) - 1)
        super().settle()

    def go_to(self, index: int) -> None:
        """Put the cursor on a row and bring it into view."""
        self._place(index)
        self._reveal()

    def ground(self, index: int) -> tuple[Token, Token | None]:
        """The cursor row is tinted, more so while the list has the focus; so is the row under the mouse."""
        if index == self._cursor:
            return ("selected", "accent") if self.has_focus else ("hovered", None)
        if index - self.scroll_offset.y == self._hover and self._rests(self.rows[index]):
            return "hovered", None
        return self._background, None

    def _reveal(self) -> None:
        view = self._view()
        if self._cursor < view.start:
            self._scroll(self._cursor)
        elif self._cursor >= view.start + self.size.height:
            self._scroll(self._cursor - self.size.height + 1)
        self.refresh()

    # the cursor

    def on_focus(self) -> None:
        """A list that never had a cursor gets one: at its end if it follows, else at its top."""
        if self._cursor < 0 and self.rows:
            view = self._view()
            self._place(view.stop - 1 if self.following else view.start, -1 if self.following else 1)
        self.refresh()

    def on_blur(self) -> None:
        """The cursor row is tinted less."""
        self.refresh()

    def _resting(self, index: int, step: int) -> int:
        """The nearest row where the cursor may rest, from ``index`` on and first in the way of ``step``."""
        for way in (step, -step):
            found = index
            while 0 <= found < len(self.rows):
                if self._rests(self.rows[found]):
                    return found
                found += way
        return -1

    def _place(self, index: int, step: int = 1) -> None:
        if not self.rows:
            return
        index = self._resting(min(max(index, 0), len(self.rows) - 1), step)
        if index != self._cursor and index >= 0:
            self._cursor = index
            self.post_message(self.Moved(self))
            self.refresh()

    def _move(self, step: int) -> None:
        view = self._view()
        if self._cursor in view:
            self._place(self._cursor + step, 1 if step > 0 else -1)
        elif view:
            # a cursor out of sight begins again where the eye is
            self._place(view.start if self._cursor < view.start and not self.following else view.stop - 1, -1)
        self._reveal()

    def action_cursor_up(self) -> None:
        """One row up."""
        self._move(-1)

    def action_cursor_down(self) -> None:
        """One row down."""
        self._move(1)

    def action_page_up(self) -> None:
        """One screen up."""
        self._move(1 - max(2, self.size.height))

    def action_page_down(self) -> None:
        """One screen down."""
        self._move(max(2, self.size.height) - 1)

    def action_first(self) -> None:
        """The first row."""
        self._place(0)
        self._reveal()
        self._scroll(0)

    def action_last(self) -> None:
        """The last row."""
        self._place(len(self.rows) - 1, -1)
        self._reveal()
        self._scroll(self.max_scroll_y)

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the row and tell the owner where it was hit."""
        index = event.y + self.scroll_offset.y
        if self._on_thumb(event) or index >= len(self.rows):
            return
        self._place(index, -1)
        record = self.current
        if record is not None:
            self.post_message(self.Clicked(self, record, event.x, event.chain))
