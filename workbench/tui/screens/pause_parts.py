"""Two parts of the pause: the field for a result, and the row of keys."""

from __future__ import annotations

import re
from typing import ClassVar, Final

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message

from workbench.tui.commands import Command, bindings, key_of, key_text
from workbench.tui.key_hints import Hint, hint_spans
from workbench.tui.palette import Palette, press_key
from workbench.tui.panels.status import Line
from workbench.tui.render import Span, clip, spans_width
from workbench.tui.screens.approval_fields import Left
from workbench.tui.steady_area import SteadyArea
from workbench.tui.title_row import TitleRow

_CLAUSE_END: Final = re.compile(r"[,;] |$")
_WHILE_EDITING: Final = ("field.take", "field.leave")
_OF_ARGUMENTS: Final = ("field.take", "form.switch", "field.leave")


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
        self._first = self._area.text

    def compose(self) -> ComposeResult:
        """What the text is for, and the text; any is right."""
        yield self._label
        yield self._area

    def on_mount(self) -> None:
        """Type here."""
        self._area.focus()

    @property
    def unfinished(self) -> str:
        """What was written and not taken yet, empty if nothing was."""
        return self._area.text if self._area.text != self._first else ""

    def action_take(self) -> None:
        """Take it."""
        self.post_message(self.Taken(self._area.text))

    def action_leave(self) -> None:
        """Leave the field; nothing changes."""
        self.post_message(Left())


class Keys(Line):
    """What can be done, and the one button; ``shown`` are the commands of both."""

    background = "background"
    said = ""
    editing = False
    searching = False
    of_arguments = False
    shown: tuple[Command, ...] = ()

    def spans(self, width: int) -> list[Span]:
        if self.searching:
            return []  # the search says its keys itself
        # the last one is never dropped, and it is the one that leads away
        shown = sorted(self.shown, key=lambda each: each.id == "pause.stop")
        keys = [Hint(each.keys[0], each.label) for each in shown if each.id != "pause.go_on"]
        if self.editing:
            ids = _OF_ARGUMENTS if self.of_arguments else _WHILE_EDITING
            words = {"form.switch": "fields or JSON"}
            keys = [Hint(key_of(each), words.get(each, each.rpartition(".")[2])) for each in ids]
        button = [] if self.editing else _button()
        room = width - 4 - spans_width(button)
        if self.said and not self.editing:
            said = _clauses(self.said, room)
            if not said:  # the button gives way for as long as it is said
                button, room = [], width - 4
                said = _clauses(self.said, room) or clip(self.said, room)
            return self._ended([("  ", "text"), (said, "warning")], button, width)
        return self._ended([("  ", "text"), *hint_spans(keys, room - 2)], button, width)

    @staticmethod
    def _ended(left: list[Span], button: list[Span], width: int) -> list[Span]:
        blanks = width - 2 - spans_width(left) - spans_width(button)
        return [*left, (" " * max(1, blanks), "text"), *button]


def _clauses(text: str, room: int) -> str:
    """As many clauses of a sentence as fit into so many cells, each of them whole."""
    ends = [match.start() for match in _CLAUSE_END.finditer(text)]
    return next((text[:end] for end in reversed(ends) if cell_len(text[:end]) <= room), "")


def _button() -> list[Span]:
    key = key_of("pause.go_on")
    return [(f" Continue  {key_text(key)} ", f"on_accent on:accent {press_key(key)}")] if key else []
