"""Two fields of the approval screen: a reason, and the arguments as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, TextArea

from workbench.tui.arguments_area import ArgumentsArea, parse_arguments
from workbench.tui.commands import binding, bindings, key_text_of
from workbench.tui.palette import Palette
from workbench.tui.pieces import Piece, PieceRow, PieceRows
from workbench.tui.render import clip
from workbench.visible import visible_line

Check = Callable[[Mapping[str, Any]], str | None]

_FAULT_ROWS: Final = 3
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
        self._check = check
        self._palette = palette
        self._area = ArgumentsArea(arguments if text is None else text)
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
        """What stands in the field, whole."""
        return self._area.whole

    @text.setter
    def text(self, text: str) -> None:
        self._area.whole = text

    @on(TextArea.Changed)
    def _changed(self) -> None:
        """Judge on each key; a huge text when the keys pause, and it is said that it is not judged yet."""
        if not self._area.huge and not self._area.folded:
            self.judge()
            return
        self._show([PieceRow([Piece("  ○ being read", "muted")])])
        if self._judging is not None:
            self._judging.stop()
        self._judging = self.set_timer(_PAUSE, self.judge)

    def judge(self) -> Mapping[str, Any] | None:
        """Say what is wrong with the text as it stands; the arguments if nothing is."""
        written, fault = parse_arguments(self._area.text)
        arguments: dict[str, Any] | None = self._area.folded.restore(written)
        if fault is None and arguments is not None:
            fault = self._check(arguments)
        if fault is None:
            self._show([PieceRow([Piece("  ✓ fits the schema", "success"), *self._folded()])])
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

    def _folded(self) -> list[Piece]:
        """That texts are folded, as long as any is."""
        lines = self._area.document.lines if self._area.folded else ()
        count = sum(len(self._area.pieces(line)) for line in lines)
        if not count:
            return []
        said = "1 long text is folded" if count == 1 else f"{count} long texts are folded"
        return [Piece(f"   {said}, ", "muted"), *_hint("field.unfold", "shows it")]

    def _show(self, rows: Sequence[PieceRow]) -> None:
        self._verdict.show(rows)

    def action_unfold(self) -> None:
        """Show a folded text whole."""
        self._area.unfold()

    def action_take(self) -> None:
        """Take the arguments if they fit."""
        arguments = self.judge()
        if arguments is not None:
            self.post_message(self.Taken(arguments))

    def action_leave(self) -> None:
        """Leave the field."""
        self.post_message(Left())


def _hint(command: str, what: str) -> list[Piece]:
    return [Piece(key_text_of(command), "subtle"), Piece(f" {what}", "muted")]
