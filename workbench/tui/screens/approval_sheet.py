"""Everything that the approval screen shows, kept in line with the batch being decided."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import Resize
from textual.message import Message
from textual.widget import Widget

from workbench.tui.approval import Batch
from workbench.tui.diff import counts
from workbench.tui.line_view import LineView
from workbench.tui.palette import Palette
from workbench.tui.pieces import BLANK, Piece, PieceRow, PieceRows
from workbench.tui.screens import approval_parts as parts
from workbench.tui.screens.approval_always import AlwaysPanel
from workbench.tui.screens.approval_fields import EditField, ReasonField
from workbench.tui.screens.approval_pages import FileChange, Pages, first_tab
from workbench.visible import visible_line


class Sheet(Vertical):
    """The question from its heading down to the keys. ``now`` gives Unix seconds."""

    class _Compared(Message):
        def __init__(self, index: int, change: FileChange | str | None) -> None:
            super().__init__()
            self.index = index
            self.change = change

    def __init__(self, batch: Batch, palette: Palette, *, now: Callable[[], float] = time.time) -> None:
        super().__init__(id="sheet")
        self._batch = batch
        self._pages = Pages(batch, self._compared)
        self._palette = palette
        self._now = now
        self.mode: parts.Mode = "calls"
        self.reason = ReasonField()
        self._covered: Collection[int] = ()
        self._tab = "diff"
        self._page_of: tuple[int, str] | None = None
        self._note = ("", "muted")
        self._in_view = (0, 0)
        self._most_needed = 0
        self._draws = False
        self._summaries: dict[int, list[Piece]] = {}
        self._heading = PieceRows(palette, id="heading")
        self._calls = PieceRows(palette, id="calls")
        self._bar = PieceRows(palette, id="tabs")
        self.page = LineView(palette, id="page")
        self._receives = PieceRows(palette, id="receives")
        self._foot = PieceRows(palette, id="foot")

    def compose(self) -> ComposeResult:
        """The parts from above to below."""
        yield self._heading
        yield self._calls
        yield self._bar
        yield self.page
        yield self._receives
        yield self.reason
        yield self._foot

    def on_mount(self) -> None:
        """Begin what takes a thread, once the first frame is out."""
        self.call_after_refresh(self._pages.start)

    def on_unmount(self) -> None:
        """Whatever is still being compared is of no use now."""
        self._pages.close()

    def on_resize(self, event: Resize) -> None:
        """Share the rows out anew."""
        self._most_needed = 0
        self.draw()

    @property
    def palette(self) -> Palette:
        """The colours; setting them paints anew."""
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = palette
        self.page.palette = palette
        for rows in self.query(PieceRows):
            rows.palette = palette
        for field in self.query(EditField):
            field.palette = palette
        for panel in self.query(AlwaysPanel):
            panel.palette = palette

    @property
    def tab(self) -> str:
        """The tab that is open."""
        return first_tab(self._pages.tabs(self._batch.cursor), self._tab)

    @property
    def note(self) -> str:
        """The line above the keys."""
        return self._note[0]

    def say(self, text: str, key: str = "muted") -> None:
        """Put a line above the keys, until the next one."""
        self._note = (visible_line(text), key)

    def cover(self, indices: Collection[int], summary: str) -> None:
        """Mark these calls as covered by what is being proposed; say so where the panel may not show it."""
        self._covered = indices
        if self.content_size.height < parts.ROOMY:
            self.say(summary, "subtle")
        self.draw()

    def show_tab(self, tab: str) -> None:
        """Open a tab; calls that lack it show their first one."""
        self._tab = tab
        self.draw()

    def turn_tab(self, step: int) -> None:
        """Open the tab beside the open one."""
        tabs = self._pages.tabs(self._batch.cursor)
        self.show_tab(tabs[max(0, min(tabs.index(self.tab) + step, len(tabs) - 1))])

    def edited(self, index: int) -> None:
        """A call's arguments are other ones."""
        self._pages.edited(index)
        self._forget(index)

    def _compared(self, index: int, change: FileChange | str | None) -> None:
        self.post_message(self._Compared(index, change))

    def on_sheet__compared(self, event: _Compared) -> None:
        """A thread has compared a call's file change."""
        event.stop()
        self._pages.compared(event.index, event.change)
        self._forget(event.index)
        if not self._draws:
            # many may come at once
            self._draws = True
            self.call_later(self.draw)

    def _forget(self, index: int) -> None:
        self._summaries.pop(index, None)
        if self._page_of is not None and self._page_of[0] == index:
            self._page_of = None

    def open_field(self, mode: parts.Mode, field: Widget | None = None) -> None:
        """Show a field in place of the page, or the line for a reason."""
        self.mode = mode
        self.set_class(mode == "reason", "-reason")
        self.set_class(field is not None, "-field")
        if field is not None:
            self.mount(field, after=self.page)
        self.draw()

    def close_field(self) -> None:
        """Back to the calls."""
        self.mode = "calls"
        self.say("")
        self._covered = ()
        self.set_class(False, "-reason")
        self.set_class(False, "-field")
        self.query("#edit, #always").remove()
        self.screen.set_focus(None)
        self.draw()

    def draw(self) -> None:
        """Bring every part in line with the batch."""
        width, height = self.content_size.width, self.content_size.height
        self._draws = False
        if not width or not self.is_mounted:
            return
        self._draw_page()
        # as much as any page so far: going on to another call moves nothing on the screen back and forth
        self._most_needed = max(self._most_needed, self.page.needed(width, height))
        page = self._most_needed if self.mode in ("calls", "reason") else None
        room = parts.Room.of(height, len(self._batch.rows), page)
        self._draw_calls(width, room)
        self.draw_heading()
        self.draw_bar()
        typed = self.reason.value if self.mode == "reason" else None
        fault = self._pages.fault
        rows = parts.receives(self._batch, room.receives, typed, width, fault, roomy=room.roomy)
        self._receives.show(rows)
        rows = parts.hint_bar(self.mode, self._batch, width)
        if self.mode == "reason":
            rows = rows[-1:]
        elif self.note or (len(rows) == 1 and (room.roomy or self.mode == "calls")):
            rows = [parts.note_row(*self._note, width), rows[-1]]
        self._foot.show([BLANK, *rows] if room.roomy else rows)

    def draw_heading(self) -> None:
        """The time goes on."""
        width, height = self.content_size.width, self.content_size.height
        if width:
            waited = self._now() - self._batch.request.opened
            roomy = height >= parts.ROOMY
            self._heading.show(parts.heading(self._batch, waited, width, self._in_view, roomy=roomy))

    def draw_bar(self) -> None:
        """The tabs, and where in the page one is."""
        width, index = self.content_size.width, self._batch.cursor
        name = self._batch.row.call.name
        if self.mode == "edit":
            self._bar.show([parts.field_bar("Edit the arguments", name, width)])
            return
        if self.mode == "always":
            self._bar.show([parts.field_bar("Run without asking", name, width)])
            return
        first, last, total = self.page.window
        meta: list[list[Piece]] = []
        change = self._pages.change(index)
        if self.tab == "diff" and change is not None:
            meta.append([Piece(visible_line(change.preview.path), "muted")])
        if last - first + 1 < total:
            meta.append([Piece(f"lines {first} to {last} of {total}", "muted")])
        if change is not None:
            meta.append([Piece(*span) for span in counts(change.diff.added, change.diff.removed)])
        self._bar.show([parts.tab_bar(self._pages.tabs(index), self.tab, meta, width)])

    def _draw_calls(self, width: int, room: parts.Room) -> None:
        batch = self._batch
        columns = parts.Columns.of(batch, width)
        first = min(self._in_view[0], batch.cursor)
        first = max(0, batch.cursor - room.calls + 1, min(first, len(batch.rows) - room.calls))
        self._in_view = (first, first + room.calls)
        rows: list[PieceRow] = []
        if room.roomy:
            rows.append(parts.calls_head(batch, columns))
        rows += [self._call_row(index, columns) for index in range(*self._in_view)]
        self._calls.show([*rows, BLANK] if room.roomy else rows)

    def _call_row(self, index: int, columns: parts.Columns) -> PieceRow:
        row = self._batch.rows[index]
        if index not in self._summaries:
            self._summaries[index] = parts.argument_pieces(row)
        change = self._pages.change(index)
        look = parts.CallLook(
            self._summaries[index],
            [Piece(*span) for span in counts(change.diff.added, change.diff.removed)]
            if change is not None
            else (),
            covered=index in self._covered,
            current=index == self._batch.cursor,
            active=self.mode == "calls",
        )
        return parts.call_row(index, row, columns, look)

    def _draw_page(self) -> None:
        page = (self._batch.cursor, self.tab)
        if page != self._page_of:
            self._page_of = page
            self.page.show(self._pages.lines(*page))

    def on_line_view_moved(self, event: LineView.Moved) -> None:
        """Say where in the page one is."""
        event.stop()
        if event.view is self.page:
            self.draw_bar()
