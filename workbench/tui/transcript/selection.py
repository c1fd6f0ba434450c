"""The text of a selection: logical lines, however they were broken on the screen."""

from __future__ import annotations

from typing import Final

from textual.geometry import Offset
from textual.selection import Selection

from workbench.tui.transcript.blocks import Block, join_lines
from workbench.tui.transcript.document import Document
from workbench.tui.transcript.painter import block_number, line_id, line_index

_SHOWN_BLOCKS: Final = 200
"""So many blocks are laid out in no time a person would notice."""


def selected_text(document: Document, selection: Selection) -> str:
    """What a selection holds, as it was shown; of a very long one, what nobody is near gives its source."""
    parts: list[str] = []
    blocks = _blocks(document, selection)
    for block in blocks if len(blocks) <= _SHOWN_BLOCKS else (blocks[0], blocks[-1]):
        document.measure(block.index)
    for block in blocks:
        text = _of_block(block, selection)
        if parts:
            parts.append("\n\n" if block.gap else "\n")
        parts.append(text)
    return "".join(parts)


def whole_block(block: Block) -> Selection:
    """The selection of everything that a block shows."""
    last = max(len(block.lines) - 1, 0)
    length = len(block.lines[last].text) if block.lines else 0
    return Selection(Offset(0, line_id(block, 0)), Offset(length, line_id(block, last)))


def _blocks(document: Document, selection: Selection) -> list[Block]:
    first = block_number(selection.start.y) if selection.start is not None else -1
    last = block_number(selection.end.y) if selection.end is not None else None
    return [
        block
        for block in document.blocks
        if block.number >= first
        and (last is None or block.number <= last)
        and (block.height or not block.laid_out)
    ]


def _of_block(block: Block, selection: Selection) -> str:
    start, end = selection
    starts = start is not None and block_number(start.y) == block.number
    ends = end is not None and block_number(end.y) == block.number
    if not starts and not ends:
        return join_lines(block.lines) if block.laid_out else block.source()
    lines = block.lines
    last = min(line_index(end.y), len(lines) - 1) if ends and end is not None else len(lines) - 1
    kept = list(lines[: last + 1])
    if ends and end is not None and kept:
        kept[-1] = kept[-1]._replace(text=kept[-1].text[: end.x])
    if starts and start is not None:
        first = min(line_index(start.y), len(kept))
        kept = kept[first:]
        if kept:
            kept[0] = kept[0]._replace(text=kept[0].text[start.x :], joined=False)
    return join_lines(kept)
