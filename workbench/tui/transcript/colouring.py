"""Exact colours for code that is in view, a slice of lines at a time, so that nobody waits for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from workbench.tui.transcript.blocks import Block
from workbench.tui.transcript.document import Document

SLICE_LINES: Final = 40


class Colouring:
    """Works on one closed block of code after the other, those that a reader can see."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._block: Block | None = None
        self._work: Iterator[None] | None = None

    @property
    def busy(self) -> bool:
        """Whether a block is half done."""
        return self._work is not None

    def begin(self, top: int, height: int) -> bool:
        """Look for a block to colour between two rows. False where there is none."""
        self._block = self._find(top, top + height)
        self._work = None if self._block is None else self._block.colour(SLICE_LINES)
        return self.busy

    def step(self) -> Block | None:
        """Colour one slice. Returns the block that it belongs to."""
        block = self._block
        if self._work is not None and next(self._work, self) is self:
            self._block = self._work = None
        return block

    def _find(self, top: int, bottom: int) -> Block | None:
        for block in self._document.between(top, bottom):
            if not block.open and not block.exact:
                return block
        return None
