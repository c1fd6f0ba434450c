"""One line to type a filter or a search into: a slash, the text, and how to leave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input, Static

from workbench.tui.commands import binding

_NARROW: Final = 52


class FilterLine(Horizontal):
    """Tells what is typed; whoever owns it hides and shows it. ``complete`` offers an end for a text.

    What stands in it is made when it first comes up.
    """

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")
    BINDINGS: ClassVar[list[BindingType]] = [binding("field.leave")]

    @dataclass
    class Typed(Message):
        """The text is another one now."""

        text: str

    @dataclass
    class Left(Message):
        """The person is done; ``keep`` says whether the text goes on holding."""

        keep: bool

    def __init__(
        self, placeholder: str, hint: str, complete: Callable[[str], str | None] | None = None
    ) -> None:
        super().__init__()
        suggester = _Completer(complete) if complete is not None else None
        self._input = Input(placeholder=placeholder, compact=True, suggester=suggester)
        self._hint = hint
        self._how = ""
        self._said = Static(hint, markup=False, classes="hint")
        self.display = False

    @property
    def text(self) -> str:
        """What is typed."""
        return self._input.value

    def open(self) -> None:
        """Come up and take the keys; a text that stood here is selected."""
        if not self.children:
            self.mount(Static("/ ", markup=False, classes="slash"), self._input, self._said)
        self.display = True
        self._input.focus()
        self._input.action_select_all()

    def say(self, text: str) -> None:
        """Say how it goes before the hint, which is left out where the line is narrow."""
        self._how = text
        hint = self._hint if self.size.width >= _NARROW else ""
        self._said.update("   ".join(part for part in (text, hint) if part))

    def on_resize(self) -> None:
        """The hint needs room."""
        self.say(self._how)

    def close(self) -> None:
        """Go away, and forget the text."""
        self.display = False
        self.say("")
        with self.prevent(Input.Changed):
            self._input.value = ""

    def on_input_changed(self, event: Input.Changed) -> None:
        """Pass the text on."""
        event.stop()
        self.post_message(self.Typed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter keeps it."""
        event.stop()
        self.post_message(self.Left(keep=True))

    def action_leave(self) -> None:
        """Escape drops it."""
        self.post_message(self.Left(keep=False))


class _Completer(Suggester):
    def __init__(self, complete: Callable[[str], str | None]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._complete = complete

    async def get_suggestion(self, value: str) -> str | None:
        return self._complete(value)
