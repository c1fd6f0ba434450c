"""The cursor of the conversation: the call or the code that a key acts on."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.tui.transcript.blocks import Block
from workbench.tui.transcript.document import Document


class Cursor:
    """Stands on a block that can be reached: the one that was chosen while any of it is in view, else the
    last one in view. So a key never acts on what nobody sees.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._number: int | None = None
        self._chosen = False

    @property
    def block(self) -> Block | None:
        """Where it stands; None where nothing can be reached."""
        return None if self._number is None else self._document.find(self._number)

    def rest(self, seen: Sequence[Block], in_view: Sequence[Block]) -> bool:
        """Follow what is in view, unless somebody chose. Returns whether it moved.

        ``seen`` are the blocks whose first row is in view, ``in_view`` those of which any row is.
        """
        if self._chosen and self.block in in_view:
            return False
        stops = [block.number for block in seen if block.stop]
        number = stops[-1] if stops else None
        moved = number != self._number
        self._number, self._chosen = number, False
        return moved

    def choose(self, block: Block) -> None:
        """Stay on this block."""
        self._number, self._chosen = block.number, True

    def step(self, by: int, seen: Sequence[Block]) -> Block | None:
        """Go to the next block that can be reached, or with -1 to the one before; None if there is none."""
        current = self.block
        if current is not None:
            at = current.index + by
        elif seen:
            at = seen[0 if by > 0 else -1].index
        else:
            return None
        blocks = self._document.blocks
        while 0 <= at < len(blocks):
            if blocks[at].stop:
                self.choose(blocks[at])
                return blocks[at]
            at += by
        return None
