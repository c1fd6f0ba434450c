"""Objects and lists among a tool's arguments: filled in field by field, or as JSON."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot
from textual.widget import Widget

from tests.tui.panel_app import GRAPHITE, PanelApp, running, until
from workbench.registry import Tool, ToolRegistry
from workbench.tui.approver import check_arguments
from workbench.tui.arguments_area import ArgumentsArea
from workbench.tui.form_fields import LEFT_OUT, fields_of
from workbench.tui.screens.arguments_editor import ArgumentsEditor
from workbench.tui.screens.arguments_form import ArgumentsForm
from workbench.tui.screens.form_parts import FormField, Options
from workbench.tui.screens.nested_fields import AddRow, ListField, ListItem, ObjectField, field_for


class Address(TypedDict):
    street: str
    zip_code: int


@dataclass
class Line:
    sku: str
    count: int = 1


@dataclass
class Part:
    name: str
    of: Part | None = None


def order(
    address: Address, lines: list[Line], kind: Literal["gift", "plain"], billing: Address | None = None
) -> str:
    """Order it."""
    return ""


def build(part: Part) -> str:
    """Build it."""
    return ""


ORDER: dict[str, Any] = {
    "address": {"street": "Main", "zip_code": 12},
    "lines": [{"sku": "a", "count": 2}, {"sku": "b"}],
    "kind": "gift",
}


def registry_of(function: Any) -> tuple[ToolRegistry, Tool]:
    registry = ToolRegistry()
    registry.register(function, name="tool")
    tool = registry.get("tool")
    assert tool is not None
    return registry, tool


class Made:
    """An editor on its own, and what the tool says about what stands in it."""

    def __init__(self, function: Any, arguments: Mapping[str, Any]) -> None:
        self.registry, tool = registry_of(function)
        self.editor = ArgumentsEditor(tool.parameters, arguments, GRAPHITE, fields=True)
        self.pilot: Pilot[None]

    @property
    def form(self) -> ArgumentsForm:
        assert self.editor.form is not None
        return self.editor.form

    def judge(self) -> tuple[Mapping[str, Any] | None, str]:
        return self.editor.judge(lambda arguments: check_arguments(self.registry, "tool", arguments))

    def at(self, path: str) -> Any:
        return self.form.places()[path]

    async def focus(self, widget: Widget) -> None:
        widget.focus()
        await until(self.pilot, lambda: widget.has_focus)


@asynccontextmanager
async def made(
    function: Any, arguments: Mapping[str, Any], size: tuple[int, int] = (80, 40)
) -> AsyncIterator[Made]:
    it = Made(function, arguments)
    app = PanelApp(it.editor, ArgumentsEditor.Refused)
    async with running(app, size) as pilot:
        it.pilot = pilot
        yield it


async def test_an_object_has_a_field_for_each_key_and_a_list_one_for_each_item() -> None:
    async with made(order, ORDER) as it:
        assert set(it.form.places()) == {
            "address", "address.street", "address.zip_code",
            "lines", "lines[0]", "lines[0].sku", "lines[0].count",
            "lines[1]", "lines[1].sku", "lines[1].count",
            "kind", "billing",
        }  # fmt: skip
        arguments, fault = it.judge()
        assert arguments is not None
        assert fault == ""
        assert arguments == {**ORDER, "billing": None} or arguments == ORDER


async def test_what_is_wrong_stands_beside_the_field_it_is_about() -> None:
    async with made(order, {**ORDER, "lines": [{"sku": "a"}, {"sku": "b", "count": "many"}]}) as it:
        arguments, rest = it.judge()
        assert arguments is None
        assert rest == ""
        assert "many" in it.at("lines[1].count").fault
        assert [each.spec.name for each in it.form.wrong] == ["count"]
        it.at("lines[1].count").editor.text = "3"
        assert it.judge()[0] is not None
        assert it.form.wrong == []


async def test_an_item_is_added_and_taken_out_with_the_keys() -> None:
    async with made(order, ORDER) as it:
        (adder,) = it.form.query(AddRow)
        await it.focus(adder)
        await it.pilot.press("enter")
        await until(it.pilot, lambda: it.at("lines[2].sku").editor.has_focus)
        await it.pilot.press("c")
        assert it.form.written()["lines"] == [*ORDER["lines"], {"sku": "c", "count": 1}]
        await it.focus(it.at("lines[0].sku").editor)
        await it.pilot.press("ctrl+r")
        await until(it.pilot, lambda: len(it.form.query(ListItem)) == 2)
        assert it.form.written()["lines"] == [{"sku": "b"}, {"sku": "c", "count": 1}]
        assert it.at("lines[0].sku").editor.has_focus
        assert [each.number for each in it.form.query(ListItem)] == [1, 2]


async def test_an_item_is_added_and_taken_out_with_the_mouse() -> None:
    async with made(order, ORDER) as it:
        await it.pilot.click(AddRow)
        await until(it.pilot, lambda: len(it.form.query(ListItem)) == 3)
        first = it.form.query(ListItem).first()
        await it.pilot.click(first, offset=(first.size.width - 4, 0))
        await until(it.pilot, lambda: len(it.form.query(ListItem)) == 2)
        assert it.form.written()["lines"] == [{"sku": "b"}, {"sku": "", "count": 1}]


async def test_an_object_that_may_be_null_or_left_out_is_chosen_to_be_filled_in() -> None:
    async with made(order, ORDER) as it:
        billing = it.at("billing")
        (presence,) = billing.query(Options)
        await it.focus(presence)
        while billing.collect("billing", {}) is not LEFT_OUT:
            await it.pilot.press("right")
        assert "billing" not in it.form.written()
        await it.pilot.press("right")
        assert it.form.written()["billing"] is None
        await it.pilot.press("right")
        await until(it.pilot, lambda: len(billing.query(FormField)) == 2)
        it.at("billing.street").editor.text = "Side"
        it.at("billing.zip_code").editor.text = "7"
        await it.pilot.press("right", "left")
        assert it.form.written()["billing"] == {"street": "Side", "zip_code": 7}


async def test_a_type_that_holds_itself_is_filled_in_as_deep_as_one_goes() -> None:
    async with made(build, {"part": {"name": "a", "of": {"name": "b", "of": None}}}) as it:
        assert it.judge()[0] == {"part": {"name": "a", "of": {"name": "b", "of": None}}}
        assert "part.of.name" in it.form.places()
        assert "part.of.of.name" not in it.form.places()


async def test_fields_become_json_and_json_becomes_fields_and_nothing_is_lost() -> None:
    async with made(order, ORDER) as it:
        it.at("address.zip_code").editor.text = "not a number"
        await it.focus(it.at("lines[0].sku").editor)
        await it.pilot.press("ctrl+t")
        await until(it.pilot, lambda: isinstance(it.pilot.app.focused, ArgumentsArea))
        assert '"zip_code": "not a number"' in it.editor.text
        assert "zip_code" in it.judge()[1]
        it.editor.text = it.editor.text.replace('"not a number"', "9")
        await it.pilot.press("ctrl+t")
        await until(it.pilot, lambda: it.editor.form is not None)
        arguments, _ = it.judge()
        assert arguments is not None
        assert arguments["address"] == {"street": "Main", "zip_code": 9}
        assert arguments["lines"] == ORDER["lines"]


async def test_json_that_no_field_has_a_place_for_stays_json_and_says_why() -> None:
    async with made(order, ORDER) as it:
        await it.pilot.press("ctrl+t")
        it.editor.text = '{"adress": 1}'
        await until(it.pilot, lambda: it.editor.area is not None and it.editor.area.has_focus)
        await it.pilot.press("ctrl+t")
        app = it.pilot.app
        assert isinstance(app, PanelApp)
        await until(it.pilot, lambda: bool(app.kept))
        assert app.kept[-1].why == "there is no field for adress"
        assert it.editor.text == '{"adress": 1}'


async def test_a_value_that_is_none_of_the_choices_is_shown_and_kept() -> None:
    async with made(order, {**ORDER, "kind": "huge"}) as it:
        assert it.form.written()["kind"] == "huge"
        assert it.judge()[0] is None
        assert it.at("kind").fault


async def test_what_must_be_chosen_is_missing_until_it_is() -> None:
    async with made(order, {key: value for key, value in ORDER.items() if key != "kind"}) as it:
        assert it.judge()[0] is None
        assert it.at("kind").fault == "missing"
        await it.focus(it.at("kind").editor)
        await it.pilot.press("left")
        assert it.form.written()["kind"] == "plain"


def test_a_value_that_the_fields_of_an_object_do_not_hold_stands_as_json() -> None:
    _, tool = registry_of(order)
    specs = {spec.name: spec for spec in fields_of(tool.parameters)}
    whole = field_for(specs["address"], ORDER["address"], GRAPHITE)
    odd = [field_for(specs["address"], value, GRAPHITE) for value in ({"street": "a", "more": 1}, "text", 3)]
    assert isinstance(whole, ObjectField)
    assert isinstance(field_for(specs["lines"], [], GRAPHITE), ListField)
    assert all(isinstance(each, FormField) and each.spec.kind == "json" for each in odd)


VALUES = st.none() | st.integers() | st.text(max_size=5)
LINES = st.dictionaries(st.sampled_from(["sku", "count", "odd"]), VALUES, max_size=3) | VALUES


@given(st.lists(LINES, max_size=3) | VALUES)
def test_whatever_a_model_sent_is_what_the_untouched_fields_give(value: Any) -> None:
    _, tool = registry_of(order)
    spec = next(each for each in fields_of(tool.parameters) if each.name == "lines")
    assert field_for(spec, value, GRAPHITE).collect("lines", {}) == value
