"""The tools panel."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.driving import driven
from tests.tui.panel_app import GRAPHITE, PAPER, START, PanelApp, Story, line_with, lines, running, until
from workbench.tui.events import AgentReady, LoadFailed, LoadMended, LoadProgress, ToolRow, ToolsChanged
from workbench.tui.panels.tools import ToolsPanel
from workbench.tui.render import Span
from workbench.tui.rows import RowList
from workbench.tui.title_row import TitleRow
from workbench.tui.tool_tree import Row, Tool

TOOLS = (
    ToolRow("now", True),
    ToolRow("files.read_file", True, tags=("read-only",)),
    ToolRow("files.write_file", True, tags=("writes",), permission="ask"),
    ToolRow("files.delete_file", False, "tagged destructive", tags=("destructive",)),
    ToolRow("bank.convert", True),
)


class Stage:
    """A tools panel on the screen."""

    def __init__(self) -> None:
        self.panel = ToolsPanel(GRAPHITE)
        self.app = PanelApp(self.panel, ToolsPanel.Toggle)

    @property
    def rows(self) -> RowList[Row]:
        return self.panel.focus_target

    @property
    def title(self) -> str:
        return self.panel.query_one(TitleRow).render_line(0).text.rstrip()

    @property
    def shown(self) -> list[str]:
        return [line.lstrip("▎ ").split("  ")[0] for line in lines(self.rows)]

    async def toggled(self, pilot: Pilot[None]) -> tuple[tuple[str, ...], bool]:
        await until(pilot, lambda: bool(self.app.kept))
        message = self.app.kept.pop()
        return message.names, message.enable


@asynccontextmanager
async def staged(
    tools: tuple[ToolRow, ...] = TOOLS, size: tuple[int, int] = (62, 20)
) -> AsyncIterator[tuple[Stage, Pilot[None]]]:
    stage = Stage()
    async with running(stage.app, size) as pilot:
        stage.panel.set_rows(tools)
        await pilot.pause()
        yield stage, pilot


def change(row: ToolRow, kind: str) -> ToolsChanged:
    return ToolsChanged("ann", START, kind, row.name, row.reason, row)


async def test_tools_are_grouped_by_namespace_and_those_without_come_first() -> None:
    async with staged() as (stage, _):
        assert stage.shown == [
            "■ now",
            "▾ bank",
            "■ convert",
            "▾ files",
            "■ read_file",
            "■ write_file",
            "□ delete_file",
        ]
        assert stage.title.startswith("  Tools  4 on  1 off")
        assert stage.panel.count_text == "4 on 1 off"


async def test_a_row_says_tags_permission_and_why_it_is_off() -> None:
    async with staged() as (stage, _):
        assert line_with(stage.rows, "read_file").split()[1:] == ["read_file", "read-only"]
        assert line_with(stage.rows, "write_file").endswith("writes  asks")
        assert line_with(stage.rows, "delete_file").endswith("off  tagged destructive")


async def test_column_heads_stand_over_their_columns() -> None:
    story = Story()
    story.simple_turn(tool="files.read_file")
    async with staged() as (stage, _):
        stage.panel.apply(story.take())
        line = line_with(stage.rows, "read_file")
        assert line.index("1", 30) == stage.title.index("calls") + 4
        assert line.endswith("   40 ms")


async def test_calls_errors_and_mean_come_from_finished_calls() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.0)
    one, two, three = story.batch("bank.convert", "bank.convert", "bank.convert")
    story.run(one, 10)
    story.run(two, 20, "error", error="no")
    story.finish(three, 0.0, "rejected")
    async with staged() as (stage, _):
        stage.panel.apply(story.take())
        assert line_with(stage.rows, "convert").split()[2:] == ["2", "1", "15", "ms"]


async def test_a_call_under_the_name_for_the_model_counts_for_its_tool() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    (call,) = story.batch("bank.convert")
    story.start(call)
    story.finish(call, 7.0, tool_name="bank-convert")
    async with staged() as (stage, _):
        stage.panel.apply(story.take())
        assert line_with(stage.rows, "convert").endswith("    7 ms")


async def test_a_tool_that_was_asked_for_and_never_ran_has_zero_calls() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    (call,) = story.batch("bank.convert")
    story.finish(call, 0.0, "rejected")
    async with staged() as (stage, _):
        stage.panel.apply(story.take())
        assert line_with(stage.rows, "convert").split()[2:] == ["0"]


@pytest.mark.parametrize("key", ["space", "enter"])
async def test_a_key_asks_to_switch_the_tool_and_changes_nothing_itself(key: str) -> None:
    async with staged() as (stage, pilot):
        stage.rows.focus()
        await pilot.press("home", key)
        assert await stage.toggled(pilot) == (("now",), False)
        assert stage.shown[0] == "■ now"
        stage.panel.apply([change(ToolRow("now", False, "by you"), "disable")])
        assert line_with(stage.rows, "now").endswith("off  by you")
        await pilot.press(key)
        assert await stage.toggled(pilot) == (("now",), True)


async def test_a_click_on_the_box_switches_and_one_on_the_name_does_not() -> None:
    async with staged() as (stage, pilot):
        await pilot.click(RowList, offset=(8, 4))
        await pilot.pause()
        assert stage.app.kept == []
        await pilot.click(RowList, offset=(4, 4))
        assert await stage.toggled(pilot) == (("files.read_file",), False)


async def test_a_group_that_is_partly_on_goes_off_before_it_goes_on() -> None:
    async with staged() as (stage, pilot):
        stage.rows.focus()
        await pilot.press("home", "down", "down", "down", "space")
        assert await stage.toggled(pilot) == (("files.read_file", "files.write_file"), False)
        for row in TOOLS[1:3]:
            stage.panel.apply([change(ToolRow(row.name, False), "disable")])
        await pilot.press("space")
        names = ("files.read_file", "files.write_file", "files.delete_file")
        assert await stage.toggled(pilot) == (names, True)


async def test_a_group_says_in_words_how_many_of_its_tools_are_on() -> None:
    async with staged() as (stage, pilot):
        assert line_with(stage.rows, "▾ files").endswith("2 of 3 on")
        assert line_with(stage.rows, "▾ bank").strip() == "▾ bank"
        stage.rows.focus()
        await pilot.press("home", "down", "left")
        assert line_with(stage.rows, "▸ bank").endswith("1 on")


async def test_groups_fold_with_arrows_and_with_the_mouse() -> None:
    async with staged() as (stage, pilot):
        stage.rows.focus()
        await pilot.press("end", "left", "left")
        assert stage.shown[-2:] == ["■ convert", "▸ files"]
        await pilot.press("right")
        assert stage.shown[-1] == "□ delete_file"
        await pilot.click(RowList, offset=(2, 1))
        assert stage.shown[1:3] == ["▸ bank", "▾ files"]


async def test_the_registry_s_changes_are_shown() -> None:
    async with staged() as (stage, _):
        stage.panel.apply(
            [
                change(ToolRow("web.fetch", True), "register"),
                change(ToolRow("bank.convert", True, tags=("network",)), "refresh"),
                ToolsChanged("ann", START, "unregister", "now"),
            ]
        )
        assert "▾ web" in stage.shown
        assert "■ now" not in stage.shown
        assert line_with(stage.rows, "convert").endswith("network  now v2")


async def test_a_tool_that_comes_back_keeps_its_counts() -> None:
    story = Story()
    story.simple_turn(tool="bank.convert")
    async with staged() as (stage, _):
        stage.panel.apply(story.take())
        stage.panel.apply([ToolsChanged("ann", START, "unregister", "bank.convert")])
        assert "▾ bank" not in stage.shown
        stage.panel.apply([change(TOOLS[4], "register")])
        assert line_with(stage.rows, "convert").endswith("   40 ms")


async def test_the_cursor_stays_on_its_tool_when_others_come() -> None:
    async with staged() as (stage, pilot):
        stage.rows.focus()
        await pilot.press("end")
        stage.panel.apply([change(ToolRow("api.get", True), "register")])
        assert lines(stage.rows)[stage.rows.cursor].lstrip("▎ ").startswith("□ delete_file")


async def test_loading_is_shown_in_the_title_until_all_is_loaded() -> None:
    async with staged(()) as (stage, _):
        stage.panel.apply([LoadProgress("ann", START, 6, 9, "rates.py")])
        stage.panel.tick(START + 1.2)
        assert stage.title.startswith("  Tools  loading")
        assert stage.title.endswith("6 of 9")
        assert line_with(stage.rows, "rates.py").split() == ["●", "rates.py", "importing", "1.20", "s"]
        stage.panel.apply([LoadProgress("ann", START, 9, 9), AgentReady("ann", START, "m", "careful", TOOLS)])
        assert stage.title.startswith("  Tools  4 on  1 off")
        assert stage.shown[0] == "■ now"


async def test_a_source_that_failed_keeps_a_row_with_its_reason() -> None:
    async with staged() as (stage, _):
        stage.panel.apply([LoadFailed("ann", START, "sql.py", "SyntaxError on line 41", "on save, again")])
        assert stage.shown[0] == "✗ sql.py"
        assert lines(stage.rows)[0].split("  ", 3)[-1].strip().startswith("SyntaxError on line 41")
        assert lines(stage.rows)[0].endswith("on save, again")
        longer = LoadFailed("ann", START, "sql.py", "SyntaxError on line 41", "on save, tried again")
        stage.panel.apply([longer])
        assert lines(stage.rows)[0].startswith("  ✗ sql.py  SyntaxError on line 41")
        assert lines(stage.rows)[0].endswith("on save, tried again")
        stage.panel.apply([LoadMended("ann", START, "sql.py")])
        stage.panel.apply([LoadFailed("ann", START, "web.py", "ImportError: x")])
        assert stage.shown[0] == "✗ web.py"


async def test_an_empty_panel_says_what_will_appear() -> None:
    async with staged(()) as (stage, _):
        assert stage.title == "  Tools"
        assert stage.rows.render_line(0).text.startswith("  No tools yet.")
        assert stage.panel.count_text == ""


async def test_names_stay_whole_while_tags_and_mean_give_way() -> None:
    long = ToolRow("x." + "n" * 37, True, tags=("read-only",))
    story = Story()
    story.simple_turn(tool=long.name)
    async with staged((long,)) as (stage, _):
        stage.panel.apply(story.take())
        line = lines(stage.rows)[1]
        assert "n" * 37 in line
        assert "read-only" not in line
    async with staged((ToolRow("x." + "n" * 30, True),)) as (stage, _):
        assert stage.title.endswith("mean")
    async with staged((ToolRow("x." + "n" * 37, True),)) as (stage, _):
        assert stage.title.endswith("errs")


async def test_below_56_cells_the_mean_is_left_out_and_tags_only_where_names_leave_no_room() -> None:
    async with staged(size=(54, 20)) as (stage, _):
        assert stage.title.endswith("calls  errs")
        assert line_with(stage.rows, "read_file").index("read-only") == line_with(
            stage.rows, "write_file"
        ).index("writes")
        assert line_with(stage.rows, "delete_file").endswith("off  tagged destructive")
    async with staged(size=(40, 20)) as (stage, _):
        assert "read-only" not in "".join(lines(stage.rows))


@pytest.mark.parametrize("width", [1, 12, 30, 54, 56, 62, 80, 160])
async def test_every_row_is_exactly_as_wide_as_the_panel(width: int) -> None:
    tools = (*TOOLS, ToolRow("寿司.寿司", True, tags=("寿" * 40,)), ToolRow("y." + "z" * 90, True))
    async with staged(tools, (width, 20)) as (stage, _):
        stage.panel.apply([LoadFailed("ann", START, "寿" * 40, "e" * 90, "w" * 90)])
        assert all(stage.rows.render_line(y).cell_length == width for y in range(19))
        stage.panel.apply([LoadProgress("ann", START, 1, 3)])
        assert stage.panel.query_one(TitleRow).render_line(0).cell_length == width


async def test_names_tags_and_reasons_are_shown_and_never_obeyed() -> None:
    hostile = ToolRow("a.\x1b[2J", True, tags=("[b]\u202e",)), ToolRow("a.b", False, "\x9b1m\n[/")
    async with staged(hostile) as (stage, _):
        everything = "".join(lines(stage.rows))
        assert "[/" in everything
        assert not set(everything) & set("\x1b\x9b\n\u202e")


async def test_in_a_tab_the_title_has_no_name() -> None:
    async with staged(size=(80, 24)) as (stage, _):
        stage.panel.compact = True
        assert stage.title.startswith("  4 on  1 off")


async def test_another_palette_reaches_title_and_rows() -> None:
    async with staged() as (stage, _):
        stage.panel.palette = PAPER
        title = stage.panel.query_one(TitleRow)
        assert next(iter(title.render_line(0))).style == PAPER.style("muted", "raised")
        assert next(iter(stage.rows.render_line(1))).style == PAPER.style("muted", "surface")


async def test_a_destructive_tool_says_so_whether_it_is_on_or_off() -> None:
    row = TOOLS[3]
    async with staged((*TOOLS[:3], replace(row, enabled=True, reason=""))) as (stage, _):
        assert line_with(stage.rows, "delete_file").endswith("destructive")
        stage.panel.apply([change(replace(row, reason="switched off by the user"), "disable")])
        assert line_with(stage.rows, "delete_file").endswith("off  destructive  by the user")
        stage.panel.apply([change(row, "disable")])
        assert line_with(stage.rows, "delete_file").endswith("off  tagged destructive")


async def test_switching_a_group_says_which_group_it_is() -> None:
    async with staged() as (stage, pilot):
        stage.rows.focus()
        await pilot.press("home", "space")
        await until(pilot, lambda: bool(stage.app.kept))
        assert stage.app.kept.pop().group is None
        await pilot.press("down", "down", "down", "space")
        await until(pilot, lambda: bool(stage.app.kept))
        assert stage.app.kept.pop().group == "files"


async def test_permission_words_follow_the_policy() -> None:
    changed = [
        ToolsChanged("ann", START, "metadata_update", None, metadata={"fields": ["policy"]}),
        change(replace(TOOLS[1], permission="ask"), "metadata_update"),
        change(replace(TOOLS[2], permission="deny"), "metadata_update"),
    ]
    async with staged() as (stage, _):
        stage.panel.apply(changed)
        assert line_with(stage.rows, "read_file").endswith("read-only  asks")
        assert line_with(stage.rows, "write_file").endswith("writes  denied")
        assert "now v" not in "".join(lines(stage.rows))


async def test_newer_versions_are_counted_and_say_what_they_changed() -> None:
    first: dict[str, Any] = {"difference": {"added": {"limit": {}}, "removed": {"page": {}}}, "code": {}}
    async with staged() as (stage, pilot):
        stage.panel.apply([replace(change(TOOLS[1], "refresh"), metadata=first)])
        assert line_with(stage.rows, "read_file").endswith("read-only  now v2")
        everything: dict[str, Any] = {"tools": {"files.read_file": {"description": {}}, "gone": {}}}
        stage.panel.apply([ToolsChanged("ann", START, "refresh_all", None, metadata=everything)])
        assert line_with(stage.rows, "read_file").endswith("read-only  now v3")
        y = next(y for y, line in enumerate(lines(stage.rows)) if "read_file" in line)
        accent = [segment for segment in stage.rows.render_line(y) if "now v3" in segment.text]
        assert accent[0].style == GRAPHITE.style("accent", "surface")
        stage.rows.focus()
        await pilot.press("home", "down", "down", "down", "down", "right")
        assert line_with(stage.rows, "changed").split() == ["changed", "description,", "now", "v3"]
        stage.panel.apply([replace(change(TOOLS[1], "refresh"), metadata=first)])
        assert line_with(stage.rows, "changed").split()[1:] == ["+limit", "−page", "code,", "now", "v4"]


async def test_right_shows_all_about_a_tool_and_left_takes_it_away() -> None:
    row = ToolRow("files.read_file", True, "", ("read-only",), "ask", "strict", "Reads it.\nMore.", 120)
    story = Story()
    story.begin()
    story.ask_model()
    for ms in (10, 20, 30):
        (call,) = story.batch("files.read_file")
        story.run(call, ms)
    (call,) = story.batch("files.read_file")
    story.finish(call, 0.0, "error", error_type="ToolArgumentsError", error="path: missing\nmore")
    async with staged((row, *TOOLS[2:])) as (stage, pilot):
        stage.rows.focus()
        await pilot.press("end", "up", "up", "right")
        stage.panel.apply(story.take())
        assert [line.strip("▎").split() for line in lines(stage.rows)[3:9]] == [
            ["■", "read_file", "1", "wrong", "asks", "3", "20", "ms"],
            ["does", "Reads", "it."],
            ["tags", "read-only"],
            ["permission", "asks", "strict"],
            ["schema", "120", "tok", "in", "each", "request"],
            ["time", "mean", "20", "ms", "p95", "30", "ms", "of", "3", "calls"],
        ]
        assert "1 ×  no arguments  path: missing" in line_with(stage.rows, "path: missing")
        await pilot.press("down", "down")
        stage.panel.apply([change(replace(row, permission="allow"), "metadata_update")])
        assert stage.rows.cursor == 5
        assert "runs without asking" in line_with(stage.rows, "permission")
        stage.panel.apply([change(ToolRow("a.new", True), "register")])
        assert "tags" in lines(stage.rows)[stage.rows.cursor]
        await pilot.press("left", "left")
        assert "does" not in "".join(lines(stage.rows))


async def test_the_title_says_what_the_schemas_of_a_request_cost() -> None:
    tools = (ToolRow("a.one", True, tokens=1_900), ToolRow("a.two", True, tokens=200), TOOLS[3])
    async with staged(tools) as (stage, _):
        assert stage.title.startswith("  Tools  2 on  1 off  2.1k tok ")
        stage.panel.apply([change(replace(tools[0], enabled=False), "disable")])
        assert stage.title.startswith("  Tools  1 on  2 off  200 tok ")
    async with staged() as (stage, _):
        assert "tok" not in stage.title


async def test_wide_panels_have_columns_for_cost_and_late_time() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    for ms in (10, 10, 700):
        (call,) = story.batch("bank.convert")
        story.run(call, ms)
    tools = (replace(TOOLS[4], tokens=55), *TOOLS[:4])
    async with staged(tools, (90, 20)) as (stage, _):
        stage.panel.apply(story.take())
        assert stage.title.split()[-5:] == ["tok", "calls", "errs", "mean", "p95"]
        assert line_with(stage.rows, "convert").split()[2:] == ["55", "3", "240", "ms", "700", "ms"]


async def test_a_call_that_ended_draws_one_row_again(monkeypatch: pytest.MonkeyPatch) -> None:
    story = Story()
    story.simple_turn(tool="bank.convert")
    async with staged() as (stage, pilot):
        drawn: list[Row] = []
        original = stage.panel.draw_record

        def draw(record: Row, width: int) -> list[Span]:
            drawn.append(record)
            return original(record, width)

        monkeypatch.setattr(stage.rows, "_draw", draw)
        stage.panel.apply(story.take())
        await pilot.pause()
        assert [record.row.name for record in drawn if isinstance(record, Tool)] == ["bank.convert"]
        assert len(drawn) == 1


@pytest.mark.parametrize("key", ["R", "c", "f"])
async def test_a_key_that_is_for_a_tool_says_so_on_a_group(key: str) -> None:
    async with driven() as it:
        await it.focus("tools")
        rows = it.app.main.tools.focus_target
        await it.act(lambda: rows.go_to(0))
        await it.press(key)
        await it.until(lambda: it.app._notifications)
        assert [each.title for each in it.app._notifications] == [f"{key} is for a tool"]
        assert it.app.screen is it.app.main
