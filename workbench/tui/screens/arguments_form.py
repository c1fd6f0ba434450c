"""The fields of a tool's arguments, one below the other, and what is wrong with each beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from textual import events, on
from textual.containers import VerticalScroll
from textual.geometry import Region
from textual.widgets import TextArea
from textual.widgets.text_area import Location

from workbench.tui.form_fields import LEFT_OUT, MISSING, faults_by_field, fields_of
from workbench.tui.painted import Painted
from workbench.tui.palette import Palette
from workbench.tui.screens.form_parts import FormField, ValueArea
from workbench.tui.screens.form_steps import Step
from workbench.tui.screens.nested_fields import (
    Field,
    ListField,
    ListItem,
    NestedField,
    field_for,
    restore_texts,
    unread_texts,
)

Check: TypeAlias = Callable[[Mapping[str, Any]], "str | None"]


@dataclass(frozen=True, slots=True)
class Place:
    """A field by its path, the argument it belongs to, and where the cursor stands in it.

    ``adds``: it is the row that adds an item to this list.
    """

    argument: str
    path: str
    at: Location = (0, 0)
    adds: bool = False


class ArgumentsForm(VerticalScroll, Painted):
    """``values`` stand in the fields at first; ``defaults``: those of the schema where there is no value."""

    DEFAULT_CSS = """
    ArgumentsForm {
        background: $background;
        scrollbar-size: 1 1;
        scrollbar-background: $background;
        scrollbar-background-hover: $background;
        scrollbar-color: $rule;
    }
    """

    def __init__(
        self, parameters: Mapping[str, Any], values: Mapping[str, Any], palette: Palette, *, defaults: bool
    ) -> None:
        self.fields: list[Field] = [
            field_for(spec, values.get(spec.name, spec.default if defaults else MISSING), palette)
            for spec in fields_of(parameters)
        ]
        super().__init__(*self.fields, can_focus=False)
        self._palette = palette
        self._steps: list[Step] = []

    def repaint(self) -> None:
        """The fields have the colours too."""
        for field in self.fields:
            field.palette = self._palette

    def written(self) -> dict[str, Any]:
        """The values as they stand; a text that cannot be read is itself."""
        return self._collect({})

    def _collect(self, faults: dict[str, str]) -> dict[str, Any]:
        found = {each.spec.name: each.collect(each.spec.name, faults) for each in self.fields}
        return {name: value for name, value in found.items() if value is not LEFT_OUT}

    @property
    def unread(self) -> dict[str, str]:
        """The texts that are no values, by the paths of their fields."""
        return unread_texts(self.places().items())

    def restore(self, unread: Mapping[str, str]) -> None:
        """Show these texts as they were written; as JSON they were strings."""
        restore_texts(self.places().items(), unread)

    def judge(self, check: Check) -> tuple[Mapping[str, Any] | None, str]:
        """The arguments if nothing is wrong with them, and what is wrong that no field can say.

        What is wrong with a field is said beside it.
        """
        faults: dict[str, str] = {}
        rest = ""
        arguments = self._collect(faults)
        places = self.places()
        if not faults:
            faults, rest = faults_by_field(check(arguments) or "", tuple(places))
        for path, field in places.items():
            field.say(faults.get(path, ""))
        return (None if faults or rest else arguments), rest

    def places(self) -> dict[str, Field | ListItem]:
        """Every field by its path: ``order.lines[0].count``."""
        return {path: each for field in self.fields for path, each in field.by_path(field.spec.name)}

    @property
    def wrong(self) -> list[Field | ListItem]:
        """The fields that have to be put right."""
        return [each for each in self.places().values() if each.fault]

    @property
    def current(self) -> FormField | None:
        """The field that is filled in."""
        focused = self.screen.focused
        return next((each for each in self.query(FormField) if each.editor is focused), None)

    @property
    def place(self) -> Place | None:
        """Where one is: what has the focus, and where the cursor stands in it."""
        focused = self.screen.focused
        at = focused.cursor_location if isinstance(focused, ValueArea) else (0, 0)
        found = None  # what is in a field comes after it, and the innermost is where one is
        for field in self.fields:
            for path, each in field.by_path(field.spec.name):
                if isinstance(each, ListField) and each.adder is focused:
                    found = Place(field.spec.name, path, adds=True)
                elif each.editor is focused:
                    found = Place(field.spec.name, path, at)
        return found

    def return_to(self, place: Place) -> bool:
        """Be there again. Whether there is such a field."""
        field = self.places().get(place.path)
        if field is None:
            return False
        adder = field.adder if place.adds and isinstance(field, ListField) else None
        editor = adder or field.editor
        if isinstance(editor, ValueArea):
            editor.return_to(place.at)
        else:
            editor.focus(scroll_visible=False)
        return True

    def take_out(self) -> bool:
        """Take the item that has the focus out of its list; the innermost one. Whether there is one."""
        focused = self.screen.focused
        for each in focused.ancestors if focused is not None else ():
            if isinstance(each, ListItem):
                each.take_out()
                return True
        return False

    def undo(self) -> None:
        """Take the last change back, wherever it was, and be there."""
        while self._steps:
            step = self._steps.pop()
            if step.owner.is_attached:
                step.back()
                return

    @property
    def undoable(self) -> bool:
        """Whether ``undo`` does something."""
        return any(step.owner.is_attached for step in self._steps)

    @property
    def in_item(self) -> bool:
        """Whether an item of a list is filled in."""
        focused = self.screen.focused
        return focused is not None and any(isinstance(each, ListItem) for each in focused.ancestors)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """A field that is filled in can be seen; one that has only just come, once it has its place."""
        if event.widget.size.height:
            self._reveal()
        else:
            self.call_after_refresh(self._reveal)

    @on(FormField.Filled)
    def _filled(self, event: FormField.Filled) -> None:
        self._steps += event.steps
        self._moved()

    @on(events.Resize)
    @on(TextArea.SelectionChanged)
    def _moved(self) -> None:
        """It can be seen in a lower screen too, and when what is above it came or went."""
        self.call_after_refresh(self._reveal)

    def _reveal(self) -> None:
        focused = self.screen.focused
        owner = focused.parent if focused is not None and self in focused.ancestors else None
        if isinstance(owner, FormField) and owner.size.height <= self.size.height:
            self.scroll_to_widget(owner, animate=False)  # with its heading
        elif isinstance(focused, ValueArea):
            cursor = focused.cursor_screen_offset - self.content_region.offset + self.scroll_offset
            self.scroll_to_region(Region(cursor.x, cursor.y, 1, 1), animate=False, x_axis=False)
        elif isinstance(owner, NestedField) and focused is not None:
            self.scroll_to_widget(focused, animate=False)
