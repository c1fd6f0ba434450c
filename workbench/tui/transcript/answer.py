"""The blocks of an answer: prose, code and tables, each of which can grow while it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from workbench.tui.transcript.blocks import Block
from workbench.tui.transcript.code import LineLexer, Source, code_line, exact_marks, head_line, pieces
from workbench.tui.transcript.line import COPY, Line, Mark
from workbench.tui.transcript.markdown import Environment, Head, codes, read_head, render, table_row
from workbench.tui.transcript.table import Table

_TICKS: Final = re.compile("`+")
_FENCED: Final = re.compile(r"^[ \t>*+\-\d.)]*(?:```|~~~)", re.MULTILINE)
_CLOSED: Final[list[str]] = []
"""The lines of all prose that is complete: none, its text is kept instead."""


class Prose(Block):
    """A few blocks of Markdown that are rendered together, again and again while they are open."""

    kind = "code"

    def __init__(self, env: Environment, *, continues: bool = False, first_number: int | None = None) -> None:
        super().__init__()
        self.gap = 0 if continues else 1
        self.open = True
        self._env = env
        self._first_number = first_number
        self._lines: list[str] = []
        self._closed: str | None = None
        self._ends = 0
        self._partial = ""
        self._characters = 0
        self._fixed = True

    @property
    def written(self) -> Sequence[str]:
        """The complete source lines so far, while it is open."""
        return self._lines

    def add(self, line: str) -> None:
        """One more complete line of source."""
        self._lines.append(line)
        self._partial = ""
        self._characters += len(line) + 1
        self.stale()

    def grow(self, partial: str) -> None:
        """The line that is being written, as far as it is there."""
        if partial != self._partial:
            self._partial = partial
            self.stale()

    def take_last(self) -> str:
        """Take the last complete line away: it turned out to begin something else."""
        line = self._lines.pop()
        self._characters -= len(line) + 1
        self.stale()
        return line

    def close(self) -> None:
        """It is complete: one text takes the place of its lines."""
        self._closed, self._ends = self.source(), len(self._lines)
        self._lines = _CLOSED
        self.stop = _FENCED.search(self._closed) is not None
        super().close()

    def rewrite(self, text: str) -> None:
        """Other source instead of what was there."""
        self._lines = text.split("\n")
        self._partial = ""
        self._characters = len(text) + 1
        self.stale()

    @property
    def length(self) -> int:
        """Characters of source so far."""
        return self._characters + len(self._partial)

    @property
    def written_so_far(self) -> int:
        """Its characters without the ends of its lines: the last one only comes when it is closed."""
        return self.length - (len(self._lines) or self._ends)

    def source(self) -> str:
        """The Markdown itself."""
        if self._closed is not None:
            return self._closed
        return "\n".join([*self._lines, self._partial] if self._partial else self._lines).rstrip("\n")

    def markdown(self) -> str:
        """The same."""
        return self.source()

    def size(self) -> tuple[int, int]:
        """Soft breaks are no rows, so only the characters count."""
        return self.length, 1 if self.length else 0

    def build(self, width: int, fresh: bool) -> int:
        """Render, unless only the width changed and the lines do not depend on it."""
        if fresh and not self._fixed and self._settled > 0:
            return len(self.lines)
        self.lines, self._fixed = render(self.source(), width, env=self._env, first_number=self._first_number)
        self.stop = any(line.right == COPY for line in self.lines)
        return 0

    def copied(self, line: int | None) -> str:
        """The code under the heading at a line; without one all code in it."""
        found = codes(self.source(), self._env)
        if line is None:
            return "\n\n".join(found)
        return found[sum(each.right == COPY for each in self.lines[:line])]


class Fence(Block):
    """A block of code at the top level: each line is read once."""

    stop = True
    kind = "code"

    def __init__(self, info: str) -> None:
        super().__init__()
        self.open = True
        self.exact = False
        self._info = info
        self._sources: list[Source] = []
        self._lexer: LineLexer | None = None
        self._partial = ""
        self._characters = 0
        self._built = 0

    def add(self, line: str) -> None:
        """One more complete line."""
        self._sources += pieces(line)
        self._characters += len(line)
        self._partial = ""
        self.stale()

    def grow(self, partial: str) -> None:
        """The line that is being written, as far as it is there."""
        if partial != self._partial:
            self._partial = partial
            self.stale()

    @property
    def written_so_far(self) -> int:
        """Its characters without the ends of its lines."""
        return self._characters + len(self._partial)

    def close(self) -> None:
        """It is complete: nothing is read line by line any more."""
        self._lexer = None
        super().close()

    def release(self) -> None:
        """Its colours go as well."""
        super().release()
        self._built, self.exact = 0, False

    def source(self) -> str:
        """The code alone, without the fence."""
        sources = [*self._sources, *(pieces(self._partial) if self._partial else [])]
        return "".join(
            text if joined or not index else "\n" + text for index, (text, joined) in enumerate(sources)
        )

    def markdown(self) -> str:
        """The code between fences that are longer than any within it."""
        code = self.source()
        fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(code)), default=0))
        return f"{fence}{self._info}\n{code}\n{fence}"

    def size(self) -> tuple[int, int]:
        """The characters count only where lines are longer than the panel, which is rare."""
        return 1, len(self._sources) + 1

    def build(self, width: int, fresh: bool) -> int:
        """Add the lines that came; what was there holds at every width."""
        if not self.lines:
            self.lines = [head_line(self._info)._replace(right=COPY)]
            self._built = 1
        kept = self._built
        del self.lines[kept:]
        for source in self._sources[kept - 1 :]:
            self.lines.append(code_line(source, self._read(source[0], keep=True)))
        self._built = len(self.lines)
        if self._partial:
            for source in pieces(self._partial):
                self.lines.append(code_line(source, self._read(source[0], keep=False)))
        return kept

    def _read(self, text: str, *, keep: bool) -> tuple[Mark, ...]:
        if not self.open:
            # colours of closed blocks come when they are seen
            return ()
        if self._lexer is None:
            self._lexer = LineLexer(self._info)
        return self._lexer.marks(text, keep=keep)

    def colour(self, lines: int) -> Iterator[None]:
        """Read the closed block exactly; a step is ``lines`` lines. The heights stay as they are."""
        coloured = self.lines
        for count, (index, marks) in enumerate(exact_marks(self._info, self._sources), start=1):
            if index + 1 < len(coloured):
                coloured[index + 1] = coloured[index + 1]._replace(marks=marks)
            if count % lines == 0:
                yield
        # another list: the block was released meanwhile, and its lines will be plain again
        self.exact = self.lines is coloured


class TableBlock(Block):
    """A table at the top level: each row is read once."""

    def __init__(self, sources: Sequence[str], head: Head, env: Environment) -> None:
        super().__init__()
        self.open = True
        self._head = "\n".join(sources)
        self._env = env
        self._table: Table | None = Table(*head)
        self._sources = list(sources)
        self._partial = ""
        self._provisional = False

    def add(self, line: str) -> None:
        """One more complete line."""
        self._partial = ""
        self._sources.append(line)
        self.stale()

    def close(self) -> None:
        """It is complete: the cells are made when somebody comes near."""
        if not self.laid_out and not self.lines:
            self._table = None
        super().close()

    def grow(self, partial: str) -> None:
        """The row that is being written, as far as it is there."""
        if partial != self._partial:
            self._partial = partial
            self.stale()

    @property
    def written_so_far(self) -> int:
        """Its rows, the one that is being written among them."""
        return len(self._sources) + bool(self._partial.strip())

    def source(self) -> str:
        """The Markdown itself."""
        return "\n".join(self._sources)

    def markdown(self) -> str:
        """The same."""
        return self.source()

    def size(self) -> tuple[int, int]:
        """A row for each row of the table, as long as none wraps."""
        return 1, len(self._sources)

    def release(self) -> None:
        """Its cells go as well."""
        super().release()
        self._table, self._provisional = None, False

    def build(self, width: int, fresh: bool) -> int:
        """Add the rows that came, or lay everything out again where a column grew."""
        table = self._table
        if table is None:
            head = read_head(self._head, self._env)
            assert head is not None, "it was one when the block was made"
            table = self._table = Table(*head)
        if self._provisional:
            table.pop()
        for source in self._sources[len(table) + 2 :]:
            table.add(self._cells(source))
        self._provisional = bool(self._partial.strip())
        if self._provisional:
            table.add(self._cells(self._partial))
        kept = table.layout(width)
        self.lines = table.lines
        return kept

    def _cells(self, source: str) -> list[Line]:
        return table_row(self._head, source, self._env) or [Line(source)]
