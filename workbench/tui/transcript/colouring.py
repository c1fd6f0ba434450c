"""Exact colours for code that is in view, a slice of lines at a time, so that nobody waits for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from workbench.tui.transcript.answer import Fence
from workbench.tui.transcript.document import Document

SLICE_LINES: Final = 40


class Colouring:
    """Works on one closed block of code after the other, those that a reader can see."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._fence: Fence | None = None
        self._work: Iterator[None] | None = None

    @property
    def busy(self) -> bool:
        """Whether a block is half done."""
        return self._work is not None

    def begin(self, top: int, height: int) -> bool:
        """Look for a block to colour between two rows. False where there is none."""
        self._fence = self._find(top, top + height)
        self._work = None if self._fence is None else self._fence.colour(SLICE_LINES)
        return self.busy

    def step(self) -> Fence | None:
        """Colour one slice. Returns the block that it belongs to."""
        fence = self._fence
        if self._work is not None and next(self._work, self) is self:
            self._fence = self._work = None
        return fence

    def _find(self, top: int, bottom: int) -> Fence | None:
        for block in self._document.between(top, bottom):
            if isinstance(block, Fence) and not block.open and not block.exact:
                return block
        return None
