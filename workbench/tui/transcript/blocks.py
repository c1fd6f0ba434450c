"""What stands in a conversation: blocks that know their lines and how tall they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from workbench.tui.render import Span
from workbench.tui.transcript.code import Source, pieces
from workbench.tui.transcript.line import Line, break_line, line_of

Row = tuple[int, int, int]
"""One painted row: index of its line, from character, to character."""

_FOLD_NOTE: Final = "▸ "
_NO_LINES: Final[list[Line]] = []
_NO_ROWS: Final[list[Row]] = []
"""What a block holds that nobody has come near: one list for thousands of blocks, never added to."""


class Block:
    """One stretch of the conversation that is laid out by itself.

    ``gap`` blank rows stand before it. ``number`` is given by the document, rises along it and is never
    used twice. ``open`` blocks are still being written. ``stop`` blocks can be reached with the cursor.
    ``kind`` says in a word what it is to whoever copies it. One that ``folds`` shows more when ``expanded``.
    ``exact``: nothing is left to ``colour``.
    """

    gap: int = 1
    background: str = "background"
    stop: bool = False
    kind: str = "text"
    folds: bool = False
    expanded: bool = False
    exact: bool = True

    def __init__(self) -> None:
        self.number = -1
        self.index = -1
        self.open = False
        self.lines = _NO_LINES
        self.rows = _NO_ROWS
        self._width = 0
        self._settled = 0

    def build(self, width: int, fresh: bool) -> int:
        """Bring ``lines`` up to date for a width. Returns how many of the first lines did not change.

        ``fresh``: nothing of the lines so far holds, the width is another one.
        """
        raise NotImplementedError

    def size(self) -> tuple[int, int]:
        """For guessing the height before the block is seen: its characters, and its lines at least."""
        raise NotImplementedError

    @property
    def written_so_far(self) -> int:
        """Rises as more is written into the block; stays when only its looks change."""
        return 0

    def source(self) -> str:
        """What copying the whole block gives."""
        return join_lines(self.lines)

    def copied(self, line: int | None) -> str:
        """What copying gives with the cursor, or the mouse, on a line of the block."""
        return self.source()

    def toggle(self) -> None:
        """Show all of it, or little, where it folds."""

    def opens_at(self, row: int) -> bool:
        """Whether a click on this row, counted from the first, folds or unfolds."""
        return self.folds and row == 0

    def colour(self, lines: int) -> Iterator[None]:
        """Colour so many lines at each step, until all are exact."""
        yield from ()

    def searched(self) -> str:
        """What a search looks in, folded away or not."""
        return self.source()

    def layout(self, width: int) -> int:
        """Lay the block out. Returns its height in rows, the gap included."""
        fresh = width != self._width
        if fresh or self._settled < 0:
            self.lines = [] if self.lines is _NO_LINES else self.lines
            self.rows = [] if self.rows is _NO_ROWS else self.rows
            kept = self.build(width, fresh)
            if fresh:
                kept = 0
            self._width = width
            self._break(width, kept)
        return self.height

    @property
    def height(self) -> int:
        """Rows as last laid out, the gap included; 0 for a block that shows nothing."""
        return len(self.rows) + self.gap if self.rows else 0

    @property
    def laid_out(self) -> bool:
        """Whether ``lines`` and ``rows`` are what the block shows now."""
        return self._settled >= 0 and self._width > 0

    def fits(self, width: int) -> bool:
        """Whether it is laid out for this width."""
        return self.laid_out and self._width == width

    def close(self) -> None:
        """Nothing more is written into the block."""
        self.open = False

    def stale(self) -> None:
        """The block changed; its lines are built again when it is next laid out."""
        self._settled = -1

    def forget(self) -> None:
        """Nothing of the lines so far holds, whatever the width."""
        self._width = 0
        self._settled = -1

    def release(self) -> None:
        """Nobody is near any more: keep only what the block was written as, from which it is built again."""
        self.lines, self.rows = _NO_LINES, _NO_ROWS
        self.forget()

    def _break(self, width: int, kept: int) -> None:
        rows = self.rows
        while rows and rows[-1][0] >= kept:
            rows.pop()
        for index in range(kept, len(self.lines)):
            rows += [(index, start, end) for start, end in break_line(self.lines[index], width)]
        self._settled = len(self.lines)


def join_lines(lines: Sequence[Line]) -> str:
    """Lines as text to copy: pieces of one long line are put together again."""
    parts: list[str] = []
    for index, line in enumerate(lines):
        if index and not line.joined:
            parts.append("\n")
        parts.append(line.text.rstrip() if line.wrap == "none" else line.text)
    return "".join(parts)


class Fixed(Block):
    """Lines that are known from the start: a message of the user, a notice, the welcome."""

    def __init__(self, lines: Sequence[Line], *, background: str = "background", gap: int = 1) -> None:
        super().__init__()
        self.background = background
        self.gap = gap
        self.lines = list(lines)
        self._characters = sum(len(line.text) for line in lines)

    def say(self, other: Fixed) -> None:
        """Say what the other one says, in this place."""
        self.lines, self._characters = other.lines, other._characters
        self.forget()

    def build(self, width: int, fresh: bool) -> int:
        """Nothing to do: only where the lines break depends on the width."""
        return len(self.lines)

    def release(self) -> None:
        """The lines are what it was written as."""
        lines = self.lines
        super().release()
        self.lines = lines

    def size(self) -> tuple[int, int]:
        """The characters and the number of lines."""
        return self._characters, len(self.lines)


PROMPT_LEAD: Final[tuple[Span, ...]] = (("❯ ", "accent"),)
TEXT_LEAD: Final[tuple[Span, ...]] = (("  ", "text"),)


_TONES: Final[dict[str, str]] = {
    "error": "✗ ",
    "warning": "◇ ",
    "muted": "– ",
    "success": "✓ ",
    "accent": "◆ ",
}


def notice(title: str, text: str, hint: str, tone: str) -> Fixed:
    """A short report: what happened in its tone, more about it in text, what to do in muted."""
    mark: tuple[Span, ...] = ((_TONES.get(tone, "  "), tone),)
    lines = [
        Line(part, key=tone, lead=TEXT_LEAD if index else mark, hang=TEXT_LEAD)
        for index, part in enumerate(title.split("\n"))
    ]
    for body, key in ((text, "text"), (hint, "muted")):
        if body:
            lines += [Line(part, key=key, lead=TEXT_LEAD, hang=TEXT_LEAD) for part in body.split("\n")]
    return Fixed(lines)


class Failure(Fixed):
    """A notice of something that raised: it unfolds to its traceback."""

    stop = True
    kind = "error"
    folds = True

    def __init__(self, said: Fixed, traceback: str) -> None:
        super().__init__(said.lines)
        self._said = said.lines
        fold = Line("traceback", key="muted", lead=(("  " + _FOLD_NOTE, "muted"),), hang=TEXT_LEAD)
        self._folded = [*said.lines, fold]
        self._unfolded = [
            *said.lines,
            *(Line(part, key="muted", lead=TEXT_LEAD, hang=TEXT_LEAD) for part in traceback.split("\n")),
        ]
        self._traceback = traceback
        self.say(Fixed(self._folded))

    def toggle(self) -> None:
        """Show the traceback, or that there is one."""
        self.expanded = not self.expanded
        self.say(Fixed(self._unfolded if self.expanded else self._folded))

    def opens_at(self, row: int) -> bool:
        """Any row of it, as it is the last one that says so."""
        return True

    def source(self) -> str:
        """What it says, with the traceback, folded or not."""
        return "\n".join([*(line.text for line in self._said), self._traceback])


def welcome(title: str, rows: Sequence[Sequence[Span]]) -> Fixed:
    """What an empty conversation says."""
    return Fixed([Line(title, key="text strong"), *(line_of(row) for row in rows)])


class Reasoning(Block):
    """What the model thinks aloud: muted while it comes, one line once the answer begins."""

    stop = True
    kind = "reasoning"
    folds = True

    def __init__(self) -> None:
        super().__init__()
        self.open = True
        self._parts: list[Source] = [("", False)]
        self._characters = 0
        self._words = 0
        self._kept = 0

    def write(self, text: str) -> None:
        """More of it."""
        last, joined = self._parts.pop()
        for index, part in enumerate((last + text).split("\n")):
            (head, _), *rest = pieces(part)
            self._parts += [(head, joined and not index), *rest]
        self._characters += len(text)
        self.stale()

    @property
    def written_so_far(self) -> int:
        """Its characters, folded or not."""
        return self._characters

    def close(self) -> None:
        """The answer begins: fold."""
        super().close()
        self._words = len(self.source().split())
        self.forget()

    def toggle(self) -> None:
        """Show all of it, or one line."""
        self.expanded = not self.expanded
        self.forget()

    def build(self, width: int, fresh: bool) -> int:
        """While it is open only the last line grows; afterwards it is all or one line."""
        if self.open:
            kept = 0 if fresh else self._kept
            del self.lines[kept:]
            self.lines += [Line(part, key="muted", joined=joined) for part, joined in self._parts[kept:]]
            self._kept = len(self._parts) - 1
            return kept
        head = f"reasoning  {self._words} {'word' if self._words == 1 else 'words'}"
        mark = "▾ " if self.expanded else _FOLD_NOTE
        self.lines = [Line(head, key="muted", lead=((mark, "muted"),), hang=TEXT_LEAD)]
        if self.expanded:
            self.lines += [
                Line(part, key="muted", lead=TEXT_LEAD, hang=TEXT_LEAD, joined=joined)
                for part, joined in self._parts
            ]
        return 0

    def size(self) -> tuple[int, int]:
        """One line when it is folded."""
        if self.open or self.expanded:
            return self._characters, len(self._parts)
        return 1, 1

    def source(self) -> str:
        """All of it, folded or not."""
        return "".join(
            part if joined or not index else "\n" + part for index, (part, joined) in enumerate(self._parts)
        )
