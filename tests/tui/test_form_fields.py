"""A form's fields, made from a schema, and what the texts in them mean."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.panel_app import GRAPHITE, PanelApp, running
from workbench.registry import ToolRegistry
from workbench.tui.form_fields import LEFT_OUT, FieldSpec, faults_by_field, fields_of, read, text_of
from workbench.tui.screens.form_parts import FormField


def fields(function: Any) -> dict[str, FieldSpec]:
    registry = ToolRegistry()
    registry.register(function, name="tool")
    tool = registry.get("tool")
    assert tool is not None
    return {spec.name: spec for spec in fields_of(tool.parameters)}


def echo(text: str) -> str:
    """Give it back."""
    return text


def test_each_type_has_its_kind_of_field() -> None:
    def tool(
        text: str,
        count: int,
        ratio: float,
        on: bool,
        unit: Literal["C", "F"],
        names: list[str],
        table: dict[str, int],
        maybe: int | None = None,
        size: Literal[1, 2] = 1,
    ) -> str:
        """Do it."""
        return ""

    found = fields(tool)
    assert {name: spec.kind for name, spec in found.items()} == {
        "text": "text",
        "count": "integer",
        "ratio": "number",
        "on": "boolean",
        "unit": "choice",
        "names": "json",
        "table": "json",
        "maybe": "integer",
        "size": "choice",
    }
    assert found["maybe"].nullable
    assert not found["maybe"].required
    assert found["unit"].options == ("C", "F")
    assert found["size"].options == (LEFT_OUT, 1, 2)
    assert found["size"].default == 1
    assert found["names"].says == "list of strings, JSON"


def test_a_number_of_either_kind_is_a_number() -> None:
    either = {"anyOf": [{"type": "integer"}, {"type": "number"}]}
    (spec,) = fields_of({"properties": {"a": either}, "required": ["a"]})
    assert (spec.kind, spec.says, spec.required) == ("number", "number", True)


@pytest.mark.parametrize(
    ("kind", "text", "value", "fault"),
    [
        ("text", "a b", "a b", ""),
        ("text", "", LEFT_OUT, ""),
        ("text", '""', "", ""),
        ("text", 'say ""', 'say ""', ""),
        ("integer", "12", 12, ""),
        ("integer", "1.5", LEFT_OUT, "not a whole number"),
        ("number", "1.5", 1.5, ""),
        ("number", "3", 3, ""),
        ("number", "nan", LEFT_OUT, "not a number in JSON"),
        ("number", "x", LEFT_OUT, "not a number"),
        ("json", "[1, 2]", [1, 2], ""),
        ("json", "[1,", LEFT_OUT, "not JSON"),
    ],
)
def test_a_text_becomes_a_value_or_says_why_not(kind: Any, text: str, value: Any, fault: str) -> None:
    found, why = read(FieldSpec("a", kind, ""), text)
    assert found == value
    assert why.startswith(fault)
    assert bool(why) is bool(fault)


def test_what_is_required_is_missing_until_it_is_there_and_a_text_may_be_empty() -> None:
    assert read(FieldSpec("a", "integer", "", required=True), " ") == (LEFT_OUT, "missing")
    assert read(FieldSpec("a", "text", "", required=True), "") == ("", "")
    assert read(FieldSpec("a", "integer", "", nullable=True), "null") == (None, "")


@pytest.mark.parametrize("value", ["", "x", "null", "two words"])
@pytest.mark.parametrize("more", [{}, {"default": "y"}, {"required": True}], ids=str)
def test_a_text_that_was_shown_is_read_again(value: str, more: dict[str, Any]) -> None:
    spec = FieldSpec("a", "text", "", **more)
    assert read(spec, text_of(spec, value)) == (value, "")


def test_an_empty_text_that_would_be_taken_anyway_is_not_written() -> None:
    spec = FieldSpec("a", "text", "", default="")
    assert text_of(spec, "") == ""
    assert read(spec, "") == (LEFT_OUT, "")


@given(
    st.recursive(st.integers() | st.text() | st.none(), lambda x: st.lists(x) | st.dictionaries(st.text(), x))
)
def test_a_value_that_was_shown_is_read_again(value: Any) -> None:
    spec = FieldSpec("a", "json", "")
    assert read(spec, text_of(spec, value)) == (value, "")


def test_faults_stand_with_the_argument_they_are_about() -> None:
    fault = "a: expected a number, got 'x'; b[1].c: missing; too many. Expected: a (number), b (list)."
    found, rest = faults_by_field(fault, ("a", "b"))
    assert found == {"a": "expected a number, got 'x'", "b": "[1].c: missing"}
    assert rest == "too many"


async def test_a_value_that_nobody_touched_is_the_value_though_a_text_area_cannot_hold_it() -> None:
    value = "a\u2028b\x0cc\r\nd\x1b[2Je"
    field = FormField(fields(echo)["text"], value, GRAPHITE)
    async with running(PanelApp(field), (40, 10)) as pilot:
        assert field.read() == (value, "")
        painted = "".join(strip.text for strip in pilot.app.screen._compositor.render_strips())
        assert "\x1b" not in painted
        assert "\u241b[2Je" in painted
        field.editor.focus()
        await pilot.press("end", "x")
        assert field.read()[0] != value
