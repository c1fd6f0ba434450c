"""All blocks of a conversation in order, where each stands, and which of them are laid out exactly."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple

from workbench.tui.transcript.blocks import Block
from workbench.tui.transcript.heights import Heights
from workbench.tui.transcript.line import PROSE_WIDTH


class Place(NamedTuple):
    """A place in the text that means the same after a resize: block, line, character.

    ``above`` counts the blank rows before the block when the place is in its gap, else it is 0.
    """

    block: int
    line: int
    character: int
    above: int = 0


NEAR: Final = 1_000
"""Blocks that keep their lines, those that were laid out last: several times what any view shows."""

_GUESSES: Final = 2_000
"""Heights that are guessed at once after a resize, in a few milliseconds."""

Extent = tuple[int, int]
"""How far a document goes: the number of its last block, and how much is written in that."""

_Size = tuple[int, int, int]
"""Of one block: its gap, its characters, its lines at least."""


def _guess(size: _Size, room: int) -> int:
    """A guess at a height, in no time: thousands are made when the width changes."""
    gap, characters, lines = size
    if characters <= room * lines:
        return gap + lines if lines else 0
    return gap - (-characters // room)


def _prose_width(width: int) -> int:
    return max(min(width, PROSE_WIDTH), 1)


class Document:
    """Blocks with heights. Heights are guesses until ``settle`` lays blocks out; nothing else does.

    Implements the writer's sink.
    """

    def __init__(self, width: int = 80) -> None:
        self.width = width
        self.blocks: list[Block] = []
        self._heights = Heights()
        self._sizes: list[_Size] = []
        self._near: dict[int, Block] = {}
        self._unguessed = 0
        self._next = 0
        self._touched: int | None = None

    @property
    def height(self) -> int:
        """Rows of everything."""
        return self._heights.total

    @property
    def extent(self) -> Extent:
        """Rises when something is added at the end, and for no other reason."""
        return (self.blocks[-1].number, self.blocks[-1].written_so_far) if self.blocks else (-1, 0)

    def clear(self) -> None:
        """Take everything out. Numbers go on."""
        self.blocks.clear()
        self._sizes.clear()
        self._near.clear()
        self._heights.reset(())
        self._touched = 0

    def append(self, block: Block) -> None:
        """Add a block at the end."""
        block.index = len(self.blocks)
        block.number = self._next
        self._touch(block.index)
        self._next += 1
        self.blocks.append(block)
        self._sizes.append((block.gap, *block.size()))
        self._heights.append(_guess(self._sizes[-1], _prose_width(self.width)))

    def replace_last(self, block: Block) -> None:
        """The last block becomes another one."""
        self.blocks.pop()
        self._sizes.pop()
        self._heights.pop()
        self.append(block)

    def remove(self, block: Block) -> None:
        """Take a block out. Costs as much as the number of blocks behind it."""
        del self.blocks[block.index]
        del self._sizes[block.index]
        self._touch(block.index)
        self._near.pop(block.number, None)
        heights = [self._heights[index] for index in range(block.index + 1, len(self._heights))]
        for _ in range(len(heights) + 1):
            self._heights.pop()
        for index, height in enumerate(heights, start=block.index):
            self.blocks[index].index = index
            self._heights.append(height)

    def changed(self, block: Block) -> None:
        """The block has new content, whose height is a guess until it is laid out, or only looks different:
        one that is complete is no longer followed by the caret.
        """
        self._touch(block.index)
        if not block.laid_out:
            size = self._sizes[block.index] = (block.gap, *block.size())
            self._heights.set(block.index, _guess(size, _prose_width(self.width)))

    def _touch(self, index: int) -> None:
        if self._touched is None or index < self._touched:
            self._touched = index

    def take_touched(self) -> int | None:
        """The index of the first block that changed since this was last asked; None if none did."""
        touched, self._touched = self._touched, None
        return touched

    def set_width(self, width: int) -> None:
        """Take a new width. All heights become guesses for the width before, until ``guess_on`` is done."""
        if width != self.width:
            self.width = width
            self._unguessed = len(self.blocks)

    def guess_on(self) -> bool:
        """Guess the heights of some more blocks at the width there is now, the last ones first.

        Returns whether there are more to guess.
        """
        end = min(self._unguessed, len(self.blocks))
        start = max(end - _GUESSES, 0)
        room = _prose_width(self.width)
        for index in range(start, end):
            if not self.blocks[index].fits(self.width):
                self._heights.set(index, _guess(self._sizes[index], room))
        self._unguessed = start
        return start > 0

    def top(self, block: Block) -> int:
        """The row where a block's gap begins."""
        return self._heights.before(block.index)

    def measure(self, index: int) -> int:
        """Lay one block out. Returns its height."""
        block = self.blocks[index]
        height = block.layout(self.width)
        self._heights.set(index, height)
        self._near.pop(block.number, None)
        self._near[block.number] = block
        if len(self._near) > NEAR:
            farthest = self._near.pop(next(iter(self._near)))
            if farthest.open:
                self._near[farthest.number] = farthest
            else:
                farthest.release()
        return height

    def settle(self, index: int, above: int, below: int) -> None:
        """Lay out a block, ``below`` rows from its top on, and ``above`` rows before it."""
        at, rows = index, 0
        while at < len(self.blocks) and rows < below:
            rows += self.measure(at)
            at += 1
        at, rows = index - 1, 0
        while at >= 0 and rows < above:
            rows += self.measure(at)
            at -= 1

    def at(self, row: int) -> tuple[Block, int] | None:
        """The block at a row and the row within it, counted from the first row of its text.

        Negative rows are in the gap. None where nothing stands.
        """
        if row < 0 or row >= self.height:
            return None
        index, rest = self._heights.find(row)
        block = self.blocks[index]
        return block, rest - block.gap

    def between(self, top: int, bottom: int) -> Iterator[Block]:
        """The blocks that have rows from ``top`` up to ``bottom``, in order."""
        found = self.at(max(top, 0))
        if found is None:
            return
        index = found[0].index
        row = self.top(found[0])
        while index < len(self.blocks) and row < bottom:
            yield self.blocks[index]
            row += self._heights[index]
            index += 1

    def place(self, row: int) -> Place | None:
        """What stands at a row, as a place; None for an empty document."""
        if not self.blocks:
            return None
        index, rest = self._heights.find(row)
        block = self.blocks[index]
        if rest < block.gap or not block.rows:
            return Place(index, 0, 0, max(block.gap - rest, 0))
        line, start, _ = block.rows[min(rest - block.gap, len(block.rows) - 1)]
        return Place(index, line, start)

    def row(self, place: Place) -> int:
        """The row of a place. Its block must be laid out."""
        block = self.blocks[place.block]
        top = self._heights.before(place.block)
        if place.above:
            return top + block.gap - place.above
        first = bisect_left(block.rows, place.line, key=lambda row: row[0])
        last = bisect_right(block.rows, place.line, key=lambda row: row[0])
        within = bisect_right(block.rows, place.character, first, last, key=lambda row: row[1]) - 1
        return top + block.gap + max(min(max(within, first), len(block.rows) - 1), 0)

    def find(self, number: int) -> Block | None:
        """The block with a number; None when it is gone."""
        at = bisect_left(self.blocks, number, key=lambda block: block.number)
        if at < len(self.blocks) and self.blocks[at].number == number:
            return self.blocks[at]
        return None
