"""Two parts of the pause: the field for a result, and the row of keys."""

from __future__ import annotations

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message

from workbench.tui.commands import Command, bindings, key_text, key_text_of
from workbench.tui.key_hints import hint_spans
from workbench.tui.palette import Palette
from workbench.tui.panels.status import Line
from workbench.tui.render import Span, clip, spans_width
from workbench.tui.screens.approval_fields import Left
from workbench.tui.steady_area import SteadyArea
from workbench.tui.title_row import TitleRow

BUTTON: Final = " Continue  enter "
_WHILE_EDITING: Final = ("field.take", "field.leave")
_OF_ARGUMENTS: Final = ("field.take", "field.leave", "form.switch")


class ResultField(Vertical):
    """A text that the model will read as the call's result; ``said`` stands above it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("field")

    class Taken(Message):
        """This shall be the result."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, text: str, said: str, palette: Palette) -> None:
        super().__init__(id="result")
        self._label = TitleRow(
            lambda width: [("  ", "text"), (clip(said, width - 4), "warning")], palette, "background"
        )
        self._area = SteadyArea(
            text, soft_wrap=len(text) < 50_000, compact=True, tab_behavior="focus", classes="result"
        )

    def compose(self) -> ComposeResult:
        """What the text is for, and the text; any is right."""
        yield self._label
        yield self._area

    def on_mount(self) -> None:
        """Type here."""
        self._area.focus()

    def action_take(self) -> None:
        """Take it."""
        self.post_message(self.Taken(self._area.text))

    def action_leave(self) -> None:
        """Leave the field; nothing changes."""
        self.post_message(Left())


class Keys(Line):
    """What can be done, and the one button."""

    background = "background"
    said = ""
    editing = False
    of_arguments = False
    shown: tuple[Command, ...] = ()

    def spans(self, width: int) -> list[Span]:
        # the last one is never dropped, and it is Escape that leads away
        shown = sorted(self.shown[1:], key=lambda each: each.keys[0] == "escape")
        pairs = [(key_text(each.keys[0]), each.label) for each in shown]
        if self.editing:
            ids = _OF_ARGUMENTS if self.of_arguments else _WHILE_EDITING
            words = {"form.switch": "fields or JSON"}
            pairs = [(key_text_of(each), words.get(each, each.rpartition(".")[2])) for each in ids]
        button: list[Span] = [] if self.editing else [(BUTTON, "on_accent on:accent")]
        room = width - 4 - spans_width(button)
        if self.said and not self.editing:
            return self._ended([("  ", "text"), (clip(self.said, room), "warning")], button, width)
        return self._ended([("  ", "text"), *hint_spans(pairs, room - 2)], button, width)

    @staticmethod
    def _ended(left: list[Span], button: list[Span], width: int) -> list[Span]:
        blanks = width - 2 - spans_width(left) - spans_width(button)
        return [*left, (" " * max(1, blanks), "text"), *button]
