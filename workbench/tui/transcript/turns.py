"""Turns in a conversation: where each begins, and what was answered in it."""

from __future__ import annotations

from workbench.tui.transcript.answer import Fence, Prose, TableBlock
from workbench.tui.transcript.blocks import Block
from workbench.tui.transcript.document import Document
from workbench.tui.transcript.user_message import UserMessage


class Turns:
    """A turn begins with a message of the user and goes on to the next one."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def beside(self, row: int, by: int) -> Block | None:
        """The first message below a row, or with -1 the last one above it."""
        found = self._document.at(row)
        if found is None:
            return None
        at = found[0].index + (by if by > 0 or self._document.top(found[0]) >= row else 0)
        return self._message(at, by)

    def answer(self, block: Block) -> str:
        """The answer in the turn of a block, as Markdown; empty where there is none."""
        first, after = self._message(block.index, -1), self._message(block.index + 1, 1)
        start = 0 if first is None else first.index
        end = len(self._document.blocks) if after is None else after.index
        parts: list[str] = []
        for each in self._document.blocks[start:end]:
            if isinstance(each, Prose | Fence | TableBlock):
                parts.append(("\n\n" if each.gap else "\n") if parts else "")
                parts.append(each.markdown())
        return "".join(parts)

    def _message(self, at: int, by: int) -> Block | None:
        blocks = self._document.blocks
        while 0 <= at < len(blocks):
            if isinstance(blocks[at], UserMessage):
                return blocks[at]
            at += by
        return None
