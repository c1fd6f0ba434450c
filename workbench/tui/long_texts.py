"""Long texts among JSON values, each of which stands in what is edited as one short piece."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from workbench.tui.json_view import editable_text
from workbench.tui.pastes import Pastes

LONG: Final = 10_000
"""Characters from which on a text is folded."""

_LITERAL: Final = re.compile(r'"(\[kept [^"\]]*\])"')


class LongTexts:
    """The folded texts of one value that is being edited: ``"[kept 38,000 lines]"``."""

    def __init__(self) -> None:
        self._pieces = Pastes("kept")

        self._folded = 0

    def __len__(self) -> int:
        return self._folded

    def fold(self, value: Any) -> Any:
        """The value with a piece in the place of each long text."""
        _each_text(value, self._reserve)
        return _each_text(value, self._fold)

    def restore(self, value: Any) -> Any:
        """The value with each piece replaced by the text that it stands for."""
        return _each_text(value, self._text) if len(self) else value

    def literal(self, piece: str) -> str:
        """The JSON of what a piece, in its quotes, stands for."""
        return editable_text(self._text(piece.strip('"')))

    def whole(self, text: str) -> str:
        """The JSON text with each piece replaced by the text that it stands for."""
        return _LITERAL.sub(lambda match: self.literal(match[0]), text) if len(self) else text

    def spans(self, line: str) -> list[tuple[int, int]]:
        """Where in a line of JSON pieces stand, with their quotes: from column, to column."""
        if not len(self) or "[kept " not in line:
            return []
        return [match.span() for match in _LITERAL.finditer(line) if self._text(match[1]) != match[1]]

    def _reserve(self, text: str) -> str:
        if len(text) < LONG:
            self._pieces.reserve(text)
        return text

    def _fold(self, text: str) -> str:
        if len(text) < LONG:
            return text
        self._folded += 1
        return self._pieces.fold(text)

    def _text(self, piece: str) -> str:
        try:
            return self._pieces.text(piece)
        except KeyError:
            return piece


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {name: _each_text(each, change) for name, each in value.items()}
    return [_each_text(each, change) for each in value] if isinstance(value, list) else value
