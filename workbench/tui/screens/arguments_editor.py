"""Arguments that are changed: field by field, or as one JSON text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import TextArea
from textual.widgets.text_area import Location

from workbench.tui.arguments_area import ArgumentsArea, parse_arguments
from workbench.tui.commands import bindings
from workbench.tui.json_view import json_text
from workbench.tui.painted import Painted
from workbench.tui.palette import Palette
from workbench.tui.screens.arguments_form import ArgumentsForm, Check, Place
from workbench.tui.screens.form_parts import FormField, ValueArea
from workbench.tui.screens.nested_fields import Field, ListItem
from workbench.visible import visible_line

_MOST: Final = 20_000
"""Characters of JSON up to which arguments are shown in fields."""


class ArgumentsEditor(Vertical, Painted):
    """``parameters`` is the schema; ``arguments`` are what is changed, or a JSON text.

    ``fields``: begin with fields, in which defaults stand where there is no value.
    """

    DEFAULT_CSS = "ArgumentsEditor { height: 1fr; & > ArgumentsArea { height: 1fr; } }"
    BINDINGS: ClassVar[list[BindingType]] = bindings("values")

    class Changed(Message):
        """What stands there is another."""

    class Refused(Message):
        """The other way to show it cannot hold it."""

        def __init__(self, why: str) -> None:
            super().__init__()
            self.why = why

    def __init__(
        self,
        parameters: Mapping[str, Any],
        arguments: Mapping[str, Any] | str,
        palette: Palette,
        *,
        fields: bool = False,
    ) -> None:
        super().__init__()
        self._parameters = parameters
        self._palette = palette
        self._face: ArgumentsForm | ArgumentsArea
        if fields and isinstance(arguments, Mapping) and not self._refuses(arguments):
            self._face = ArgumentsForm(parameters, arguments, palette, defaults=True)
        else:
            self._face = ArgumentsArea(arguments)
        self._place: Place | None = None
        self._unread: Mapping[str, str] = {}
        self._left: tuple[str, Location] = ("", (0, 0))

    def compose(self) -> ComposeResult:
        """One of the two."""
        yield self._face

    @property
    def form(self) -> ArgumentsForm | None:
        """The fields, while it is they that are shown."""
        return self._face if isinstance(self._face, ArgumentsForm) else None

    @property
    def area(self) -> ArgumentsArea | None:
        """The JSON text, while it is that which is shown."""
        return self._face if isinstance(self._face, ArgumentsArea) else None

    @property
    def wrong(self) -> list[Field | ListItem]:
        """The fields that have to be put right; JSON has none."""
        return self.form.wrong if self.form is not None else []

    def repaint(self) -> None:
        """The fields have the colours too; a text has those of the style sheet."""
        if self.form is not None:
            self.form.palette = self._palette

    @property
    def text(self) -> str:
        """What stands there as JSON, whole."""
        face = self._face
        return json_text(face.written()) if isinstance(face, ArgumentsForm) else face.whole

    @text.setter
    def text(self, text: str) -> None:
        if self.area is not None:
            self.area.whole = text
        else:
            self._show(ArgumentsArea(text))

    @property
    def slow(self) -> bool:
        """Whether judging it takes too long to be done on each key."""
        return self.area is not None and bool(self.area.huge or self.area.folded)

    def begin(self) -> None:
        """Type here."""
        if self.form is None:
            self._face.focus(scroll_visible=False)
        elif self.form.fields:
            self.form.fields[0].editor.focus(scroll_visible=False)

    def judge(self, check: Check) -> tuple[Mapping[str, Any] | None, str]:
        """The arguments if nothing is wrong with them, and what is wrong; a field says so itself."""
        if self.form is not None:
            return self.form.judge(check)
        arguments, fault = self._read()
        if fault is None and arguments is not None:
            fault = check(arguments)
        return (arguments, "") if fault is None else (None, fault)

    def _read(self) -> tuple[dict[str, Any] | None, str | None]:
        assert self.area is not None
        written, fault = parse_arguments(self.area.text)
        return self.area.folded.restore(written), fault

    def _refuses(self, arguments: Mapping[str, Any]) -> str:
        """Why fields cannot show these, empty if they can."""
        names = self._parameters.get("properties") or {}
        strange = [name for name in arguments if name not in names]
        if strange:
            return f"there is no field for {', '.join(map(visible_line, strange))}"
        return "too long to be shown in fields" if len(json_text(arguments)) > _MOST else ""

    def _show(self, face: ArgumentsForm | ArgumentsArea) -> None:
        before, self._face = self._face, face
        self.call_later(self._swap, before, face)

    async def _swap(self, before: Widget, face: Widget) -> None:
        before.remove()
        await self.mount(face)
        self._resume()
        self.post_message(self.Changed())

    def _leave_face(self) -> None:
        """Remember where one was in what is shown."""
        if self.form is not None:
            self._place = self.form.place or self._place
            self._unread = self.form.unread
        elif self.area is not None:
            self._left = (self.area.text, self.area.cursor_location)

    def _resume(self) -> None:
        """Be where one was, or where the same field is."""
        if self.form is not None:
            if self._place is None or not self.form.return_to(self._place):
                self.begin()
            return
        self.begin()
        if self.area is not None:
            text, at = self._left
            if text != self.area.text:
                at = _row_of(self._place, self.area.document.lines), 0
            self.area.move_cursor(at, center=True)

    def action_switch(self) -> None:
        """Show it the other way; nothing of it is lost."""
        self._leave_face()
        if self.form is not None:
            self._show(ArgumentsArea(self.form.written()))
            return
        arguments, fault = self._read()
        why = fault or self._refuses(arguments or {})
        if why or arguments is None:
            self.post_message(self.Refused(why))
        else:
            form = ArgumentsForm(self._parameters, arguments, self._palette, defaults=False)
            form.restore(self._unread)
            self._show(form)

    @on(ValueArea.Entered)
    def action_next_field(self) -> None:
        """Go to the next field."""
        self.screen.focus_next("ArgumentsEditor *")

    def action_previous_field(self) -> None:
        """Go to the field before."""
        self.screen.focus_previous("ArgumentsEditor *")

    def action_null(self) -> None:
        """Let the field be null, or empty again."""
        if self.form is not None and (field := self.form.current) is not None:
            field.turn_null()

    def action_remove(self) -> None:
        """Take the item that is filled in out of its list."""
        if self.form is not None:
            self.form.take_out()

    @on(FormField.Undone)
    def action_undo(self) -> None:
        """Take the last change of the fields back; a JSON text does that itself."""
        if self.form is not None:
            self.form.undo()

    @on(FormField.Filled)
    @on(TextArea.Changed)
    def _changed(self, event: Message) -> None:
        event.stop()
        self.post_message(self.Changed())


def _row_of(place: Place | None, lines: Sequence[str]) -> int:
    """The row of indented JSON in which the argument of a place stands, the first one if none is found."""
    if place is None:
        return 0
    beginning = f"  {json.dumps(place.argument, ensure_ascii=False)}: "
    return next((row for row, line in enumerate(lines) if line.startswith(beginning)), 0)
