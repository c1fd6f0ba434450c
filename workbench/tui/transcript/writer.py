"""Streamed Markdown cut into blocks as it arrives, so that only the last one is ever rendered again."""

from __future__ import annotations

import re
from typing import Final, Protocol

from workbench.tui.transcript.answer import Fence, Prose, TableBlock
from workbench.tui.transcript.blocks import Block
from workbench.tui.transcript.markdown import Environment, Head, parser, read_head

LIST_LIMIT: Final = 1_000
"""A list is continued in a new block at the next item when it has this many characters."""
PROSE_LIMIT: Final = 8_192
"""A paragraph of this many characters is continued in a new block."""

_FENCE: Final = re.compile(r"( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)")
_ITEM: Final = re.compile(r"(?:([-*+])|(\d{1,9})([.)]))(?: +(\S.*)?)?$")
_RULE: Final = re.compile(r" {0,3}([-*_])[ ]*(?:\1[ ]*){2,}$")
_HEADING: Final = re.compile(r"#{1,6}(?: |$)")
_DELIMITER: Final = re.compile(r" {0,3}\|?[ ]*:?-+:?[ ]*(?:\|[ ]*:?-+:?[ ]*)*\|?[ ]*$")
_DEFINITION: Final = re.compile(r" {0,3}\[[^\]]+\]:\s*\S")
_MAYBE_ITEM: Final = re.compile(r"\d{1,9}$|\d{1,9}[.)]( |$)|[-+*]( |$)")
_MAYBE_FENCE: Final = re.compile(r" {0,3}(?:`{1,2}$|~{1,2}$|`{3,}[^`]*$|~{3,})")
_SENTENCE: Final = re.compile(r"[.!?] (?=[A-Z])")


class Sink(Protocol):
    """Where blocks go."""

    def append(self, block: Block) -> None:
        """Add a block at the end."""

    def replace_last(self, block: Block) -> None:
        """The last block becomes another one."""

    def changed(self, block: Block) -> None:
        """The block has new content."""


class MarkdownWriter:
    """One answer being written. Where the text is cut depends on the text alone, not on how it arrives."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._env: Environment = {}
        self._blocks: list[Prose | Fence | TableBlock] = []
        self._block: Prose | Fence | TableBlock | None = None
        self._partial: list[str] = []
        self._fence = ("", 0, 0)
        self._marker = ""
        self._items = 0
        self._first = 1
        self._blank = False
        self._headed = False
        self._definitions: list[str] = []

    @property
    def blocks(self) -> list[Prose | Fence | TableBlock]:
        """All blocks of the answer so far."""
        return self._blocks

    def write(self, text: str) -> None:
        """More of the answer, already safe to paint."""
        first, *others = text.split("\n")
        self._partial.append(first)
        for part in others:
            line, self._partial = "".join(self._partial), [part]
            self._line(line)
        self._show_partial()
        if self._block is not None:
            self._sink.changed(self._block)

    def close(self) -> None:
        """The answer is complete."""
        partial, self._partial = "".join(self._partial), []
        if partial:
            self._line(partial)
        self._end()
        if self._definitions:
            parser().parse("\n".join(self._definitions), self._env)
            for block in self._blocks:
                if isinstance(block, Prose):
                    block.forget()
                    self._sink.changed(block)

    def _open(self, block: Prose | Fence | TableBlock, *, replace: bool = False) -> None:
        if replace:
            self._blocks.pop()
            self._sink.replace_last(block)
        else:
            self._sink.append(block)
        self._blocks.append(block)
        self._block = block

    def _end(self) -> None:
        block, self._block = self._block, None
        self._marker, self._headed, self._blank = "", False, False
        if block is not None:
            block.grow("")
            block.close()
            self._sink.changed(block)

    def _line(self, line: str) -> None:
        block = self._block
        if isinstance(block, Fence):
            self._fence_line(block, line)
        elif isinstance(block, TableBlock):
            if line.strip() and not _ends_table(line):
                block.add(line)
            else:
                self._end()
                self._line(line)
        else:
            self._prose_line(block, line)

    def _fence_line(self, block: Fence, line: str) -> None:
        char, count, indent = self._fence
        closing = line.strip()
        if closing and closing.strip(char) == "" and len(closing) >= count and _indent(line) <= 3:
            self._end()
            return
        block.add(line[min(indent, _indent(line)) :])

    def _prose_line(self, block: Prose | None, line: str) -> None:
        if not line.strip():
            if block is not None:
                block.add("")
                self._blank = True
            return
        fence = _FENCE.match(line)
        if fence is not None and (block is None or not fence[1] or self._plain(block)):
            self._begin_fence(block, fence)
            return
        if block is None or self._cuts(block, line):
            block = self._begin_prose(block, line)
        else:
            table = self._head(block, line)
            if table is not None:
                self._begin_table(block, line, table)
                return
        block.add(line)
        self._note(line)
        self._cut_long(block)

    def _begin_fence(self, block: Prose | None, fence: re.Match[str]) -> None:
        replace = block is not None and not any(block.written)
        if not replace:
            self._end()
        self._fence = (fence[2][0], len(fence[2]), len(fence[1]))
        self._open(Fence(fence[3].strip()), replace=replace)
        self._marker, self._headed, self._blank = "", False, False

    def _begin_prose(self, block: Prose | None, line: str) -> Prose:
        """A new piece; a long list goes on in it with its numbers."""
        continues, number = False, None
        if block is not None and self._marker and _marker(line) == self._marker:
            continues = True
            number = self._first + self._items if self._marker in ".)" else None
        marker = self._marker
        self._end()
        if continues:
            self._marker = marker
            self._first, self._items = number or 1, 0
        new = Prose(self._env, continues=continues, first_number=number)
        self._open(new)
        return new

    def _note(self, line: str) -> None:
        """Remember what the line means for the lines after it."""
        self._blank = False
        item = _ITEM.match(line)
        block = self._block
        if item is not None and isinstance(block, Prose) and not _RULE.match(line):
            if len(block.written) == 1 and not self._marker:
                self._marker = _marker(line)
                self._first, self._items = int(item[2] or 1), 0
            if _marker(line) == self._marker:
                self._items += 1
        self._headed = _HEADING.match(line) is not None
        if _DEFINITION.match(line):
            self._definitions.append(line)

    def _plain(self, block: Prose) -> bool:
        """Whether an indented line can begin something at the top level here."""
        first = block.written[0] if block.written else ""
        return not self._marker and not first.startswith((">", " "))

    def _cuts(self, block: Prose, line: str) -> bool:
        """Whether a new piece begins with this line."""
        if self._headed:
            return True
        if line[0] == " " or not block.written:
            return False
        if _HEADING.match(line):
            return True
        marker = "" if _RULE.match(line) else _marker(line)
        if marker and marker == self._marker:
            return block.length > LIST_LIMIT
        if self._blank:
            return True
        if marker and not self._marker and self._plain(block):
            # a list that follows a paragraph without a blank line
            item = _ITEM.match(line)
            return item is not None and item[4] is not None and item[2] in (None, "1")
        return False

    def _head(self, block: Prose, line: str) -> Head | None:
        """The head of a table, where the line before this one and this one begin it."""
        if not _DELIMITER.match(line) or self._blank or not block.written or not self._plain(block):
            return None
        return read_head(f"{block.written[-1]}\n{line}", self._env)

    def _begin_table(self, block: Prose, line: str, head: Head) -> None:
        sources = [block.take_last(), line]
        replace = not any(block.written)
        if not replace:
            self._end()
        self._open(TableBlock(sources, head, self._env), replace=replace)

    def _cut_long(self, block: Prose, *, growing: bool = False) -> None:
        """Continue in a new piece, at the end of a sentence, where one paragraph becomes too long.

        ``growing``: the last line is still being written.
        """
        limit = PROSE_LIMIT * (4 if self._marker else 1)
        while block.length > limit:
            text = block.source()
            ends = [match.end() for match in _SENTENCE.finditer(text, 0, limit)]
            at = (
                ends[-1]
                if ends and ends[-1] > limit // 2
                else text.rfind(" ", limit // 2, limit) + 1 or limit
            )
            block.rewrite(text[:at])
            *lines, last = text[at:].split("\n")
            self._end()
            block = Prose(self._env, continues=True)
            self._open(block)
            for line in lines:
                block.add(line)
            if growing:
                self._partial = [last]
                block.grow(last)
            else:
                block.add(last)

    def _show_partial(self) -> None:
        partial = "".join(self._partial)
        self._partial = [partial]
        block = self._block
        if isinstance(block, Fence):
            char, _, indent = self._fence
            closing = bool(partial.strip()) and partial.strip().strip(char) == ""
            block.grow("" if closing else partial[min(indent, _indent(partial)) :])
        elif isinstance(block, TableBlock):
            block.grow("" if _ends_table(partial) else partial)
        elif partial.strip() and not _MAYBE_FENCE.match(partial):
            self._grow_prose(block, partial)

    def _grow_prose(self, block: Prose | None, partial: str) -> None:
        undecided = self._blank and (partial[0] == " " or bool(self._marker and _MAYBE_ITEM.match(partial)))
        if block is None or (self._blank and not undecided):
            block = self._begin_prose(block, partial)
        block.grow(partial)
        if not undecided:
            self._cut_long(block, growing=True)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _marker(line: str) -> str:
    """What makes two items belong to one list: the bullet, or the sign after the number."""
    item = _ITEM.match(line)
    if item is None:
        return ""
    return item[1] or item[3]


def _ends_table(line: str) -> bool:
    """Whether a line begins something else, so that it is no row."""
    bare = line.lstrip(" ")
    if len(line) - len(bare) > 3:
        return True
    return bool(
        bare.startswith(">") or _FENCE.match(bare) or _HEADING.match(bare) or _RULE.match(bare)
    ) or bool(_ITEM.match(bare))
