"""The keys of screens on which something long is read."""

from __future__ import annotations

from typing import Protocol

from workbench.tui.reader import Reader


class Scrolled(Protocol):
    """What is moved through by lines, by screens, and to its ends."""

    def lines(self, count: int) -> None:
        """By lines."""

    def screens(self, count: int) -> None:
        """By screens."""

    def ends(self, end: int) -> None:
        """To the first (0) or the last (1) line."""


class ScrollKeys:
    """Moves through ``scrolled``, wherever the focus is."""

    scrolled: Scrolled

    def action_lines(self, count: int) -> None:
        """Move the cursor, where there is one, or scroll by lines."""
        self.scrolled.lines(count)

    def action_screens(self, count: int) -> None:
        """The same by screens."""
        self.scrolled.screens(count)

    def action_ends(self, end: int) -> None:
        """The same to the first (0) or the last (1) line."""
        self.scrolled.ends(end)


class ReaderKeys(ScrollKeys):
    """Reads in ``reader``: its pages, its search, what is marked and copied."""

    reader: Reader

    def action_page(self, step: int) -> None:
        """The next tab, after the last one the first, or the one before."""
        self.reader.turn(step)

    def action_search(self) -> None:
        """Type what to look for in the page."""
        self.reader.search()

    def action_match(self, step: int) -> None:
        """Go to the next match, or to the one before."""
        self.reader.match(step)

    def action_view(self) -> None:
        """Show the page in another way: as a table, a tree, text."""
        self.reader.next_view()

    def action_fold(self) -> None:
        """Fold or unfold the value under the cursor."""
        self.reader.fold()

    def action_mark(self) -> None:
        """Mark lines from here on; up and down take more, y copies them."""
        self.reader.mark()

    def action_copy(self) -> None:
        """Copy what is marked, else the value under the cursor, else all of the page."""
        self.reader.copy()
