"""Looking for a text in a conversation: every place that holds it, and where it is in a line."""

from __future__ import annotations

from bisect import bisect_right

from workbench.tui.transcript.blocks import Block
from workbench.tui.transcript.document import Document


class Search:
    """One search, upper and lower case alike. Blocks are searched in what they were written as.

    Places are counted, not listed: a letter is found a hundred thousand times in a long conversation.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._numbers: list[int] = []
        self._ends: list[int] = []
        self._at: int | None = None
        self.term = ""

    @property
    def count(self) -> int:
        """How many places hold the term."""
        return self._ends[-1] if self._ends else 0

    @property
    def position(self) -> int:
        """Which of them was gone to, counted from 1; 0 before the first."""
        return 0 if self._at is None else self._at + 1

    def look_for(self, term: str, near: Block | None) -> Block | None:
        """Search for a term. Returns the block of the last place at or before ``near``, else of the first."""
        self.term = term
        self._at = None
        self._count()
        if not self._numbers:
            return None
        at = bisect_right(self._numbers, near.number) - 1 if near is not None else len(self._numbers) - 1
        return self._go(self._ends[at] - 1 if at >= 0 else 0)

    def move(self, by: int) -> Block | None:
        """Go to the next place that holds the term, or with -1 to the one before; around at the ends.

        What was written meanwhile counts.
        """
        before = self._place
        self._count()
        if not self._numbers:
            self._at = None
            return None
        at = -1 if before is None else self._index(*before)
        return self._go((at + by) % self.count)

    def _count(self) -> None:
        """Count the places of the term, block by block."""
        needle, total = self.term.lower(), 0
        self._numbers, self._ends = [], []
        for block in self._document.blocks:
            here = block.searched().lower().count(needle) if needle else 0
            if here:
                total += here
                self._numbers.append(block.number)
                self._ends.append(total)

    @property
    def _place(self) -> tuple[int, int] | None:
        """The place that was gone to: the number of its block, and which one of that block's it is."""
        if self._at is None:
            return None
        nth = bisect_right(self._ends, self._at)
        return self._numbers[nth], self._at - (self._ends[nth - 1] if nth else 0)

    def _index(self, number: int, nth: int) -> int:
        at = bisect_right(self._numbers, number) - 1
        if at < 0:
            return -1
        # of a block that is not there any more, the last place before it
        last = self._ends[at] - 1
        start = self._ends[at - 1] if at else 0
        return min(start + nth, last) if self._numbers[at] == number else last

    def _go(self, at: int) -> Block | None:
        self._at = at
        place = self._place
        return None if place is None else self._document.find(place[0])

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
        """The row of a laid out block that shows the place gone to; None where no row shows the term.

        What is shown can hold the term less often than what was written: then it is the last row that does.
        """
        place = self._place
        nth = place[1] if place is not None and place[0] == block.number else 0
        found, passed, last = None, 0, -1
        for index, (line, start, end) in enumerate(block.rows):
            for left, _ in self.spans(block.lines[line].text):
                if start <= left < end or (left < start and line != last):
                    found, passed = index, passed + 1
                    if passed > nth:
                        return found
            last = line
        return found
