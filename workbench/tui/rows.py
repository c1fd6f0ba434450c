"""A virtual list of rows: plain records, of which only those in view are ever drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from workbench.tui.commands import bindings
from workbench.tui.palette import Palette, Token
from workbench.tui.render import Span, row, spans_width

R = TypeVar("R")

Draw = Callable[[R, int], Iterable[Span]]
"""Draws one record in the given width: its spans from cell 0 on, blanks at the end left out."""

_THUMB = "▐"


class RowList(ScrollView, Generic[R], can_focus=True, inherit_bindings=False):
    """A focusable list over ``rows``, which stay with their owner and are shown as they are.

    Whoever changes ``rows`` says so with ``spliced`` (for each change) and ``settle`` (once per batch).
    ``follows`` keeps the last row in view until a person scrolls away from it. Records are compared by
    identity and may be shared between lists.
    """

    BINDINGS = bindings("list")
    DEFAULT_CSS = "RowList { height: 1fr; overflow: hidden hidden; }"

    following: reactive[bool] = reactive(False, repaint=False)

    class Moved(Message):
        """The cursor is on another row, or the list follows or no longer does."""

        def __init__(self, rows: RowList[Any]) -> None:
            super().__init__()
            self.rows = rows

        @property
        def control(self) -> RowList[Any]:
            """The list that sent it."""
            return self.rows

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

    def __init__(
        self,
        draw: Draw[R],
        palette: Palette,
        *,
        rows: list[R] | None = None,
        rests: Callable[[R], bool] | None = None,
        empty: Sequence[Span] = (),
        background: Token = "surface",
        follows: bool = False,
        id: str | None = None,  # noqa: A002  Textual's own name for it
    ) -> None:
        """``rests`` says whether the cursor may rest on a record; ``empty`` is said while there is none."""
        super().__init__(id=id)
        self._draw = draw
        self._palette = palette
        self.rows: list[R] = rows if rows is not None else []
        self._rests = rests or (lambda _record: True)
        self.empty = tuple(empty)
        self._background: Token = background
        self._follows = follows
        self._cursor = -1
        self._hover = -1
        self._dragging = False
        self.set_reactive(RowList.following, follows)

    # what is shown

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = palette
        self.refresh()

    @property
    def background(self) -> Token:
        """The background token of rows at rest."""
        return self._background

    @background.setter
    def background(self, background: Token) -> None:
        self._background = background
        self.refresh()

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
        top = self.scroll_offset.y
        if not self.following and start + removed <= top and added != removed:
            self.set_reactive(RowList.scroll_y, float(max(0, top + added - removed)))

    def settle(self) -> None:
        """Bring size, cursor and view in line with the rows, and draw what can be seen."""
        self._cursor = min(self._cursor, len(self.rows) - 1)
        size = Size(self.size.width, len(self.rows))
        if size != self.virtual_size:
            following = self.following
            self.virtual_size = size
            if self.scroll_y > self.max_scroll_y:
                self._scroll(self.max_scroll_y)
                # fewer rows moved the view, nobody scrolled
                self.following = following
        if self.following:
            self._scroll(self.max_scroll_y)
        self.refresh()

    def go_to(self, index: int) -> None:
        """Put the cursor on a row and bring it into view."""
        self._place(index)
        self._reveal()

    def follow(self, on: bool) -> None:
        """Keep the last row in view, or no longer."""
        self.following = self._follows and on
        if self.following:
            self._scroll(self.max_scroll_y)

    # drawing

    def render_line(self, y: int) -> Strip:
        """One line of what is in view."""
        width, index = self.size.width, y + self.scroll_offset.y
        if index >= len(self.rows):
            spans: Sequence[Span] = _wrapped(self.empty, width, y) if not self.rows else ()
            return row(spans, width, self._palette, self._background)
        background, bar = self._background, None
        if index == self._cursor:
            background = "selected" if self.has_focus else "hovered"
            bar = "accent" if self.has_focus else None
        elif y == self._hover and self._rests(self.rows[index]):
            background = "hovered"
        strip = row(self._draw(self.rows[index], width), width, self._palette, background, bar=bar)
        if y in _thumb(self.size.height, len(self.rows), self.scroll_offset.y):
            thumb = Segment(_THUMB, self._palette.style("rule", background))
            strip = Strip([*strip.crop(0, width - 1), thumb], width)
        return strip

    # scrolling

    @property
    def allow_vertical_scroll(self) -> bool:
        """Always: the thumb is drawn by the rows themselves and takes no width."""
        return True

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Scrolling to the end follows, scrolling away from it does not."""
        super().watch_scroll_y(old_value, new_value)
        self.following = self._follows and new_value >= self.max_scroll_y

    def watch_following(self) -> None:
        """Tell the owner, whose title says so."""
        if self.is_mounted:
            self.post_message(self.Moved(self))

    def on_resize(self) -> None:
        """The end stays in view, if it was."""
        self.settle()

    def _scroll(self, y: float) -> None:
        self.scroll_to(y=y, animate=False, force=True)

    def _view(self) -> range:
        top = self.scroll_offset.y
        return range(top, min(len(self.rows), top + self.size.height))

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

    # the mouse

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Tint the row under the mouse, or move the thumb."""
        if self._dragging:
            self._drag(event.y)
            return
        if event.y != self._hover:
            self._hover = event.y
            self.refresh()

    def on_leave(self) -> None:
        """No row is under the mouse."""
        self._hover = -1
        self.refresh()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the thumb."""
        if event.x == self.size.width - 1 and len(self.rows) > self.size.height:
            self._dragging = True
            self.capture_mouse()
            self._drag(event.y)
            event.stop()

    def on_mouse_up(self) -> None:
        """Let go of the thumb."""
        if self._dragging:
            self._dragging = False
            self.release_mouse()

    def _drag(self, y: int) -> None:
        self._scroll(round(self.max_scroll_y * min(1.0, max(0.0, y / max(1, self.size.height - 1)))))

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the row and tell the owner where it was hit."""
        index = event.y + self.scroll_offset.y
        on_thumb = event.x == self.size.width - 1 and len(self.rows) > self.size.height
        if on_thumb or index >= len(self.rows):
            return
        self._place(index, -1)
        record = self.current
        if record is not None:
            self.post_message(self.Clicked(self, record, event.x, event.chain))


def _thumb(height: int, total: int, top: int) -> range:
    """The lines that the scrollbar's thumb covers; none while everything can be seen."""
    if total <= height:
        return range(0)
    length = max(1, round(height * height / total))
    first = round((height - length) * top / (total - height))
    return range(first, first + length)


def _wrapped(spans: Sequence[Span], width: int, line: int) -> list[Span]:
    """One line of sentences that are broken between words, 2 cells from either edge."""
    lines: list[list[Span]] = [[]]
    for text, key in spans:
        for word in text.split():
            if lines[-1] and spans_width(lines[-1]) + 1 + cell_len(word) > width - 4:
                lines.append([])
            lines[-1].append((" " + word if lines[-1] else word, key))
    return [("  ", "muted"), *lines[line]] if line < len(lines) else []


class TitleRow(Widget):
    """The one raised row above a panel's rows: its name, a count, the heads of its columns."""

    DEFAULT_CSS = "TitleRow { height: 1; }"

    def __init__(
        self, draw: Callable[[int], Iterable[Span]], palette: Palette, background: Token = "raised"
    ) -> None:
        super().__init__()
        self._draw = draw
        self._palette = palette
        self._background: Token = background

    def restyle(self, palette: Palette, background: Token) -> None:
        """Draw in these colours from now on."""
        self._palette, self._background = palette, background
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """The row."""
        width = self.size.width
        return row(self._draw(width), width, self._palette, self._background)
