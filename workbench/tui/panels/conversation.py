"""The conversation: what was said and done, streamed, scrolled and selected at a cost that never grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from textual import events
from textual.message import Message

from workbench.tui import events as agent_events
from workbench.tui.commands import bindings
from workbench.tui.do import Errand
from workbench.tui.palette import Palette
from workbench.tui.render import Span
from workbench.tui.transcript.blocks import Block, Fixed, notice, welcome
from workbench.tui.transcript.cursor import Cursor
from workbench.tui.transcript.document import Document
from workbench.tui.transcript.view import TranscriptView
from workbench.visible import visible

if TYPE_CHECKING:
    from workbench.tui.events import AgentEvent
    from workbench.tui.transcript.search_bar import SearchBar
    from workbench.tui.transcript.story import Story
    from workbench.tui.transcript.turns import Turns

_WHEEL_ROWS: Final = 3


class Conversation(TranscriptView, can_focus=True, inherit_bindings=False):
    """Draws a conversation from events. Only rows on the screen are built, only open blocks built again."""

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")
    BINDINGS = bindings("conversation")

    class LinkClicked(Errand):
        """A link was clicked. ``target`` is what the model wrote: ask before opening it."""

        def __init__(self, target: str) -> None:
            super().__init__()
            self.target = target

    class SearchToggled(Message):
        """A search was opened or closed: keys mean something else now."""

    class Copied(Errand):
        """Text went to the clipboard. ``what`` says which, in a word: ``code``, ``call``, ``answer``."""

        def __init__(self, what: str, characters: int) -> None:
            super().__init__()
            self.what = what
            self.characters = characters

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own name
        document = Document()
        super().__init__(palette, document, id=id)
        self._cursor = Cursor(document)
        self._greeting: tuple[str, Sequence[Sequence[Span]]] | None = None
        self._welcome: Fixed | None = None
        self._begun = False
        self._search: SearchBar | None = None
        self._hovered: int | None = None
        self._clicked: int | None = None

    @cached_property
    def _story(self) -> Story:
        """Made when the first thing happens: an empty conversation is drawn without it."""
        from workbench.tui.transcript.story import Story

        return Story(self.document)

    @cached_property
    def _turns(self) -> Turns:
        from workbench.tui.transcript.turns import Turns

        return Turns(self.document)

    def apply(self, events: Sequence[AgentEvent]) -> None:
        """Take what happened since the last time, in order. Draws once."""
        for event in events:
            self._story.tell(event)
        begins = agent_events.TurnStarted, agent_events.ByHandStarted
        if any(isinstance(event, begins) for event in events):
            self._begun = True
            self._drop_welcome()
        if not self.document.blocks:
            self.forget_place()
            self._welcome, self._begun = None, False
            if self._greeting is not None:
                self.show_welcome(*self._greeting)
        self.update_view()

    def show_welcome(self, title: str, lines: Sequence[Sequence[Span]]) -> None:
        """Say something until the conversation begins, and after a reset; notices stand below it."""
        self._greeting = title, lines
        if self._begun:
            return
        said = welcome(title, lines)
        if self._welcome is not None:
            self._welcome.say(said)
            self.document.changed(self._welcome)
        else:
            self._welcome = said
            notices = list(self.document.blocks)
            self.document.clear()
            for block in (said, *notices):
                self.document.append(block)
            self.begin_at_top()
        self.update_view()

    def add_notice(self, title: str, text: str = "", hint: str = "", tone: str = "muted") -> None:
        """Add a report: what happened in ``tone`` (a style key), more about it, and what to do."""
        self._story.add(notice(visible(title), visible(text), visible(hint), tone))
        self.update_view()

    def tick(self, now: float) -> None:
        """Time passes, in Unix seconds: calls that run show how long they have been running."""
        if not self._begun:
            return
        for call in self._story.tick(now):
            self.document.measure(call.index)
            self.refresh_row(self.row_of(call))

    def hear(self, said: Mapping[str, str]) -> None:
        """Show below each call that runs the last line that it has printed, by call id."""
        if said and self._begun and self._story.hear(said):
            self.update_view()

    def _drop_welcome(self) -> None:
        if self._welcome is not None and self.document.find(self._welcome.number) is self._welcome:
            self.document.remove(self._welcome)
            self.forget_place()
        self._welcome = None

    def emphasis(self, block: Block, row: int) -> tuple[str | None, bool]:
        """Where a search is, else the cursor while the panel has the keys and the row under the mouse."""
        if self._search is not None:
            return ("selected", True) if self._search.is_here(block, row) else (None, False)
        if row:
            return None, False
        if self.has_focus and block is self._cursor.block:
            return "selected", True
        return ("hovered" if block.number == self._hovered else None), False

    def goes_on(self, block: Block) -> bool:
        """Whether the answer is being written into this block."""
        return block.open and block is self._story.writing

    def settled(self) -> None:
        """The cursor follows what is in view until somebody moves it."""
        if self.has_focus and self._cursor.rest(self.seen(), self.in_view()):
            self.refresh()

    def found(self, text: str) -> tuple[tuple[int, int], ...]:
        """Where a line holds what is searched for."""
        return () if self._search is None else self._search.found(text)

    def bar(self) -> Sequence[Span] | None:
        """The search while it is open, else that there is new text below."""
        return super().bar() if self._search is None else self._search.spans()

    # keys

    def action_search(self) -> None:
        """Look for a text: what is typed next is the text."""
        from workbench.tui.transcript.search_bar import SearchBar

        self._search = SearchBar(self.document)
        self.post_message(self.SearchToggled())
        self.refresh()

    @property
    def searching(self) -> bool:
        """Whether what is typed here is looked for."""
        return self._search is not None and self.has_focus

    def on_key(self, event: events.Key) -> None:
        """While a search is open, keys belong to it."""
        if self._search is None:
            return
        seen = self.seen()
        if event.key == "escape":
            self._search = None
            self.post_message(self.SearchToggled())
        elif not self._search.press(event, seen[-1] if seen else None):
            return
        else:
            self._go_to_found(self._search)
        self.refresh()
        event.stop()
        event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """What is pasted while a search is open is looked for."""
        if self._search is not None:
            seen = self.seen()
            self._search.paste(event.text, seen[-1] if seen else None)
            self._go_to_found(self._search)
            self.refresh()
            event.stop()

    def _go_to_found(self, search: SearchBar) -> None:
        row = search.lay_out()
        self.update_view()
        if search.shown is not None:
            self.show(search.shown, row)

    def action_scroll_up(self) -> None:
        """One row up."""
        self.scroll_rows(-1)

    def action_scroll_down(self) -> None:
        """One row down."""
        self.scroll_rows(1)

    def action_page_up(self) -> None:
        """One screen up, a row kept."""
        self.scroll_rows(1 - self.size.height)

    def action_page_down(self) -> None:
        """One screen down, a row kept."""
        self.scroll_rows(self.size.height - 1)

    def action_scroll_home(self) -> None:
        """To the first row."""
        self.scroll_rows(-self.document.height)

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
        block = self._cursor.block
        if block is not None:
            self._cursor.choose(block)
            self._toggle(block)

    def action_expand_all(self) -> None:
        """Show all calls whole, or fold all of them."""
        calls = [block for block in self.document.blocks if block.kind == "call"]
        expand = not all(call.expanded for call in calls)
        for call in calls:
            if call.expanded != expand:
                call.toggle()
                self.document.changed(call)
        self.update_view()
        self.refresh()

    def action_copy_block(self, number: int | None = None, line: int | None = None) -> None:
        """Copy the code, or the call, under the cursor or with a block number and a line of it."""
        block = self._cursor.block if number is None else self.document.find(number)
        if block is not None:
            self._copy(block.kind, block.copied(line))

    def action_copy_answer(self) -> None:
        """Copy the answer that ends last in view, as Markdown."""
        in_view = self.in_view()
        text = self._turns.answer(in_view[-1]) if in_view else ""
        if text:
            self._copy("answer", text)

    def _copy(self, what: str, text: str) -> None:
        self.app.copy_to_clipboard(text)
        self.post_message(self.Copied(what, len(text)))

    def action_open_link(self, number: int, line: int, index: int) -> None:
        """Tell the app which link was clicked."""
        block = self.document.find(number)
        if block is not None and line < len(block.lines) and index < len(block.lines[line].links):
            self.post_message(self.LinkClicked(block.lines[line].links[index][2]))

    def _step(self, by: int) -> None:
        block = self._cursor.step(by, self.seen())
        if block is not None:
            self.show(block)
            self.refresh()

    def _toggle(self, block: Block) -> None:
        if block.folds:
            row = max(self.row_of(block), 0)
            block.toggle()
            self.hold(block, row)

    def _to_turn(self, by: int) -> None:
        message = self._turns.beside(self.scroll_offset.y, by)
        if message is not None:
            self.document.settle(message.index, 0, 2 * self.size.height)
            self.scroll_rows(self.document.top(message) - self.scroll_offset.y)

    # mouse and focus

    def on_focus(self) -> None:
        """Show where the cursor is."""
        self._cursor.rest(self.seen(), self.in_view())
        self.refresh()

    def on_blur(self) -> None:
        """The cursor is shown only in the panel that has the keys."""
        self.refresh()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel."""
        event.stop()
        event.prevent_default()
        self.scroll_rows(_WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel."""
        event.stop()
        event.prevent_default()
        self.scroll_rows(-_WHEEL_ROWS)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """A row that can be opened says so under the mouse."""
        found = self.document.at(event.y + self.scroll_offset.y)
        opens = found is not None and found[0].opens_at(found[1])
        self._hover(found[0].number if found is not None and opens else None)

    def on_leave(self) -> None:
        """The mouse went away."""
        self._hover(None)

    def on_click(self, event: events.Click) -> None:
        """Open or fold a call; go to what is new."""
        if self._unseen and event.y == self.size.height - 1:
            self.follow = True
            return
        found = self.document.at(event.y + self.scroll_offset.y)
        self._clicked = found[0].number if found is not None else None
        on_text = event.x < self.size.width - 1
        if found is None or not on_text or self.text_selection is not None or event.chain > 1:
            return
        block, row = found
        if block.stop:
            self._cursor.choose(block)
            self.refresh()
        if block.opens_at(row):
            self._toggle(block)

    def text_select_all(self) -> None:
        """A double click selects the block under the mouse, not everything."""
        block = self.document.find(self._clicked) if self._clicked is not None else None
        if block is not None:
            self.select_block(block)

    def _hover(self, number: int | None) -> None:
        if number == self._hovered:
            return
        before, self._hovered = self._hovered, number
        for changed in (before, number):
            block = self.document.find(changed) if changed is not None else None
            if block is not None:
                self.refresh_row(self.row_of(block))
