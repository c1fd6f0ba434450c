"""What the tools panel says about a tool besides its row, the filter, and the keys that lead elsewhere."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from tests.tui.panel_app import GRAPHITE, START, PanelApp, Story, line_with, lines, running, until
from workbench.tui.do import Do, TakeOut
from workbench.tui.events import (
    BreakpointsChanged,
    BreakRow,
    FaultRow,
    FaultsChanged,
    GrantRow,
    ToolRow,
    ToolsChanged,
)
from workbench.tui.lab_wishes import CallByHand, RunToolAgain, Wanted
from workbench.tui.page_view import PageView
from workbench.tui.panels.tools import ToolsPanel
from workbench.tui.screens.tool import ToolScreen
from workbench.tui.title_row import TitleRow

GRANT = GrantRow("g1", "files.*", {"path": "docs/*"}, "project", START)
READ = ToolRow(
    "files.read_file",
    True,
    tags=("read-only",),
    tokens=120,
    findings=("path is described by its name alone. Say what it is.",),
    grants=(GRANT,),
)
TOOLS = (
    READ,
    ToolRow("files.write_file", True, tags=("writes",), permission="ask"),
    ToolRow("web.fetch", False, "off"),
)
BREAK = BreakRow("files.*", "on error")
CONDITION = BreakRow("files.read_file", "before", "arguments['path'] == 'x'", enabled=False)
FAULT = FaultRow("files.read_file", "raise OSError", 2)


@asynccontextmanager
async def staged(size: tuple[int, int] = (62, 24)) -> AsyncIterator[tuple[ToolsPanel, PanelApp, Pilot[None]]]:
    panel = ToolsPanel(GRAPHITE)
    app = PanelApp(panel, Do, TakeOut, Wanted)
    async with running(app, size) as pilot:
        panel.set_rows(TOOLS)
        panel.focus_target.focus()
        await pilot.press("down")
        yield panel, app, pilot


def told(*changes: BreakpointsChanged | FaultsChanged) -> list[BreakpointsChanged | FaultsChanged]:
    return list(changes)


async def test_unfolded_a_tool_shows_lint_grants_breakpoints_and_faults() -> None:
    async with staged() as (panel, _, pilot):
        panel.apply(
            told(BreakpointsChanged("", START, (BREAK, CONDITION)), FaultsChanged("", START, (FAULT,)))
        )
        await pilot.press("right")
        shown = [line.strip("▎ ") for line in lines(panel.focus_target)]
        assert shown[1].startswith("■ read_file")
        assert shown[2:5] == [
            "fault       raise OSError, 2 times",
            "break       on error",
            "off  before each call where arguments['pa…",
        ]
        assert "this project  path=docs/*" in line_with(panel.focus_target, "grant")
        assert "path is described by its name alone" in line_with(panel.focus_target, "lint")


async def test_a_fault_and_a_breakpoint_are_told_in_the_row() -> None:
    async with staged((90, 20)) as (panel, _, pilot):
        assert "fault" not in line_with(panel.focus_target, "read_file")
        panel.apply(told(BreakpointsChanged("", START, (BREAK,)), FaultsChanged("", START, (FAULT,))))
        assert "fault raise  ◇ break" in line_with(panel.focus_target, "read_file")
        assert "asks  ◇ break" in line_with(panel.focus_target, "write_file")
        panel.apply(
            told(
                BreakpointsChanged("", START, (replace(BREAK, enabled=False),)), FaultsChanged("", START, ())
            )
        )
        assert "◇" not in "".join(lines(panel.focus_target))
        await pilot.pause()


async def test_x_takes_back_what_the_row_says() -> None:
    async with staged() as (panel, app, pilot):
        panel.apply(told(BreakpointsChanged("", START, (BREAK,)), FaultsChanged("", START, (FAULT,))))
        await pilot.press("right", "x")
        await pilot.press("down", "x", "down", "x", "down", "x")  # fault, break, tags
        await pilot.press("down", "down", "x")  # permission, grant
        await until(pilot, lambda: len(app.kept) == 4)
        assert [message.subject for message in app.kept] == [FAULT, FAULT, BREAK, GRANT]


async def test_keys_on_a_tool_lead_to_breakpoints_faults_and_calls() -> None:
    async with staged() as (_, app, pilot):
        await pilot.press("b", "f", "c", "R")
        await until(pilot, lambda: len(app.kept) == 4)
        point, fault, call, again = app.kept
        assert (point.command, point.rest) == ("app.breakpoints", "files.read_file")
        assert (fault.command, fault.rest) == ("app.fault", "files.read_file")
        assert (call.wish, again.wish) == (CallByHand("files.read_file"), RunToolAgain("files.read_file"))


async def test_how_the_model_got_a_tool_wrong_is_told_with_the_arguments_the_last_first() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    for path in (1, 2, 3, 4):
        (call,) = story.batch("files.read_file", path=path)
        story.run(call, 0, "error", error=f"path: {path} is no text", error_type="ToolArgumentsError")
    async with staged() as (panel, _, pilot):
        panel.apply(story.take())
        await pilot.press("right")
        wrong = [line for line in lines(panel.focus_target) if "is no text" in line]
        assert [line.split()[-6:] for line in wrong] == [
            [f"path={path}", "path:", str(path), "is", "no", "text"] for path in (4, 3, 2)
        ]
        assert "wrong       4 ×" in wrong[0]


@pytest.mark.parametrize("key", ["enter", "space", "right", "click"])
async def test_a_detail_is_read_whole_and_never_switches_its_tool(key: str) -> None:
    story = Story()
    story.begin()
    story.ask_model()
    (call,) = story.batch("files.read_file", path=1)
    story.run(call, 0, "error", error="path: 1 is no text\nExpected: path", error_type="ToolArgumentsError")
    panel = ToolsPanel(GRAPHITE)
    app = PanelApp(panel, ToolsPanel.Read, ToolsPanel.Toggle)
    async with running(app, (62, 24)) as pilot:
        panel.set_rows(TOOLS)
        panel.apply(story.take())
        panel.focus_target.focus()
        await pilot.press("down", "right", "down", "down", "down", "down", "down")
        row = panel.focus_target.cursor
        assert "lint" in panel.focus_target.render_line(row).text
        if key == "click":
            await pilot.click(panel.focus_target, offset=(20, row), times=2)
        else:
            await pilot.press(key)
        await until(pilot, lambda: len(app.kept) == 1)
        (read,) = app.kept
        assert (read.tool, read.said[read.index]) == ("files.read_file", ("lint", READ.findings[0]))
        assert ("wrong", "1 ×  path=1  path: 1 is no text\nExpected: path") in read.said
        assert "1 wrong" in line_with(panel.focus_target, "read_file")


async def test_the_whole_of_it_is_shown_with_what_was_asked_for_in_view_and_copied() -> None:
    said = [("does", "Reads. " * 200), *(("wrong", f"{nth} {'x ' * 90}end{nth}") for nth in range(20))]
    app = PanelApp(Static())
    async with running(app, (62, 24)) as pilot:
        app.push_screen(screen := ToolScreen("files.read_file", said, 12, GRAPHITE))
        await until(pilot, lambda: any(len(view.rows) > 20 for view in screen.query(PageView)))
        view = screen.query_one(PageView)
        shown = [view.render_line(y).text for y in range(view.size.height)]
        assert any("end11" in line for line in shown)
        assert "11 x" in "".join(text for text, _ in view.rows[view.cursor])
        assert sum("wrong" in "".join(text for text, _ in row) for row in view.rows) == 1
        await pilot.press("y")
        await until(pilot, lambda: app.clipboard.endswith("end19"))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is not screen)


async def test_a_name_that_leaves_no_room_for_tags_has_its_states_behind_it() -> None:
    panel = ToolsPanel(GRAPHITE)
    async with running(PanelApp(panel), (62, 24)) as pilot:
        panel.set_rows(
            [
                ToolRow("files.find_everything_by_name_and_date", True, tags=("read-only",)),
                ToolRow("files.write", True, tags=("writes",), permission="ask"),
            ]
        )
        await pilot.pause()
        row = line_with(panel.focus_target, "write")
        assert row.split() == ["■", "write", "asks"]
        panel.apply(told(FaultsChanged("", START, (FaultRow("files.write", "raise OSError"),))))
        assert line_with(panel.focus_target, "write").split()[2:] == ["fault", "raise", "asks"]


async def test_a_group_takes_the_groups_within_it_along() -> None:
    names = ("data.orders.count", "data.orders.old.find", "data.orders.old.far.see", "data.orders-x.y")
    panel = ToolsPanel(GRAPHITE)
    app = PanelApp(panel, ToolsPanel.Toggle)
    async with running(app, (62, 24)) as pilot:
        panel.set_rows([ToolRow(name, True) for name in names])
        rows = panel.focus_target
        rows.focus()
        await pilot.press("space")
        await until(pilot, lambda: len(app.kept) == 1)
        assert (app.kept[0].names, app.kept[0].group) == (names[:3], "data.orders")
        off = ToolRow("data.orders.old.far.see", False, "by the user")
        panel.apply([ToolsChanged("ann", START, "disable", off.name, row=off)])
        assert [line.split()[1:] for line in lines(rows) if "▾" in line] == [
            ["▾", "data.orders", "2", "of", "3", "on"],
            ["data.orders.old", "1", "of", "2", "on"],
            ["data.orders.old.far", "off"],
            ["data.orders-x"],
        ]
        await pilot.press("left")
        assert [line.split()[-1] for line in lines(rows)] == ["on", "data.orders-x", "y"]


async def test_slash_shows_only_the_tools_that_fit() -> None:
    async with staged() as (panel, _, pilot):
        await pilot.press("slash", *"asks")
        await until(
            pilot, lambda: [line.split()[1] for line in lines(panel.focus_target)] == ["files", "write_file"]
        )
        assert "1 of 3" in panel.query_one(TitleRow).render_line(0).text
        await pilot.press("enter", "escape")
        await until(pilot, lambda: len(lines(panel.focus_target)) == 5)
        await pilot.press("slash", *"nothing")
        await until(pilot, lambda: "No tool fits." in panel.focus_target.render_line(0).text)
        await pilot.press("escape")
        await until(pilot, lambda: len(lines(panel.focus_target)) == 5)


async def test_only_a_tool_that_changed_is_said_to_be_new() -> None:
    async with staged() as (panel, _, pilot):
        changed = {"files.read_file": {"code": {"old": "a", "new": "b"}}}
        panel.apply([ToolsChanged("ann", START, "refresh_all", None, metadata={"tools": changed})])
        await pilot.pause()
        assert "now v2" in line_with(panel.focus_target, "read_file")
        assert "now v2" not in line_with(panel.focus_target, "write_file")


async def test_a_tool_that_only_its_helper_changed_says_so() -> None:
    async with staged() as (panel, _, pilot):
        told: dict[str, dict[str, Any]] = {"files.read_file": {}}
        panel.apply([ToolsChanged("ann", START, "refresh_all", None, metadata={"tools": told})])
        panel.focus_target.go_to(
            next(at for at, line in enumerate(lines(panel.focus_target)) if "read_file" in line)
        )
        await pilot.press("right")
        await until(pilot, lambda: "a helper that it uses, now v2" in "\n".join(lines(panel.focus_target)))
