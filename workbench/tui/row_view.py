"""A virtual view of rows: plain records, of which only those in view are ever drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from rich.cells import cell_len
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from workbench.tui.painted import Painted
from workbench.tui.palette import Palette, Token
from workbench.tui.render import Span, row, spans_width
from workbench.tui.thumb import Thumb, with_thumb

R = TypeVar("R")

Draw = Callable[[R, int], Iterable[Span]]
"""Draws one record in the given width: its spans from cell 0 on, blanks at the end left out."""


class RowView(ScrollView, Painted, Generic[R], can_focus=True, inherit_bindings=False):
    """Shows ``rows``, which stay with their owner and are shown as they are.

    Whoever changes ``rows`` says so with ``spliced`` (for each change) and ``settle`` (once per batch).
    ``follows`` keeps the last row in view until a person scrolls away from it. Records are compared by
    identity and may be shared between views.
    """

    DEFAULT_CSS = "RowView { height: 1fr; overflow: hidden hidden; }"

    following: reactive[bool] = reactive(False, repaint=False)

    class Moved(Message):
        """The cursor is on another row, or the view follows or no longer does."""

        def __init__(self, rows: RowView[Any]) -> None:
            super().__init__()
            self.rows = rows

        @property
        def control(self) -> RowView[Any]:
            """The view that sent it."""
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
        """``rests`` says whether a record can be pointed at; ``empty`` is said while there is none."""
        super().__init__(id=id)
        self._draw = draw
        self._palette = palette
        self.rows: list[R] = rows if rows is not None else []
        self._rests = rests or (lambda _record: True)
        self.empty = tuple(empty)
        self._background: Token = background
        self._follows = follows
        self._hover = -1
        self._frame: tuple[int, int, Thumb] | None = None
        self._dragging = False
        self.set_reactive(RowView.following, follows)

    # what is shown

    @property
    def background(self) -> Token:
        """The background token of rows at rest."""
        return self._background

    @background.setter
    def background(self, background: Token) -> None:
        self._background = background
        self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """A list that is as high as its rows has its height before it was laid out for the first time."""
        return len(self.rows)

    def show(self, rows: list[R]) -> None:
        """Show other rows."""
        self.rows = rows
        self.settle()

    def spliced(self, start: int, removed: int, added: int) -> None:
        """``rows[start:start + removed]`` was replaced by ``added`` records: the view keeps its own."""
        top = self.scroll_offset.y
        if not self.following and start + removed <= top and added != removed:
            self.set_reactive(RowView.scroll_y, float(max(0, top + added - removed)))

    def settle(self) -> None:
        """Bring size and view in line with the rows, and draw what can be seen."""
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

    def redraw(self, record: R) -> None:
        """What one record shows has changed; nothing is done while it is out of view."""
        for index in self._view():
            if self.rows[index] is record:
                self.refresh_line(index)

    def follow(self, on: bool) -> None:
        """Keep the last row in view, or no longer."""
        self.following = self._follows and on
        if self.following:
            self._scroll(self.max_scroll_y)

    # drawing

    def render_lines(self, crop: Region) -> list[Strip]:
        """Paint rows; what they have in common is asked for once."""
        self._frame = self._common()
        try:
            return super().render_lines(crop)
        finally:
            self._frame = None

    def _common(self) -> tuple[int, int, Thumb]:
        """The width, the row at the top, the thumb."""
        width, height = self.size
        top = self.scroll_offset.y
        return width, top, Thumb(height, len(self.rows), top)

    def render_line(self, y: int) -> Strip:
        """One line of what is in view."""
        width, top, thumb = self._frame or self._common()
        index = y + top
        if index >= len(self.rows):
            spans: Sequence[Span] = _wrapped(self.empty, width, y) if not self.rows else ()
            return row(spans, width, self._palette, self._background)
        background, bar = self.ground(index)
        strip = row(self._draw(self.rows[index], width), width, self._palette, background, bar=bar)
        return with_thumb(strip, width, self._palette, background) if thumb.covers(y) else strip

    def ground(self, index: int) -> tuple[Token, Token | None]:
        """The background of a row, and the colour of the bar in its first cell."""
        return self._background, None

    @property
    def _thumb(self) -> Thumb:
        return self._common()[2]

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

    # the mouse

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Tint the row under the mouse, or move the thumb."""
        if self._dragging:
            self._scroll(self._thumb.top_for(event.y))
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
        if self._on_thumb(event):
            self._dragging = True
            self.capture_mouse()
            self._scroll(self._thumb.top_for(event.y))
            event.stop()

    def on_mouse_up(self) -> None:
        """Let go of the thumb."""
        if self._dragging:
            self._dragging = False
            self.release_mouse()

    def _on_thumb(self, event: events.MouseEvent) -> bool:
        return event.x == self.size.width - 1 and self._thumb.shown


def _wrapped(spans: Sequence[Span], width: int, line: int) -> list[Span]:
    """One line of sentences that are broken between words, 2 cells from either edge."""
    lines: list[list[Span]] = [[]]
    for text, key in spans:
        for word in text.split():
            if lines[-1] and spans_width(lines[-1]) + 1 + cell_len(word) > width - 4:
                lines.append([])
            lines[-1].append((" " + word if lines[-1] else word, key))
    return [("  ", "muted"), *lines[line]] if line < len(lines) else []
