"""The text area in which a call's arguments are edited as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from rich.text import Text
from textual.widgets.text_area import Location

from workbench.tui.json_reading import read_json
from workbench.tui.json_view import editable_text
from workbench.tui.long_texts import LONG, LongTexts
from workbench.tui.piece_area import PieceArea

_HUGE: Final = 50_000
"""Characters from which on a text is huge."""


class ArgumentsArea(PieceArea):
    """A text that may be huge: then nothing is done on a key that goes through all of it.

    Long texts in it are folded: ``arguments`` are what is edited, or a JSON text, which is left as it is
    where it cannot be read.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"arguments-area--piece"}

    def __init__(self, arguments: Mapping[str, Any] | str) -> None:
        self.folded = LongTexts()
        text = self._folding(arguments) if isinstance(arguments, str) else self._folded(arguments)
        self.huge = len(text) >= _HUGE
        # wrapping a huge text anew on every key would make typing slow
        super().__init__(text, soft_wrap=not self.huge, compact=True, tab_behavior="focus")

    def _folded(self, arguments: Mapping[str, Any] | None) -> str:
        return editable_text(self.folded.fold(arguments))

    def _folding(self, text: str) -> str:
        arguments = parse_arguments(text)[0] if len(text) >= LONG else None
        shown = self._folded(arguments)
        return shown if self.folded else text

    @property
    def whole(self) -> str:
        """The text with nothing folded."""
        return self.folded.whole(self.text)

    @whole.setter
    def whole(self, text: str) -> None:
        self._show(self._folding(text))

    def _show(self, text: str) -> None:
        self.huge = len(text) >= _HUGE
        self.soft_wrap = not self.huge
        self.replace(text, (0, 0), self.document.end, maintain_selection_offset=False)

    def pieces(self, line: str) -> list[tuple[int, int]]:
        """Where in a line folded texts stand."""
        return self.folded.spans(line)

    def get_line(self, line_index: int) -> Text:
        """A line as it is painted: what is folded stands out."""
        line = super().get_line(line_index)
        style = self.get_component_rich_style("arguments-area--piece")
        for start, end in self.pieces(line.plain):
            line.stylize(style, start, end)
        return line

    def unfold(self) -> None:
        """Show the folded text at the cursor, or the first one, whole."""
        piece = self.piece_near(self.cursor_location)
        if piece is None:
            return
        row, start, end = piece
        text = self.folded.literal(self.document.get_line(row)[start:end])
        self.huge = self.huge or len(text) >= _HUGE
        self.soft_wrap = not self.huge
        self.replace(text, (row, start), (row, end), maintain_selection_offset=False)
        self.move_cursor((row, start))

    def find_matching_bracket(self, bracket: str, search_from: Location) -> Location | None:
        """Where the bracket under the cursor has its other half; not looked for in a huge text."""
        return None if self.huge else super().find_matching_bracket(bracket, search_from)


def parse_arguments(text: str) -> tuple[dict[str, Any] | None, str | None]:
    """The arguments in a JSON text, or what is wrong with it and, if that is known, where."""
    try:
        value = read_json(text)
    except json.JSONDecodeError as error:
        return None, f"line {error.lineno}, column {error.colno}: not JSON: {error.msg}"
    except ValueError as error:
        return None, str(error)
    if not isinstance(value, dict):
        return None, "the arguments must be an object: {…}"
    return value, None
