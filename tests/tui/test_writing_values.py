"""Values written in the fields of a form, key by key: nothing is lost, and what is shown is what is sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Literal, TypedDict

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import TextArea

from tests.tui.driving import driven, keys_of
from tests.tui.panel_app import GRAPHITE, PanelApp, running, until
from workbench.registry import ToolRegistry
from workbench.tui.screens.arguments_editor import ArgumentsEditor
from workbench.tui.screens.arguments_form import ArgumentsForm
from workbench.tui.screens.call_form import CallForm
from workbench.tui.screens.form_parts import FormField


class Line(TypedDict):
    sku: str
    count: int


def fill(
    count: int,
    text: str = "Ann",
    kind: Literal["a", "b"] = "a",
    lines: list[Line] | None = None,
    share: float = 0.5,
    data: Any = None,
) -> str:
    """Fill it in."""
    return ""


class Written:
    """An editor of the arguments of ``fill``, and the keys that go into it."""

    def __init__(self, editor: ArgumentsEditor, pilot: Pilot[None]) -> None:
        self.editor = editor
        self.pilot = pilot

    @property
    def form(self) -> ArgumentsForm:
        assert self.editor.form is not None
        return self.editor.form

    def area(self, path: str) -> TextArea:
        found = self.form.places()[path].editor
        assert isinstance(found, TextArea)
        return found

    async def go(self, path: str) -> TextArea:
        """Go to a field as the keys do."""
        area = self.area(path)
        area.focus()
        await until(self.pilot, lambda: area.has_focus)
        await self.pilot.pause()
        return area

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def write(self, text: str) -> None:
        await self.press(*keys_of(text))

    async def paste(self, text: str) -> None:
        self.pilot.app.post_message(events.Paste(text))
        await self.pilot.pause()

    async def switch(self) -> None:
        """From fields to JSON or back, until what is shown then has the focus."""
        fields = self.editor.form is not None
        await self.pilot.press("ctrl+t")
        await until(self.pilot, lambda: (self.editor.form is None) == fields and self._has_focus())
        await self.pilot.pause()

    def _has_focus(self) -> bool:
        focused = self.pilot.app.focused
        return focused is not None and focused.is_mounted and self.editor in focused.ancestors

    @property
    def focused(self) -> Widget | None:
        return self.pilot.app.focused

    def seen(self, widget: Widget) -> bool:
        """Whether all of a widget lies in what is shown of the form."""
        return widget.region.height > 0 and self.form.content_region.contains_region(widget.region)

    def sent(self) -> Mapping[str, Any] | None:
        return self.editor.judge(lambda arguments: None)[0]


@asynccontextmanager
async def filling(values: Mapping[str, Any], size: tuple[int, int] = (80, 40)) -> AsyncIterator[Written]:
    registry = ToolRegistry()
    registry.register(fill)
    tool = registry.get("fill")
    assert tool is not None
    editor = ArgumentsEditor(tool.parameters, values, GRAPHITE, fields=True)
    async with running(PanelApp(editor), size) as pilot:
        yield Written(editor, pilot)


async def test_enter_in_a_field_of_one_line_goes_to_the_next_and_keeps_the_value() -> None:
    async with filling({"count": 7}) as it:
        area = await it.go("count")
        await it.press("enter")
        assert area.text == "7"
        assert it.focused is it.area("text")


async def test_enter_where_one_of_a_few_is_chosen_goes_to_the_next_field() -> None:
    async with filling({"count": 7}) as it:
        await it.go("text")
        await it.press("tab", "enter")
        assert it.focused is it.form.places()["lines"].editor
        assert it.form.written()["kind"] == "a"


async def test_enter_in_a_text_that_is_selected_adds_a_line_and_keeps_the_text() -> None:
    async with filling({"count": 7}) as it:
        area = await it.go("text")
        assert area.selected_text == "Ann"
        await it.press("enter")
        await it.write("Bob")
        assert area.text == "Ann\nBob"


async def test_a_short_value_is_written_over_and_undo_brings_it_back() -> None:
    async with filling({"count": 7}) as it:
        area = await it.go("count")
        await it.write("12")
        assert area.text == "12"
        while area.text != "7":
            before = area.text
            await it.press("ctrl+z")
            assert area.text != before
        assert (it.sent() or {})["count"] == 7


async def test_a_long_value_is_not_selected_where_one_key_would_take_it_away() -> None:
    text = "lorem ipsum " * 400
    async with filling({"count": 7, "text": text}) as it:
        area = await it.go("text")
        await it.write("x")
        assert len(area.text) == len(text) + 1


async def test_what_is_pasted_into_a_field_of_one_line_becomes_one_line() -> None:
    async with filling({"count": 7}) as it:
        area = await it.go("count")
        await it.paste("42\n")
        assert area.text == "42"
        await it.paste("\n 1\r\n 2\n")
        assert area.text == "421 2"
        assert it.sent() is None
        assert it.form.places()["count"].fault == "not a whole number"


async def test_json_and_back_is_where_one_was_and_nothing_is_selected() -> None:
    async with filling({"count": 7}) as it:
        await it.go("text")
        await it.press("end", "left")
        await it.switch()
        area = it.editor.area
        assert area is not None
        assert area.document.get_line(area.cursor_location[0]).strip().startswith('"text"')
        await it.press("down")
        at = area.cursor_location
        await it.switch()
        assert it.focused is it.area("text")
        assert it.area("text").selected_text == ""
        await it.write("x")
        assert it.area("text").text == "Anxn"
        await it.press("ctrl+z")
        await it.switch()
        assert it.editor.area is not None
        assert it.editor.area.cursor_location == at


async def test_json_and_back_is_in_the_same_item_of_a_list() -> None:
    lines = [{"sku": "a", "count": 1}, {"sku": "b", "count": 2}]
    async with filling({"count": 7, "lines": lines}) as it:
        await it.go("lines[1].sku")
        await it.switch()
        await it.switch()
        assert it.focused is it.area("lines[1].sku")
        await it.press("tab", "tab")
        assert type(it.focused).__name__ == "AddRow"
        await it.switch()
        await it.switch()
        assert type(it.focused).__name__ == "AddRow"


async def test_the_field_that_one_comes_back_to_can_be_seen() -> None:
    lines = [{"sku": str(at), "count": at} for at in range(12)]
    async with filling({"count": 7, "lines": lines}, (60, 12)) as it:
        await it.go("lines[8].sku")
        await it.switch()
        await it.switch()
        assert it.seen(it.area("lines[8].sku"))
        await it.pilot.resize_terminal(40, 8)
        await until(it.pilot, lambda: it.seen(it.area("lines[8].sku")))


async def test_the_field_after_an_item_that_was_taken_out_can_be_seen() -> None:
    lines = [{"sku": str(at), "count": at} for at in range(6)]
    async with filling({"count": 7, "lines": lines}, (60, 12)) as it:
        await it.go("lines[5].count")
        await it.go("lines[1].count")  # the first row that is seen is its heading
        await it.press("ctrl+r")
        await until(it.pilot, lambda: len(it.form.written()["lines"]) == 5)
        assert it.focused is it.area("lines[1].sku")
        await until(it.pilot, lambda: it.seen(it.area("lines[1].sku")))


async def test_the_cursor_can_be_seen_in_a_text_that_is_higher_than_the_form() -> None:
    async with filling({"count": 7, "text": "1\n2\n3\n4\n5\n6"}, (60, 5)) as it:
        area = await it.go("text")
        for key in ("ctrl+home", *["down"] * 5, *["up"] * 5):
            await it.press(key)
            assert it.form.content_region.contains_point(area.cursor_screen_offset)


async def test_a_text_that_is_no_value_is_the_same_after_json_and_back() -> None:
    async with filling({"count": 7}) as it:
        await it.go("count")
        await it.write("9x")
        await it.go("data")
        await it.write("{a")
        for _ in range(2):
            await it.switch()
            await it.switch()
        assert (it.area("count").text, it.area("data").text) == ("9x", "{a")
        assert it.sent() is None
        assert it.form.places()["data"].fault.startswith("not JSON")


@pytest.mark.parametrize("text", ["[NaN]", "-Infinity", "[1e400]", '{"a": 1, "a": 2}', "[" * 101 + "]" * 101])
async def test_json_that_would_be_sent_as_something_else_is_refused(text: str) -> None:
    async with filling({"count": 7}) as it:
        await it.go("data")
        await it.paste(text)
        assert it.sent() is None
        field = it.form.places()["data"]
        assert isinstance(field, FormField)
        assert field.fault


async def test_blanks_are_a_text_and_not_a_text_that_is_left_out() -> None:
    async with filling({"count": 7}) as it:
        await it.go("text")
        await it.write(" ")
        assert (it.sent() or {})["text"] == " "


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("1e400", "too large a number"),
        ("9" * 5000, "a number of too many digits"),
        ("nan", "not a number in JSON"),
    ],
)
async def test_a_number_that_cannot_be_sent_says_why(text: str, fault: str) -> None:
    async with filling({"count": 7}) as it:
        await it.go("share")
        await it.paste(text)
        assert it.sent() is None
        assert it.form.places()["share"].fault == fault


async def test_the_key_that_leads_to_the_shell_undoes_in_a_field(monkeypatch: pytest.MonkeyPatch) -> None:
    async with driven() as it:
        left: list[bool] = []
        monkeypatch.setattr(it.app, "action_suspend_process", lambda: left.append(True))
        await it.send("/call add")
        await it.until(lambda: isinstance(it.app.screen, CallForm) and isinstance(it.app.focused, TextArea))
        area = it.app.focused
        assert isinstance(area, TextArea)
        await it.write("5")
        await it.press("ctrl+z")
        assert area.text == ""
        await it.press("escape")
        await it.until(lambda: it.app.screen is it.app.main)
        assert not left
        await it.focus("prompt")
        await it.press("ctrl+z")
        assert left
