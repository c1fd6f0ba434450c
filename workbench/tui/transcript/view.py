"""A scrolling view of a document: lays out what is near, paints what is seen, follows what is new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, NamedTuple

from textual import events
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from workbench.tui.palette import Palette
from workbench.tui.render import Span
from workbench.tui.thumb import Thumb
from workbench.tui.transcript.blocks import Block
from workbench.tui.transcript.colouring import Colouring
from workbench.tui.transcript.document import Document, Extent, Place
from workbench.tui.transcript.painter import MARGIN, Look, Painter, line_id
from workbench.tui.transcript.selection import selected_text, whole_block

_SLICE_PAUSE: Final = 0.02
_NEW_BELOW: Final[tuple[Span, ...]] = (
    ("↓ new below", "accent strong"),
    ("   end", "subtle"),
    (" shows it", "muted"),
)


class _Frame(NamedTuple):
    """What all rows of one painting have in common."""

    width: int
    height: int
    top: int
    thumb: Thumb
    bar: Sequence[Span] | None
    selection: Selection | None


class TranscriptView(ScrollView, inherit_bindings=False):
    """Shows a document. What a frame costs depends on the height of the view, not on what stands above it.

    ``follow`` keeps the newest row in view. It ends when the user scrolls up and begins again at the
    bottom; a user who scrolled up is not moved by anything that arrives.
    """

    ALLOW_SELECT: ClassVar[bool] = True

    def __init__(self, palette: Palette, document: Document, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id)
        self.document = document
        self._painter = Painter(palette)
        self._colouring = Colouring(document)
        self._follow = True
        self._unseen = False
        self._known: Extent = (-1, 0)
        self._anchor: Place | None = None
        self._moving = False
        self._frame: _Frame | None = None
        self._guessing = False
        self._dragging = False

    @property
    def palette(self) -> Palette:
        """The colours; setting them paints everything anew and lays out nothing."""
        return self._painter.palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._painter.palette = palette
        self.refresh()

    @property
    def follow(self) -> bool:
        """Whether the newest row stays in view. Setting it scrolls there."""
        return self._follow

    @follow.setter
    def follow(self, follow: bool) -> None:
        self._follow = follow
        if follow:
            self._settle()
            self.refresh()

    # what a view of something in particular adds

    def emphasis(self, block: Block, row: int) -> tuple[str | None, bool]:
        """The background of a block's row, where it is not the block's own, and the cursor bar."""
        return None, False

    def goes_on(self, block: Block) -> bool:
        """Whether the block is being written right now."""
        return False

    def found(self, text: str) -> tuple[tuple[int, int], ...]:
        """The parts of a line that hold what is searched for."""
        return ()

    def bar(self) -> Sequence[Span] | None:
        """What lies over the last row: that there is new text below, if there is."""
        return _NEW_BELOW if self._unseen else None

    def settled(self) -> None:
        """What is in view was laid out."""

    # geometry

    def on_resize(self, event: events.Resize) -> None:
        """Lay out for the new width; the row at the top stays the same text."""
        self.document.set_width(max(event.size.width - 2 * MARGIN, 1))
        self._settle()
        self.refresh()
        self._guess_slice()

    def _guess_slice(self) -> None:
        """Guess how tall more of what is out of view is at the new width; what is in view stays there."""
        more = self.document.guess_on()
        self._settle()
        self.refresh_thumb()
        if more and not self._guessing:
            self._guessing = True
            self.set_timer(_SLICE_PAUSE, self._guess_next)

    def _guess_next(self) -> None:
        self._guessing = False
        self._guess_slice()

    def refresh_thumb(self) -> None:
        """Paint the scrollbar again."""
        width, height = self.size
        self.refresh(Region(width - 1, 0, 1, height))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """The user scrolled: decide whether to follow, and lay out what came into view."""
        super().watch_scroll_y(old_value, new_value)
        if self._moving or round(old_value) == round(new_value):
            return
        self._anchor = self.document.place(round(new_value))
        self._follow = new_value >= self._bottom()
        self._settle()

    def scroll_rows(self, rows: int) -> None:
        """Scroll down, or up where ``rows`` is negative, at once."""
        self.scroll_y = self.scroll_target_y = max(min(self.scroll_offset.y + rows, self._bottom()), 0)

    def forget_place(self) -> None:
        """The document is another one: begin at its end."""
        self._anchor, self._follow, self._unseen = None, True, False

    def begin_at_top(self) -> None:
        """The document is another one, to be read from its first row on."""
        self._anchor, self._follow, self._unseen = self.document.place(0), False, False
        self._known = self.document.extent

    def show(self, block: Block, index: int = 0) -> None:
        """Scroll so that a row of a block is in view."""
        self.document.measure(block.index)
        row = self.document.top(block) + block.gap + index
        top, height = self.scroll_offset.y, self.size.height
        if row < top:
            self.scroll_rows(row - 1 - top)
        elif row >= top + height - 1:
            self.scroll_rows(row - top - height + 2)

    def in_view(self) -> list[Block]:
        """The blocks of which any row is in view."""
        top = self.scroll_offset.y
        return [block for block in self.document.between(top, top + self.size.height) if block.rows]

    def seen(self) -> list[Block]:
        """The blocks whose first row is in view."""
        blocks = self.in_view()
        return blocks[1:] if blocks and self.row_of(blocks[0]) < 0 else blocks

    def hold(self, block: Block, row: int) -> None:
        """The block became taller or less tall: lay out anew, its first row on the given row of the view."""
        self.document.settle(block.index, 2 * self.size.height, 2 * self.size.height)
        top = max(self.document.top(block) + block.gap - row, 0)
        self._anchor = self.document.place(top)
        self._follow = top >= self._bottom()
        self._settle()
        self.document.take_touched()
        self.refresh()

    def row_of(self, block: Block) -> int:
        """The row of the view where the text of a block begins; outside of it where it is not in view."""
        return self.document.top(block) + block.gap - self.scroll_offset.y

    def refresh_row(self, row: int) -> None:
        """Paint one row of the view again, if it is one."""
        if 0 <= row < self.size.height:
            self.refresh(Region(0, row, self.size.width, 1))

    def update_view(self) -> None:
        """The document changed: lay out what is seen of it and paint what changed."""
        touched = self.document.take_touched()
        if touched is None:
            return
        before = self.scroll_offset.y
        self._settle()
        blocks = self.document.blocks
        first = self.document.top(blocks[touched]) if touched < len(blocks) else self.document.height
        height, row = self.size.height, first - self.scroll_offset.y
        known, self._known = self._known, self.document.extent
        more = self._known > known and self.document.height > self.scroll_offset.y + height
        if not self._follow and not self._unseen and more:
            self._unseen = True
            row = min(row, height - 1)
        if self._follow or before != self.scroll_offset.y:
            # everything moved, or the thumb of the scrollbar did
            row = 0 if before != self.scroll_offset.y else row
        row = max(row, 0)
        if row < height:
            self.refresh(Region(0, row, self.size.width, height - row))

    def _settle(self) -> None:
        """The one place that lays out and scrolls: exact around the viewport, guesses elsewhere."""
        height, document = self.size.height, self.document
        if not height or not self.size.width:
            return
        if self._follow or not document.blocks:
            if document.blocks:
                document.settle(len(document.blocks) - 1, 2 * height, 1)
            self._move(self._bottom())
        else:
            anchor = self._anchor or Place(0, 0, 0)
            if anchor.block >= len(document.blocks):
                anchor = Place(len(document.blocks) - 1, 0, 0)
            document.measure(anchor.block)
            below = document.row(anchor) - document.top(document.blocks[anchor.block])
            document.settle(anchor.block, height, below + 2 * height)
            self._move(document.row(anchor))
            self._follow = self.scroll_offset.y >= self._bottom()
        if self._follow:
            self._unseen = False
        self._colour()
        self.settled()

    def _bottom(self) -> int:
        # a blank row separates the last line from what is below the view
        return max(self.document.height + 1 - self.size.height, 0)

    def _move(self, row: int) -> None:
        self._moving = True
        # no layout: nothing but the rows inside depends on the height of the text
        self.set_reactive(ScrollView.virtual_size, Size(self.size.width, self.document.height + 1))
        row = max(min(row, self._bottom()), 0)
        if round(self.scroll_y) != row:
            self.scroll_y = self.scroll_target_y = row
        self._moving = False

    def _colour(self) -> None:
        if not self._colouring.busy and self._colouring.begin(self.scroll_offset.y, self.size.height):
            self._colour_slice()

    def _colour_slice(self) -> None:
        fence = self._colouring.step()
        if fence is not None:
            top = max(self.row_of(fence), 0)
            self.refresh(Region(0, top, self.size.width, max(self.size.height - top, 0)))
        self.set_timer(_SLICE_PAUSE, self._colour_slice if self._colouring.busy else self._colour)

    # painting

    def render_lines(self, crop: Region) -> list[Strip]:
        """Paint rows; what finds a character under the mouse is left out."""
        self._frame = self._common()
        try:
            return super().render_lines(crop)
        finally:
            self._frame = None

    def _common(self) -> _Frame:
        width, height = self.size
        return _Frame(width, height, self.scroll_offset.y, self._thumb, self.bar(), self.text_selection)

    def render_line(self, y: int) -> Strip:
        """One row of the view, for painting or, with offsets, to find what is under the mouse."""
        offsets = self._frame is None
        frame = self._frame or self._common()
        width, selection = frame.width, frame.selection
        thumb = not offsets and frame.thumb.covers(y)
        if y == frame.height - 1 and not offsets and frame.bar is not None:
            return self._painter.bar(frame.bar, width, thumb=thumb)
        found = self.document.at(y + frame.top)
        if found is None and offsets and self.document.blocks:
            last = self.document.blocks[-1]
            found = last, len(last.rows) - 1
        if found is None or not found[0].rows or (found[1] < 0 and not offsets):
            return self._painter.blank(width, thumb=thumb)
        block, index = found
        index = max(min(index, len(block.rows) - 1), 0)
        background, bar = self.emphasis(block, index)
        look = Look(
            background=background,
            bar=bar,
            selected=None if selection is None else selection.get_span(line_id(block, block.rows[index][0])),
            found=self.found(block.lines[block.rows[index][0]].text),
            offsets=offsets,
            caret=index == len(block.rows) - 1 and self.goes_on(block),
        )
        return self._painter.paint(block, index, width, look, thumb=thumb)

    @property
    def _thumb(self) -> Thumb:
        return Thumb(self.size.height, self.virtual_size.height, self.scroll_offset.y)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """The last column is the scrollbar."""
        if event.x == self.size.width - 1 and self._thumb.shown:
            event.stop()
            self.screen.clear_selection()
            self.capture_mouse()
            self._dragging = True
            self._drag(event.y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """The thumb goes with the mouse."""
        if self._dragging:
            self._drag(event.y)

    def on_mouse_up(self) -> None:
        """Let the thumb go."""
        if self._dragging:
            self._dragging = False
            self.release_mouse()

    def _drag(self, y: int) -> None:
        self.scroll_rows(self._thumb.top_for(y) - self.scroll_offset.y)

    # selection

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text as it was written, without the breaks of the screen."""
        return selected_text(self.document, selection), "\n"

    def select_block(self, block: Block) -> None:
        """Select everything that a block shows."""
        if block.lines:
            self.screen.selections = {self: whole_block(block)}
