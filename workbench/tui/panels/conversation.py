"""The conversation: what was said and done, streamed, scrolled and selected at a cost that never grows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Final

from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from workbench.tui.commands import bindings
from workbench.tui.events import AgentEvent
from workbench.tui.palette import Palette
from workbench.tui.render import Span
from workbench.tui.text import visible
from workbench.tui.transcript.answer import Fence
from workbench.tui.transcript.blocks import Block, Fixed, Reasoning, notice, welcome
from workbench.tui.transcript.call import CallBlock
from workbench.tui.transcript.document import Document, Place
from workbench.tui.transcript.painter import MARGIN, Look, Painter, line_id
from workbench.tui.transcript.selection import selected_text, whole_block
from workbench.tui.transcript.story import Story

_WHEEL_ROWS: Final = 3
_SLICE_LINES: Final = 40
_SLICE_PAUSE: Final = 0.02


class Conversation(ScrollView, can_focus=True, inherit_bindings=False):
    """Draws a conversation from events. Only rows on the screen are built, only open blocks built again.

    ``follow`` keeps the newest row in view. It ends when the user scrolls up and begins again at the
    bottom; a user who scrolled up is not moved by anything that arrives.
    """

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")
    BINDINGS = bindings("conversation")
    ALLOW_SELECT: ClassVar[bool] = True

    class LinkClicked(Message):
        """A link was clicked. ``target`` is what the model wrote: ask before opening it."""

        def __init__(self, target: str) -> None:
            super().__init__()
            self.target = target

    class Copied(Message):
        """Text went to the clipboard. ``what`` says which, in a word or two."""

        def __init__(self, what: str, characters: int) -> None:
            super().__init__()
            self.what = what
            self.characters = characters

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id)
        self._painter = Painter(palette)
        self._document = Document()
        self._story = Story(self._document)
        self._welcome: Fixed | None = None
        self._follow = True
        self._unseen = False
        self._anchor: Place | None = None
        self._moving = False
        self._painting = False
        self._cursor: int | None = None
        self._hovered: int | None = None
        self._clicked: int | None = None
        self._colouring: Iterator[None] | None = None
        self._fence: Fence | None = None

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

    @property
    def document(self) -> Document:
        """The blocks that are shown."""
        return self._document

    # what comes in

    def apply(self, events: Sequence[AgentEvent]) -> None:
        """Take what happened since the last time, in order. Draws once."""
        for event in events:
            self._story.tell(event)
        if self._welcome is not None and len(self._document.blocks) > 1:
            self._document.remove(self._welcome)
            self._welcome = None
        if not self._document.blocks and self._welcome is None:
            self._cursor = self._anchor = None
            self._follow = True
        self._update()

    def show_welcome(self, title: str, lines: Sequence[Sequence[Span]]) -> None:
        """Say something while the conversation is empty; the first event replaces it."""
        if self._welcome is not None:
            self._document.remove(self._welcome)
        elif self._document.blocks:
            return
        self._welcome = welcome(title, lines)
        self._document.append(self._welcome)
        self._update()

    def add_notice(self, title: str, text: str = "", hint: str = "", tone: str = "muted") -> None:
        """Add a report: what happened in ``tone`` (a style key), more about it, and what to do."""
        self._story.add(notice(visible(title), visible(text), visible(hint), tone))
        self._update()

    def tick(self, now: float) -> None:
        """Time passes, in Unix seconds: calls that run show how long they have been running."""
        for call in self._story.tick(now):
            self._document.measure(call.index)
            top = self._document.top(call) + call.gap
            self.refresh(Region(0, top - self.scroll_offset.y, self.size.width, 1))

    # geometry

    def on_resize(self, event: events.Resize) -> None:
        """Lay out for the new width; the row at the top stays the same text."""
        self._document.set_width(max(event.size.width - 2 * MARGIN, 1))
        self._settle()
        self.refresh()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """The user scrolled: decide whether to follow, and lay out what came into view."""
        super().watch_scroll_y(old_value, new_value)
        if self._moving or round(old_value) == round(new_value):
            return
        self._anchor = self._document.place(round(new_value))
        self._follow = new_value >= self.max_scroll_y
        self._settle()

    def _update(self) -> None:
        """The document changed: lay out what is seen of it and paint what changed."""
        touched = self._document.take_touched()
        if touched is None:
            return
        before = self.scroll_offset.y, self.max_scroll_y
        self._settle()
        if touched < len(self._document.blocks):
            first = self._document.top(self._document.blocks[touched])
        else:
            first = self._document.height
        from_row = max(first - self.scroll_offset.y, 0)
        height = self.size.height
        if not self._follow and not self._unseen and self._document.height > self.scroll_offset.y + height:
            self._unseen = True
            from_row = min(from_row, height - 1)
        if before != (self.scroll_offset.y, self.max_scroll_y):
            # the thumb of the scrollbar moved with it
            from_row = 0 if before[0] != self.scroll_offset.y or self._follow else from_row
        if from_row < height:
            self.refresh(Region(0, from_row, self.size.width, height - from_row))

    def _settle(self) -> None:
        """The one place that lays out and scrolls: exact around the viewport, guesses elsewhere."""
        height = self.size.height
        document = self._document
        if not height or not self.size.width:
            return
        if not document.blocks:
            self._move(0)
            return
        if self._follow:
            document.settle(len(document.blocks) - 1, 2 * height, 1)
            self._move(self._bottom())
        else:
            anchor = self._anchor or Place(0, 0, 0)
            if anchor.block >= len(document.blocks):
                anchor = Place(len(document.blocks) - 1, 0, 0)
            document.settle(anchor.block, height, self._below(anchor) + 2 * height)
            self._move(document.row(anchor))
            if self.scroll_offset.y >= self._bottom():
                self._follow = True
        if self._follow:
            self._unseen = False
        self._colour_seen()

    def _below(self, anchor: Place) -> int:
        """Rows between the top of the anchor's block and the anchor."""
        self._document.measure(anchor.block)
        return self._document.row(anchor) - self._document.top(self._document.blocks[anchor.block])

    def _bottom(self) -> int:
        # a blank row separates the last line from what is below the panel
        return max(self._document.height + 1 - self.size.height, 0)

    def _move(self, row: int) -> None:
        self._moving = True
        # no layout: nothing but the rows inside depends on the height of the text
        self.set_reactive(ScrollView.virtual_size, Size(self.size.width, self._document.height + 1))
        row = max(min(row, self._bottom()), 0)
        if round(self.scroll_y) != row:
            self.scroll_y = self.scroll_target_y = row
        self._moving = False

    def _scroll_by(self, rows: int) -> None:
        self.scroll_y = self.scroll_target_y = max(min(self.scroll_offset.y + rows, self._bottom()), 0)

    # painting

    def render_lines(self, crop: Region) -> list[Strip]:
        """Paint rows; offsets for the mouse are left out."""
        self._painting = True
        try:
            return super().render_lines(crop)
        finally:
            self._painting = False

    def render_line(self, y: int) -> Strip:
        """One row of the viewport."""
        width = self.size.width
        if self._unseen and y == self.size.height - 1 and self._painting:
            return self._painter.more_below(width, thumb=self._thumb(y))
        return self._row(y, width, offsets=not self._painting)

    def _row(self, y: int, width: int, *, offsets: bool) -> Strip:
        found = self._document.at(y + self.scroll_offset.y)
        thumb = self._painting and self._thumb(y)
        if found is None and offsets and self._document.blocks:
            found = self._document.blocks[-1], len(self._document.blocks[-1].rows) - 1
        if found is None or not found[0].rows or (found[1] < 0 and not offsets):
            return self._painter.blank(width, thumb=thumb)
        block, index = found
        index = max(min(index, len(block.rows) - 1), 0)
        line = block.rows[index][0]
        selection = self.text_selection
        current = block.number == self._cursor and self.has_focus and index == 0
        background = "selected" if current else None
        if background is None and index == 0 and block.number == self._hovered:
            background = "hovered"
        look = Look(
            background=background,
            bar=current,
            selected=selection.get_span(line_id(block, line)) if selection is not None else None,
            offsets=offsets,
            caret=block.open and block is self._story.writing and index == len(block.rows) - 1,
            thumb=thumb,
        )
        return self._painter.paint(block, index, width, look)

    def _thumb(self, y: int) -> bool:
        height, total = self.size.height, self.virtual_size.height
        if total <= height:
            return False
        length = max(round(height * height / total), 1)
        start = round((height - length) * self.scroll_offset.y / max(total - height, 1))
        return start <= y < start + length

    def _colour_seen(self) -> None:
        """Read closed code that is in view exactly, a slice at a time."""
        if self._colouring is None:
            self._fence = self._uncoloured()
            self._colouring = None if self._fence is None else self._fence.colour(_SLICE_LINES)
            if self._colouring is not None:
                self._colour_slice()

    def _uncoloured(self) -> Fence | None:
        top = self.scroll_offset.y
        found = self._document.at(top)
        bottom = top + self.size.height
        index = found[0].index if found is not None else len(self._document.blocks)
        for block in self._document.blocks[index:]:
            if self._document.top(block) >= bottom:
                return None
            if isinstance(block, Fence) and not block.open and not block.exact:
                return block
        return None

    def _colour_slice(self) -> None:
        if self._colouring is None or self._fence is None:
            return
        more = next(self._colouring, self) is None
        top = self._document.top(self._fence) - self.scroll_offset.y
        self.refresh(Region(0, top, self.size.width, self._fence.height))
        if not more:
            self._colouring = self._fence = None
        self.set_timer(_SLICE_PAUSE, self._colour_slice if more else self._colour_seen)

    # keys and mouse

    def action_scroll_up(self) -> None:
        """One row up."""
        self._scroll_by(-1)

    def action_scroll_down(self) -> None:
        """One row down."""
        self._scroll_by(1)

    def action_page_up(self) -> None:
        """One screen up, a row kept."""
        self._scroll_by(1 - self.size.height)

    def action_page_down(self) -> None:
        """One screen down, a row kept."""
        self._scroll_by(self.size.height - 1)

    def action_scroll_home(self) -> None:
        """To the first row."""
        self._scroll_by(-self._document.height)

    def action_scroll_end(self) -> None:
        """To the newest row, and stay there."""
        self.follow = True

    def action_next_stop(self) -> None:
        """The cursor goes to the next call."""
        self._step(1)

    def action_previous_stop(self) -> None:
        """The cursor goes to the call before."""
        self._step(-1)

    def action_next_turn(self) -> None:
        """Scroll to the next message of the user."""
        self._to_turn(1)

    def action_previous_turn(self) -> None:
        """Scroll to the message of the user before."""
        self._to_turn(-1)

    def action_expand(self) -> None:
        """Show or fold the call under the cursor."""
        block = self._current()
        if isinstance(block, CallBlock | Reasoning):
            self._keep_in_place(block, block.toggle)

    def action_expand_all(self) -> None:
        """Show all calls whole, or fold all of them."""
        calls = [block for block in self._document.blocks if isinstance(block, CallBlock)]
        expand = not all(call.expanded for call in calls)
        for call in calls:
            if call.expanded != expand:
                call.toggle()
                self._document.changed(call)
        self._update()
        self.refresh()

    def action_copy_block(self, number: int | None = None) -> None:
        """Copy the code, or the call, under the cursor or with a block number."""
        block = self._current() if number is None else self._document.find(number)
        if block is None:
            return
        text = block.source()
        self.app.copy_to_clipboard(text)
        self.post_message(self.Copied("code" if isinstance(block, Fence) else "call", len(text)))

    def action_open_link(self, number: int, line: int, index: int) -> None:
        """Tell the app which link was clicked."""
        block = self._document.find(number)
        if block is not None and line < len(block.lines) and index < len(block.lines[line].links):
            self.post_message(self.LinkClicked(block.lines[line].links[index][2]))

    def on_focus(self) -> None:
        """Show where the cursor is: at first, on the last call in view."""
        if self._current() is None:
            stops = [block for block in self._seen() if block.stop]
            self._cursor = stops[-1].number if stops else None
        self.refresh()

    def on_blur(self) -> None:
        """The cursor is shown only in the panel that has the keys."""
        self.refresh()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel."""
        event.stop()
        event.prevent_default()
        self._scroll_by(_WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel."""
        event.stop()
        event.prevent_default()
        self._scroll_by(-_WHEEL_ROWS)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """A row that can be opened says so under the mouse."""
        found = self._document.at(event.y + self.scroll_offset.y)
        hit = found is not None and found[0].stop and not isinstance(found[0], Fence) and found[1] == 0
        self._hover(found[0].number if found is not None and hit else None)

    def on_leave(self) -> None:
        """The mouse went away."""
        self._hover(None)

    def on_click(self, event: events.Click) -> None:
        """Open or fold a call; go to what is new."""
        if self._unseen and event.y == self.size.height - 1:
            self.follow = True
            return
        found = self._document.at(event.y + self.scroll_offset.y)
        self._clicked = found[0].number if found is not None else None
        if found is None or self.text_selection is not None or event.chain > 1:
            return
        block, row = found
        if block.stop:
            self._cursor = block.number
            self.refresh()
        if isinstance(block, CallBlock | Reasoning) and row == 0:
            self._keep_in_place(block, block.toggle)

    # selection

    def text_select_all(self) -> None:
        """A double click selects the block under the mouse, not everything."""
        block = self._document.find(self._clicked) if self._clicked is not None else None
        if block is not None and block.lines:
            self.screen.selections = {self: whole_block(block)}

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text as it was written, without the breaks of the screen."""
        return selected_text(self._document, selection), "\n"

    # the cursor

    def _seen(self) -> list[Block]:
        """The blocks whose first row is in view."""
        top, height = self.scroll_offset.y, self.size.height
        found = self._document.at(top)
        seen: list[Block] = []
        for block in self._document.blocks[found[0].index if found is not None else 0 :]:
            row = self._document.top(block) + block.gap
            if row >= top + height:
                break
            if row >= top:
                seen.append(block)
        return seen

    def _current(self) -> Block | None:
        return self._document.find(self._cursor) if self._cursor is not None else None

    def _step(self, by: int) -> None:
        blocks = self._document.blocks
        current = self._current()
        if current is not None:
            at = current.index + by
        else:
            seen = self._seen()
            at = (seen[0 if by > 0 else -1].index) if seen else 0
        while 0 <= at < len(blocks):
            if blocks[at].stop:
                self._cursor = blocks[at].number
                self._show(blocks[at])
                break
            at += by
        self.refresh()

    def _show(self, block: Block) -> None:
        """Scroll so that the first row of a block is in view."""
        self._document.measure(block.index)
        row = self._document.top(block) + block.gap
        top, height = self.scroll_offset.y, self.size.height
        if row < top:
            self._scroll_by(row - 1 - top)
        elif row >= top + height - 1:
            self._scroll_by(row - top - height + 2)

    def _to_turn(self, by: int) -> None:
        top = self.scroll_offset.y
        found = self._document.at(top)
        if found is None:
            return
        blocks = self._document.blocks
        at = found[0].index + (by if by > 0 or self._document.top(found[0]) >= top else 0)
        while 0 <= at < len(blocks):
            if blocks[at].background == "raised":
                self._document.settle(at, 0, 2 * self.size.height)
                self._scroll_by(self._document.top(blocks[at]) - top)
                return
            at += by

    def _hover(self, number: int | None) -> None:
        if number == self._hovered:
            return
        for changed in (self._hovered, number):
            block = self._document.find(changed) if changed is not None else None
            if block is not None:
                row = self._document.top(block) + block.gap - self.scroll_offset.y
                self.refresh(Region(0, row, self.size.width, 1))
        self._hovered = number

    def _keep_in_place(self, block: Block, change: Callable[[], None]) -> None:
        """Change how tall a block is while its first row stays where it is on the screen."""
        row = self._document.top(block) + block.gap - self.scroll_offset.y
        change()
        self._document.measure(block.index)
        self._document.settle(block.index, 2 * self.size.height, 2 * self.size.height)
        top = max(self._document.top(block) + block.gap - row, 0)
        self._anchor = self._document.place(top)
        self._follow = top >= self._bottom()
        self._settle()
        self._document.take_touched()
        self.refresh()
