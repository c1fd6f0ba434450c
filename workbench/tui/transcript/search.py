"""Looking for a text in a conversation: which blocks hold it, and where it is in a line."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from workbench.tui.transcript.blocks import Block
from workbench.tui.transcript.document import Document


class Search:
    """One search, upper and lower case alike. Blocks are searched in what they were written as."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._numbers: list[int] = []
        self._current: int | None = None
        self.term = ""

    @property
    def count(self) -> int:
        """How many blocks hold the term."""
        return len(self._numbers)

    @property
    def position(self) -> int:
        """Which of them was gone to, counted from 1; 0 before the first."""
        return 0 if self._current is None else bisect_left(self._numbers, self._current) + 1

    def look_for(self, term: str, near: Block | None) -> Block | None:
        """Search for a term. Returns the block that holds it at or before ``near``, else the first one."""
        self.term = term
        self._current = None
        needle = term.lower()
        self._numbers = [
            block.number for block in self._document.blocks if needle and needle in block.searched().lower()
        ]
        if not self._numbers:
            return None
        at = bisect_right(self._numbers, near.number) - 1 if near is not None else len(self._numbers) - 1
        return self._go(max(at, 0))

    def move(self, by: int) -> Block | None:
        """Go to the next block that holds the term, or with -1 to the one before; around at the ends."""
        return self._go((self.position - 1 + by) % self.count) if self._numbers else None

    def _go(self, at: int) -> Block | None:
        self._current = self._numbers[at]
        return self._document.find(self._current)

    def spans(self, text: str) -> tuple[tuple[int, int], ...]:
        """Where the term is in a line."""
        needle, hay = self.term.lower(), text.lower()
        if not needle or len(hay) != len(text):
            return ()
        found = []
        at = hay.find(needle)
        while at >= 0:
            found.append((at, at + len(needle)))
            at = hay.find(needle, at + len(needle))
        return tuple(found)

    def row(self, block: Block) -> int | None:
        """The first row of a laid out block that shows the term; None where none does."""
        for index, (line, start, end) in enumerate(block.rows):
            if any(left < end and right > start for left, right in self.spans(block.lines[line].text)):
                return index
        return None
