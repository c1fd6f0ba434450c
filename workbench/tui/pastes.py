"""Long texts, each of which stands in what is being written as one short piece."""

from __future__ import annotations

import re
from typing import Final

from workbench.visible import visible

FOLD_LINES: Final = 15
FOLD_CHARACTERS: Final = 1_500
"""A paste of more than this is folded."""

UNFOLD_LINES: Final = 2_000
UNFOLD_CHARACTERS: Final = 100_000
"""A piece of more than this is not unfolded in place: typing behind it would be slow."""


class Pastes:
    """The folded texts of one draft, by the piece that stands for each; ``word`` begins every piece."""

    def __init__(self, word: str = "pasted") -> None:
        self._texts: dict[str, str] = {}
        self._word = word
        self._piece = re.compile(rf"\[{word} [\d,]+ (?:lines|characters)(?: #\d+)?\]")

    @property
    def texts(self) -> tuple[str, ...]:
        """What was pasted and folded, also what was unfolded since."""
        return tuple(self._texts.values())

    def clear(self) -> None:
        """The draft begins anew."""
        self._texts.clear()

    def fold(self, text: str) -> str:
        """The piece that stands for a text: ``[pasted 1,204 lines]``."""
        lines = text.removesuffix("\n").count("\n") + 1
        size = f"{lines:,} lines" if lines > FOLD_LINES else f"{len(text):,} characters"
        piece, number = f"[{self._word} {size}]", 1
        while self._texts.setdefault(piece, text) != text:
            number += 1
            piece = f"[{self._word} {size} #{number}]"
        return piece

    def reserve(self, text: str) -> None:
        """A text that was there before: what looks like a piece in it stands for itself."""
        for match in self._piece.finditer(text):
            self._texts.setdefault(match[0], match[0])

    def text(self, piece: str) -> str:
        """What a piece stands for. Raises KeyError."""
        return self._texts[piece]

    def spans(self, line: str) -> list[tuple[int, int]]:
        """Where in a line pieces stand: from column, to column."""
        if not self._texts or f"[{self._word} " not in line:
            return []
        return [match.span() for match in self._piece.finditer(line) if match[0] in self._texts]

    def whole(self, draft: str) -> str:
        """The draft with every piece replaced by what it stands for, as it is sent."""
        if not self._texts:
            return draft
        return self._piece.sub(lambda match: self._texts.get(match[0], match[0]), draft)


def is_long(text: str, lines: int, characters: int) -> bool:
    """Whether a text has more than so many lines or characters."""
    return len(text) > characters or text.count("\n") >= lines


def cleaned(text: str) -> str:
    """A pasted text as it goes into the draft: what cannot be seen or could act stands there as escapes.

    Line endings become newlines; tabs stay.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "\t".join(visible(part) for part in text.split("\t"))
