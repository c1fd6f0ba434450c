"""What is undone in a form: the last change, wherever in it that was."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tui.driving import driven
from tests.tui.panel_app import until
from tests.tui.test_nested_fields import ORDER, Made, made, order
from workbench.tui.form_fields import LEFT_OUT
from workbench.tui.screens.call_form import CallForm
from workbench.tui.screens.form_parts import FormField, Options
from workbench.tui.screens.nested_fields import AddRow, ListItem


async def undo(it: Made) -> None:
    await it.pilot.press("ctrl+z")
    await it.pilot.pause()


async def test_an_item_that_was_taken_out_comes_back_where_it_was() -> None:
    async with made(order, ORDER) as it:
        await it.focus(it.at("lines[0].sku").editor)
        await it.pilot.press("ctrl+r")
        await until(it.pilot, lambda: len(it.form.query(ListItem)) == 1)
        await undo(it)
        await until(it.pilot, lambda: len(it.form.query(ListItem)) == 2)
        assert it.form.written()["lines"] == ORDER["lines"]
        await until(it.pilot, lambda: it.at("lines[0].sku").editor.has_focus)


async def test_the_only_item_comes_back_though_the_focus_is_on_the_row_that_adds_one() -> None:
    async with made(order, {**ORDER, "lines": [{"sku": "a", "count": 2}]}) as it:
        await it.focus(it.at("lines[0].count").editor)
        await it.pilot.press("ctrl+r")
        (adder,) = it.form.query(AddRow)
        await until(it.pilot, lambda: adder.has_focus and not it.form.query(ListItem))
        await undo(it)
        await until(it.pilot, lambda: len(it.form.query(ListItem)) == 1)
        assert it.form.written()["lines"] == [{"sku": "a", "count": 2}]


async def test_a_text_that_is_no_value_comes_back_with_its_item() -> None:
    async with made(order, ORDER) as it:
        await it.focus(it.at("lines[1].count").editor)
        await it.pilot.press("x", "ctrl+r")
        await until(it.pilot, lambda: len(it.form.query(ListItem)) == 1)
        await undo(it)
        await until(it.pilot, lambda: len(it.form.query(ListItem)) == 2)
        assert it.at("lines[1].count").editor.text == "x"
        assert it.judge()[0] is None


async def test_an_item_that_was_added_goes_again() -> None:
    async with made(order, ORDER) as it:
        (adder,) = it.form.query(AddRow)
        await it.focus(adder)
        await it.pilot.press("enter")
        await until(it.pilot, lambda: len(it.form.query(ListItem)) == 3)
        await until(it.pilot, lambda: it.at("lines[2].sku").editor.has_focus)
        await undo(it)
        await until(it.pilot, lambda: len(it.form.query(ListItem)) == 2)
        assert it.form.written()["lines"] == ORDER["lines"]


async def test_what_was_chosen_goes_back_one_by_one() -> None:
    async with made(order, ORDER) as it:
        await it.focus(it.at("kind").editor)
        await it.pilot.press("right", "right", "right")
        assert it.form.written()["kind"] == "plain"
        await undo(it)
        assert it.form.written()["kind"] == "gift"
        await undo(it)
        assert it.form.written()["kind"] == "plain"
        await undo(it)
        await undo(it)
        assert it.form.written()["kind"] == "gift"
        assert not it.form.undoable


async def test_an_object_that_was_left_out_is_filled_in_again() -> None:
    async with made(order, {**ORDER, "billing": {"street": "Side", "zip_code": 7}}) as it:
        (presence,) = it.at("billing").query(Options)
        await it.focus(presence)
        while it.at("billing").collect("billing", {}) is not LEFT_OUT:
            await it.pilot.press("right")
        while it.form.undoable:
            await undo(it)
        assert it.form.written()["billing"] == {"street": "Side", "zip_code": 7}


async def test_changes_of_several_fields_are_undone_last_first() -> None:
    async with made(order, ORDER) as it:
        street, sku = it.at("address.street").editor, it.at("lines[0].sku").editor
        await it.focus(street)
        await it.pilot.press("x")
        await it.focus(sku)
        await it.pilot.press("y")
        await it.focus(street)
        await it.pilot.press("end", "z")
        assert (street.text, sku.text) == ("xz", "y")
        seen = []
        for _ in range(3):
            await undo(it)
            seen.append((street.text, sku.text, it.pilot.app.focused))
        assert seen == [("x", "y", street), ("x", "a", sku), ("Main", "a", street)]
        assert not it.form.undoable


def note(text: str | None, author: str | None = "Ann") -> str:
    """Note it."""
    return ""


async def test_null_is_undone_and_the_text_stands_there_again() -> None:
    async with made(note, {"text": "a", "author": "Bob"}) as it:
        field: FormField = it.at("author")
        await it.focus(field.editor)
        await it.pilot.press("ctrl+n")
        assert it.form.written()["author"] is None
        await undo(it)
        assert it.form.written()["author"] == "Bob"
        assert not it.form.undoable


async def test_null_in_an_empty_field_is_undone_too() -> None:
    async with made(note, {"text": "a", "author": "Bob"}) as it:
        field: FormField = it.at("author")
        await it.focus(field.editor)
        await it.pilot.press("backspace", "ctrl+n")
        assert it.form.written()["author"] is None
        await undo(it)
        assert "author" not in it.form.written()
        await undo(it)
        assert it.form.written()["author"] == "Bob"


def pick(fast: bool = False) -> str:
    """Pick one."""
    return ""


def held(left: list[bool], monkeypatch: pytest.MonkeyPatch, app: Any) -> None:
    monkeypatch.setattr(app, "action_suspend_process", lambda: left.append(True))


async def test_a_form_never_leads_to_the_shell_whatever_has_the_focus(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with driven() as it:
        left: list[bool] = []
        held(left, monkeypatch, it.app)
        await it.send("/call add")
        await it.until(lambda: isinstance(it.app.screen, CallForm))
        it.app.screen.set_focus(None)
        await it.press("ctrl+z")
        assert not left
        await it.press("escape")
        await it.until(lambda: it.app.screen is it.app.main)
        await it.focus("trace")
        await it.press("ctrl+z")
        assert left
