"""Faults on purpose in the app: put in from the panel and by a command, marked wherever they matter."""

from __future__ import annotations

from typing import Any

import pytest
from textual.geometry import Size
from textual.widgets import Input

from tests.tui.driving import Driven, driven
from tests.tui.panel_app import GRAPHITE
from tests.tui.test_breakpoints import on_tool
from workbench.engine import Fault
from workbench.errors import ConfigError
from workbench.tui.fault_text import EXAMPLES, parse_fault, text_of
from workbench.tui.screens.fault import FaultScreen
from workbench.tui.screens.rerun import RerunScreen
from workbench.tui.screens.reruns import RerunsScreen


def calls(it: Driven) -> list[dict[str, Any]]:
    return [entry for entry in it.trace if entry["type"] == "tool_execution"]


def said(it: Driven) -> str:
    """The toasts so far."""
    return "\n".join(each.message for each in it.app._notifications)


async def opened(it: Driven) -> FaultScreen:
    await it.until(lambda: isinstance(it.app.screen, FaultScreen))
    screen = it.app.screen
    assert isinstance(screen, FaultScreen)
    await it.pilot.pause()
    return screen


async def test_f_on_a_tool_puts_a_fault_in_and_every_place_says_so() -> None:
    async with driven() as it:
        await on_tool(it, "add")
        await it.press("f")
        screen = await opened(it)
        await it.press("down")
        await it.until(lambda: screen.query_one(Input).value.startswith("raise"))
        await it.press("enter")
        await it.until(lambda: "1 fault on" in it.shown(it.app.main.top_line))
        assert "fault raise" in it.shown(it.app.main.tools)
        await it.turn("add(a=1, b=2)")
        (entry,) = calls(it)
        assert (entry["status"], entry["fault"]) == ("error", "raise RuntimeError")
        assert "fault raise" in it.shown(it.app.main.trace)
        await on_tool(it, "add")
        await it.press("x")
        await it.until(lambda: "fault" not in it.shown(it.app.main.top_line))
        assert "fault" not in it.shown(it.app.main.tools)
        await it.turn("add(a=1, b=2)")
        assert calls(it)[-1]["result"] == "3"


async def test_the_command_puts_faults_in_and_takes_all_out() -> None:
    async with driven() as it:
        await it.send("/fault add empty once")
        await it.until(lambda: "1 fault on" in it.shown(it.app.main.top_line))
        await it.send("/fault mean hostile")
        await it.until(lambda: "2 faults on" in it.shown(it.app.main.top_line))
        await it.turn("add(a=1, b=2) and mean(numbers=[1])")
        assert [entry["fault"] for entry in calls(it)] == ["empty", "hostile"]
        await it.until(lambda: "1 fault on" in it.shown(it.app.main.top_line))
        await it.send("/fault off")
        await it.until(lambda: "fault" not in it.shown(it.app.main.top_line))


async def test_a_hostile_result_moves_nothing_on_the_screen() -> None:
    async with driven() as it:
        await it.send("/fault add hostile")
        await it.until(lambda: "1 fault on" in it.shown(it.app.main.top_line))
        await it.turn("add(a=1, b=2)")
        await it.pilot.pause()
        shown = it.shown()
        assert not any(ord(char) < 32 and char != "\n" for char in shown)
        assert not set(shown) & {"\u202e", "\u2066", "\u200b", "\x9b", "\u2028"}


async def test_a_command_that_makes_no_sense_says_what_would() -> None:
    async with driven() as it:
        await it.send("/fault add nonsense")
        await it.until(lambda: "Faults are delay, raise" in said(it))
        await it.send("/fault nowhere empty")
        await it.until(lambda: "There is no tool nowhere" in said(it))
        await it.send("/fault ad empty")
        await it.until(lambda: "There is no tool ad. Near it: arithmetic.add" in said(it))
        assert not it.app.desks.faults._injector.active


async def test_words_that_were_written_stay_while_other_kinds_are_looked_at() -> None:
    async with driven() as it:
        await it.send("/fault add")
        screen = await opened(it)
        field = screen.query_one(Input)
        await it.press("e")
        await it.until(lambda: field.has_focus)
        await it.press("end")
        await it.write(" once")
        await it.press("escape", "down")
        await it.until(lambda: field.value.startswith("raise"))
        await it.press("up")
        await it.until(lambda: field.value == "delay 5s once")


async def test_the_words_can_be_edited_and_how_often_is_one_key() -> None:
    async with driven() as it:
        await it.send("/fault add")
        screen = await opened(it)
        field = screen.query_one(Input)
        await it.press("t")
        await it.until(lambda: field.value == "delay 5 s once")
        await it.press("t", "t")
        await it.until(lambda: field.value == "delay 5 s")
        await it.press("e")
        await it.until(lambda: field.has_focus)
        await it.act(lambda: setattr(field, "value", "huge 900MB"))
        await it.until(lambda: "✗" in it.shown())
        await it.press("enter")
        assert not it.app.desks.faults._injector.active
        await it.act(lambda: setattr(field, "value", "huge 1MB 2 times"))
        await it.press("enter")
        fault = Fault("huge", 2, megabytes=1)
        await it.until(lambda: it.app.desks.faults._injector.active == {"arithmetic.add": fault})
        await it.send("/fault add")
        screen = await opened(it)
        assert "on: huge 1 MB 2 times" in it.shown()
        await it.press("x")
        await it.until(lambda: not it.app.desks.faults._injector.active)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("delay", Fault("delay")),
        ("delay 2.5s", Fault("delay", seconds=2.5)),
        ("delay 2 seconds once", Fault("delay", 1, seconds=2)),
        ("raise ValueError: no luck: none", Fault("raise", error="ValueError", message="no luck: none")),
        ("raise TimeoutError x3", Fault("raise", 3, error="TimeoutError")),
        ("timeout always", Fault("timeout")),
        ("HUGE 20 MB 2 times", Fault("huge", 2, megabytes=20)),
        ("empty", Fault("empty")),
    ],
)
def test_a_fault_can_be_written_down(text: str, fault: Fault) -> None:
    assert parse_fault(text) == fault
    assert parse_fault(text_of(fault)) == fault


@pytest.mark.parametrize(
    "text",
    ["", "nothing", "delay long", "delay 3MB", "empty now", "huge -1", "raise 1.5", f"empty x{'9' * 5_000}"],
)
def test_what_is_no_fault_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_fault(text)


def test_the_examples_are_faults_of_their_kind() -> None:
    assert {kind: parse_fault(text).kind for kind, text in EXAMPLES.items()} == {
        kind: kind for kind in EXAMPLES
    }


def test_a_list_that_is_as_high_as_its_rows_says_so_before_it_was_laid_out() -> None:
    screen = FaultScreen(GRAPHITE, "arithmetic.add", "", put=lambda fault: None, clear=lambda: None)
    assert screen._list.get_content_height(Size(80, 40), Size(80, 40), 80) == 6


async def test_a_call_that_runs_again_into_a_fault_says_that_it_is_the_fault() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=2)")
        await it.turn("add(a=3, b=4)")
        await it.send("/fault add raise")
        await it.until(lambda: it.app.desks.faults._injector.active == {"arithmetic.add": Fault("raise")})
        await it.focus("tools")
        await on_tool(it, "add")
        await it.press("R")
        await it.until(lambda: isinstance(it.app.screen, RerunsScreen) and not it.app.screen.running)
        await it.until(lambda: it.shown().count("error, by the fault") == 2)
        await it.press("enter")
        await it.until(lambda: isinstance(it.app.screen, RerunScreen))
        await it.until(lambda: "fault raise" in it.shown())
