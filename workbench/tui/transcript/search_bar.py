"""An open search in a conversation: the keys that it takes, and the row that shows it."""

from __future__ import annotations

from textual.events import Key

from workbench.tui.key_hints import hint
from workbench.tui.render import Span
from workbench.tui.transcript.blocks import Block, Reasoning
from workbench.tui.transcript.call import CallBlock
from workbench.tui.transcript.document import Document
from workbench.tui.transcript.search import Search
from workbench.tui.transcript.user_message import UserMessage
from workbench.visible import visible_line

# the way out comes first: a narrow row ends before the others
_KEYS = (("escape", "close"), ("up", "above"), ("down", "below"))


class SearchBar:
    """What is typed is the term; Enter and the arrows go from one place that holds it to the next."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._search = Search(document)
        self._unfolded: CallBlock | Reasoning | UserMessage | None = None
        self._row = 0
        self.shown: Block | None = None

    def press(self, event: Key, near: Block | None) -> bool:
        """Take a key, if it is one for a search; ``shown`` is then the block to show.

        ``near`` is where a new term is looked for first.
        """
        search = self._search
        if event.key in ("enter", "up", "shift+enter", "shift+tab"):
            self.shown = search.move(-1)
        elif event.key in ("down", "tab"):
            self.shown = search.move(1)
        elif event.key == "backspace":
            self.shown = search.look_for(search.term[:-1], near)
        elif event.key == "ctrl+u":
            self.shown = search.look_for("", near)
        elif event.is_printable and event.character is not None:
            self.shown = search.look_for(search.term + event.character, near)
        else:
            return False
        return True

    def paste(self, text: str, near: Block | None) -> None:
        """Look for a pasted text too: what stands in its first line."""
        lines = text.strip().splitlines()
        if lines:
            self.shown = self._search.look_for(self._search.term + lines[0], near)

    def is_here(self, block: Block, row: int) -> bool:
        """Whether the place gone to is shown in this row of the block."""
        return block is self.shown and row == self._row and bool(self._search.position)

    def lay_out(self) -> int:
        """Lay ``shown`` out, unfolded where the term is folded away; the row that holds it.

        What was unfolded for the place before is folded again.
        """
        block, before = self.shown, self._unfolded
        if before is not None and before is not block:
            self._unfolded = None
            if before.expanded and self._document.find(before.number) is before:
                self._toggle(before)
        if block is None:
            return 0
        self._document.measure(block.index)
        row = self._search.row(block)
        if row is None and isinstance(block, CallBlock | Reasoning | UserMessage) and not block.expanded:
            self._unfolded = block
            self._toggle(block)
            row = self._search.row(block)
        self._row = row or 0
        return self._row

    def _toggle(self, block: CallBlock | Reasoning | UserMessage) -> None:
        block.toggle()
        self._document.changed(block)
        self._document.measure(block.index)

    def found(self, text: str) -> tuple[tuple[int, int], ...]:
        """Where a line holds the term."""
        return self._search.spans(text)

    def spans(self) -> list[Span]:
        """The term, how often it was found, and the keys."""
        search = self._search
        count = f"{search.position} of {search.count}" if search.count else "not found" if search.term else ""
        hints = [span for key, what in _KEYS for span in hint(key, what, "   ")]
        shown = visible_line(search.term)
        return [("/ ", "accent"), (shown, "text"), ("▍", "accent"), (f"  {count}   ", "muted"), *hints]
