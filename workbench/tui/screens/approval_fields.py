"""Two fields of the approval screen: a reason, and the arguments as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, TextArea
from textual.widgets.text_area import Location

from workbench.tui.commands import binding, bindings
from workbench.tui.json_view import editable_text
from workbench.tui.palette import Palette
from workbench.tui.pieces import Piece, PieceRow, PieceRows
from workbench.tui.render import clip
from workbench.tui.steady_area import SteadyArea
from workbench.visible import visible_line

Check = Callable[[Mapping[str, Any]], str | None]

_FAULT_ROWS: Final = 3
_HUGE: Final = 50_000
"""Characters from which on a text is huge."""
_PAUSE: Final = 0.25
_DEEPEST: Final = 100
_TOO_DEEP: Final = f"not arguments that can be read: nested deeper than {_DEEPEST} levels"


class Left(Message):
    """The field was left; nothing changes."""


class ReasonField(Input):
    """One line: why the highlighted call is rejected. Enter takes it, Esc leaves it."""

    BINDINGS: ClassVar[list[BindingType]] = [binding("field.leave")]

    def __init__(self) -> None:
        super().__init__(placeholder="what the model should know, or do instead", compact=True, id="reason")

    def action_leave(self) -> None:
        """Leave the field."""
        self.post_message(Left())


class ArgumentsArea(SteadyArea):
    """A text that may be huge: then nothing is done on a key that goes through all of it."""

    def __init__(self, text: str) -> None:
        self.huge = len(text) >= _HUGE
        # wrapping a huge text anew on every key would make typing slow
        super().__init__(text, soft_wrap=not self.huge, compact=True, tab_behavior="focus")

    def find_matching_bracket(self, bracket: str, search_from: Location) -> Location | None:
        """Where the bracket under the cursor has its other half; not looked for in a huge text."""
        return None if self.huge else super().find_matching_bracket(bracket, search_from)


class EditField(Vertical):
    """The arguments as JSON, and what is wrong with them as one types."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("field")

    class Taken(Message):
        """Run the call with these arguments."""

        def __init__(self, arguments: Mapping[str, Any]) -> None:
            super().__init__()
            self.arguments = arguments

    def __init__(
        self, arguments: Mapping[str, Any], check: Check, palette: Palette, *, text: str | None = None
    ) -> None:
        """``text`` stands in the field at first, where that is not the arguments themselves."""
        super().__init__(id="edit")
        text = editable_text(arguments) if text is None else text
        self._check = check
        self._palette = palette
        self._area = ArgumentsArea(text)
        self._judging: Timer | None = None
        self._verdict = PieceRows(palette, id="fault")

    def compose(self) -> ComposeResult:
        """The text, then the verdict on it."""
        yield self._area
        yield self._verdict

    def on_mount(self) -> None:
        """Type here."""
        self._area.focus()
        self.judge()

    def on_resize(self) -> None:
        """What is wrong is told in the width there is."""
        self._changed()

    @property
    def text(self) -> str:
        """What stands in the field."""
        return self._area.text

    @text.setter
    def text(self, text: str) -> None:
        self._area.replace(text, (0, 0), self._area.document.end, maintain_selection_offset=False)

    @on(TextArea.Changed)
    def _changed(self) -> None:
        """Judge on each key; a huge text when the keys pause, and it is said that it is not judged yet."""
        if not self._area.huge:
            self.judge()
            return
        self._show([PieceRow([Piece("  ○ being read", "muted")])])
        if self._judging is not None:
            self._judging.stop()
        self._judging = self.set_timer(_PAUSE, self.judge)

    def judge(self) -> Mapping[str, Any] | None:
        """Say what is wrong with the text as it stands; the arguments if nothing is."""
        arguments, fault = parse_arguments(self._area.text)
        if fault is None and arguments is not None:
            fault = self._check(arguments)
        if fault is None:
            self._show([PieceRow([Piece("  ✓ fits the schema", "success")])])
            return arguments
        lines = [visible_line(line) for line in fault.strip().split("\n")]
        width = max(10, self.size.width - 6)
        shown = [
            PieceRow([Piece("  ✗ " if index == 0 else "    ", "error"), Piece(clip(line, width), "error")])
            for index, line in enumerate(lines[:_FAULT_ROWS])
        ]
        if len(lines) > _FAULT_ROWS:
            more = len(lines) - _FAULT_ROWS + 1
            shown[-1] = PieceRow([Piece(f"    and {more} more lines", "error")])
        self._show(shown)
        return None

    def _show(self, rows: Sequence[PieceRow]) -> None:
        self._verdict.show(rows)

    def action_take(self) -> None:
        """Take the arguments if they fit."""
        arguments = self.judge()
        if arguments is not None:
            self.post_message(self.Taken(arguments))

    def action_leave(self) -> None:
        """Leave the field."""
        self.post_message(Left())


def parse_arguments(text: str) -> tuple[dict[str, Any] | None, str | None]:
    """The arguments in a JSON text, or what is wrong with it and, if that is known, where."""
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_float=_number)
    except json.JSONDecodeError as error:
        return None, f"line {error.lineno}, column {error.colno}: not JSON: {error.msg}"
    except RecursionError:
        return None, _TOO_DEEP
    except ValueError as error:
        # what the text says is JSON by its form, but no value of it
        return None, str(error) if str(error).startswith(
            "not "
        ) else "not a number that can be read: too many digits"
    if not isinstance(value, dict):
        return None, "the arguments must be an object: {…}"
    return (None, _TOO_DEEP) if _too_deep(value) else (value, None)


def _no_constant(word: str) -> float:
    raise ValueError(f"not JSON: it has no {word}")


def _number(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"not a number that can be kept: {clip(digits, 24)} is too large")
    return number


def _too_deep(value: Any) -> bool:
    """Whether lists and objects lie within each other deeper than the arguments can be worked with."""
    level = [value]
    for _ in range(_DEEPEST):
        inner = [each.values() if isinstance(each, dict) else each for each in level]
        level = [item for items in inner for item in items if isinstance(item, dict | list)]
        if not level:
            return False
    return True
