"""One line to type a filter or a search into: a slash, the text, and how to leave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input, Static

from workbench.tui.commands import binding, bindings, key_of
from workbench.tui.key_hints import Hint, hint_content

_NARROW: Final = 52

Offers = Callable[[str], Sequence[str]]
"""The whole texts that one may become when its last word is completed, the likeliest first."""


class FilterLine(Horizontal):
    """Tells what is typed; whoever owns it hides and shows it. ``offers`` completes a text.

    The first of the offers stands grey behind the text, and Tab takes it; Tab again takes the next one.
    Tab never leads away, so that what is typed next is typed here. ``keep`` and ``leave`` are the words for
    what Enter and Escape do. What stands in it is made when it first comes up.
    """

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("filter"), binding("field.leave")]

    @dataclass
    class Typed(Message):
        """The text is another one now."""

        text: str

    @dataclass
    class Left(Message):
        """The person is done; ``keep`` says whether the text goes on holding."""

        keep: bool

    def __init__(self, placeholder: str, keep: str, leave: str, offers: Offers | None = None) -> None:
        super().__init__()
        self._offers = offers or _nothing
        suggester = _Suggester(offers) if offers is not None else None
        self._input = Input(placeholder=placeholder, compact=True, suggester=suggester)
        self._taken = _Taken()
        self._keep, self._leave = keep, leave
        self._how = ""
        self._said = Static("", markup=False, classes="hint")
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
        shown = Content("   ").join(each for each in (Content(text), self._hints()) if each)
        self._said.update(shown)

    def _hints(self) -> Content:
        """What keys do here; Enter is the line's own only while one types in it."""
        if self.size.width < _NARROW:
            return Content("")
        keys: list[Hint] = []
        if self._input.has_focus:
            taken = self._taken
            again = f"next, {taken.place + 1} of {len(taken.offers)}" if len(taken.offers) > 1 else "complete"
            offered = taken.offers[1:] or self._offers(self.text)
            keys = [Hint(key_of("filter.complete"), again)] if offered else [Hint("enter", self._keep)]
        return hint_content([*keys, Hint(key_of("field.leave"), self._leave)])

    def on_descendant_focus(self) -> None:
        """The keys belong to what has the focus."""
        self.say(self._how)

    on_descendant_blur = on_descendant_focus

    def on_resize(self) -> None:
        """The hint needs room."""
        self.say(self._how)

    def close(self) -> None:
        """Go away, and forget the text."""
        self.display = False
        self._taken = _Taken()
        self.say("")
        with self.prevent(Input.Changed):
            self._input.value = ""

    def on_input_changed(self, event: Input.Changed) -> None:
        """Pass the text on."""
        event.stop()
        if event.value != self._taken.text:
            self._taken = _Taken()
        self.say(self._how)
        self.post_message(self.Typed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter keeps it."""
        event.stop()
        self.post_message(self.Left(keep=True))

    def action_complete(self, step: int) -> None:
        """Take the first offer, or the one ``step`` places from the one taken; where there is none, stay."""
        if len(self._taken.offers) > 1:
            self._taken = self._taken.moved(step)
        elif offers := tuple(self._offers(self.text)):
            self._taken = _Taken(offers, 0 if step > 0 else len(offers) - 1)
        else:
            return
        self._input.value = self._taken.text
        self._input.action_end()

    def action_leave(self) -> None:
        """Escape drops it."""
        self.post_message(self.Left(keep=False))


@dataclass(frozen=True, slots=True)
class _Taken:
    """What was offered for the text that a person typed, and which of it stands there now."""

    offers: tuple[str, ...] = ()
    place: int = 0

    @property
    def text(self) -> str:
        return self.offers[self.place] if self.offers else ""

    def moved(self, step: int) -> _Taken:
        return _Taken(self.offers, (self.place + step) % len(self.offers))


def _nothing(_: str) -> Sequence[str]:
    return ()


class _Suggester(Suggester):
    """Shows the first offer, once a word has been begun."""

    def __init__(self, offers: Offers) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._offers = offers

    async def get_suggestion(self, value: str) -> str | None:
        begun = value and value[-1] not in " :-"
        return next(iter(self._offers(value)), None) if begun else None
