"""The fields of a tool's arguments, one below the other, and what is wrong with each beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from textual import events
from textual.containers import VerticalScroll

from workbench.tui.form_fields import LEFT_OUT, MISSING, faults_by_field, fields_of
from workbench.tui.painted import Painted
from workbench.tui.palette import Palette
from workbench.tui.screens.form_parts import FormField
from workbench.tui.screens.nested_fields import Field, ListItem, NestedField, field_for

Check: TypeAlias = Callable[[Mapping[str, Any]], "str | None"]


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

    def take_out(self) -> bool:
        """Take the item that has the focus out of its list; the innermost one. Whether there is one."""
        focused = self.screen.focused
        for each in focused.ancestors if focused is not None else ():
            if isinstance(each, ListItem):
                each.take_out()
                return True
        return False

    @property
    def in_item(self) -> bool:
        """Whether an item of a list is filled in."""
        focused = self.screen.focused
        return focused is not None and any(isinstance(each, ListItem) for each in focused.ancestors)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """A field that is filled in shows its heading too."""
        owner = event.widget.parent
        if isinstance(owner, FormField):
            self.scroll_to_widget(owner, animate=False)
        elif isinstance(owner, NestedField):
            self.scroll_to_widget(event.widget, animate=False)
