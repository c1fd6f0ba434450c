"""Two fields of the approval screen: a reason, and the arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input

from workbench.tui.arguments_area import parse_arguments
from workbench.tui.commands import binding, bindings, key_of
from workbench.tui.key_hints import hint
from workbench.tui.palette import Palette
from workbench.tui.pieces import Piece, PieceRow, PieceRows
from workbench.tui.screens.arguments_editor import ArgumentsEditor
from workbench.tui.words import count_words
from workbench.tui.wrapped import wrapped

Check = Callable[[Mapping[str, Any]], str | None]

_FAULT_ROWS: Final = 3
"""Rows that what is wrong with the arguments may always take."""

_PAUSE: Final = 0.25


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


class EditField(Vertical):
    """The arguments, as JSON at first, and what is wrong with them as one types."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("field")

    class Taken(Message):
        """Run the call with these arguments."""

        def __init__(self, arguments: Mapping[str, Any]) -> None:
            super().__init__()
            self.arguments = arguments

    def __init__(
        self,
        arguments: Mapping[str, Any],
        check: Check,
        palette: Palette,
        *,
        text: str | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        """``text`` stands in the field at first, where that is not the arguments themselves.

        With the schema, ``parameters``, they can be filled in field by field too.
        """
        super().__init__(id="edit")
        self._arguments = arguments
        self._check = check
        self._editor = ArgumentsEditor(parameters or {}, arguments if text is None else text, palette)
        self._judging: Timer | None = None
        self._verdict = PieceRows(palette, id="fault")

    def compose(self) -> ComposeResult:
        """The arguments, then the verdict on them."""
        yield self._editor
        yield self._verdict

    def on_mount(self) -> None:
        """Type here."""
        self._editor.begin()
        self.judge()

    def on_resize(self) -> None:
        """What is wrong is told in the width there is."""
        self._changed()

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._editor.palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._editor.palette = self._verdict.palette = palette

    @property
    def text(self) -> str:
        """What stands in the field as JSON, whole."""
        return self._editor.text

    @text.setter
    def text(self, text: str) -> None:
        self._editor.text = text

    @property
    def unfinished(self) -> str:
        """What was written and not taken yet as JSON, empty if it says what the arguments said before."""
        text = self.text
        return text if parse_arguments(text)[0] != self._arguments else ""

    @on(ArgumentsEditor.Changed)
    def _changed(self) -> None:
        """Judge on each key; a huge text when the keys pause, and it is said that it is not judged yet."""
        if not self._editor.slow:
            self.judge()
            return
        self._show([PieceRow([Piece("  ○ being read", "muted")])])
        if self._judging is not None:
            self._judging.stop()
        self._judging = self.set_timer(_PAUSE, self.judge)

    @on(ArgumentsEditor.Refused)
    def _refused(self, event: ArgumentsEditor.Refused) -> None:
        event.stop()
        self._say(event.why)

    def judge(self) -> Mapping[str, Any] | None:
        """Say what is wrong with them as they stand; the arguments if nothing is."""
        arguments, fault = self._editor.judge(self._check)
        if arguments is not None:
            self._show([PieceRow([Piece("  ✓ fits the schema", "success"), *self._folded()])])
            return arguments
        self._say(fault or f"{count_words(len(self._editor.wrong), 'field')} to put right")
        return None

    def _say(self, fault: str) -> None:
        lines = wrapped(fault.strip(), max(10, self.size.width), "error", 4, words=True)
        rows = [PieceRow([Piece(*span) for span in line]) for line in lines]
        rows[0] = replace(rows[0], pieces=[Piece("  ✗ ", "error"), *rows[0].pieces[1:]])
        most = max(_FAULT_ROWS, self.size.height // 2)
        if len(rows) > most:
            more = len(rows) - most + 1
            rows = [*rows[: most - 1], PieceRow([Piece(f"    and {more} more lines", "error")])]
        self._show(rows)

    def _folded(self) -> list[Piece]:
        """That texts are folded, as long as any is."""
        area = self._editor.area
        if area is None or not area.folded:
            return []
        count = sum(len(area.pieces(line)) for line in area.document.lines)
        if not count:
            return []
        said = "1 long text is folded" if count == 1 else f"{count} long texts are folded"
        return [Piece(f"   {said}, ", "muted"), *_hint("field.unfold", "shows it")]

    def _show(self, rows: Sequence[PieceRow]) -> None:
        self._verdict.show(rows)

    def action_unfold(self) -> None:
        """Show a folded text whole."""
        if self._editor.area is not None:
            self._editor.area.unfold()

    def action_switch(self) -> None:
        """Show them in fields, or as JSON again."""
        self._editor.action_switch()

    def action_take(self) -> None:
        """Take the arguments if they fit."""
        arguments = self.judge()
        if arguments is not None:
            self.post_message(self.Taken(arguments))

    def action_leave(self) -> None:
        """Leave the field."""
        self.post_message(Left())


def _hint(command: str, what: str) -> list[Piece]:
    return [Piece(*span) for span in hint(key_of(command), what)]
