"""The list of grants: what may run without asking, and how a person takes it back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import pytest
from textual.app import App
from textual.pilot import Pilot

from tests.tui.driving import driven
from tests.tui.panel_app import GRAPHITE, PAPER, START
from workbench.registry import Grant, GrantScope
from workbench.tui.events import GrantRow
from workbench.tui.rows import RowList
from workbench.tui.screens.grants import GrantsScreen
from workbench.tui.themes import css_variables, textual_theme
from workbench.tui.words import ago

ROWS = (
    GrantRow("1", "shell", {"command": "make *"}, "session", START - 300),
    GrantRow("2", "files.write_file", {}, "project", START - 3 * 86_400),
    GrantRow("3", "web.fetch\u202e", {"url\x1b": "*[b]"}, "once", START),
)


class Desk(App[None]):
    """Nothing but the list."""

    def __init__(self, rows: Sequence[GrantRow]) -> None:
        super().__init__()
        self.register_theme(textual_theme(GRAPHITE))
        self.theme = GRAPHITE.name
        self.grants = GrantsScreen(rows, GRAPHITE, now=lambda: START)
        self.taken: list[str] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return css_variables(GRAPHITE)

    def on_grants_screen_revoke(self, message: GrantsScreen.Revoke) -> None:
        self.taken.append(message.id)

    def shown(self) -> list[str]:
        """The screen as text."""
        return [strip.text.rstrip() for strip in self.grants._compositor.render_strips()]


async def until(pilot: Pilot[None], fact: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not fact():
            await pilot.pause()


@asynccontextmanager
async def opened(
    rows: Sequence[GrantRow] = ROWS, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[Desk, Pilot[None]]]:
    desk = Desk(rows)
    async with desk.run_test(size=size) as pilot:
        await desk.push_screen(desk.grants)
        await until(pilot, lambda: desk.focused is not None)
        await pilot.pause()
        yield desk, pilot


async def test_a_row_says_what_is_granted_for_how_long_and_since_when() -> None:
    async with opened() as (desk, _):
        title, first, second = desk.shown()[:3]
        assert title.split() == ["Grants", "3", "arguments", "holds", "for", "since"]
        assert " ".join(first.split()) == "▎ shell command=make * until you quit 5 min ago"
        assert " ".join(second.split()) == "files.write_file any arguments this project 3 days ago"
        assert title.index("holds for") == first.index("until you quit") == second.index("this project")


@pytest.mark.parametrize("key", ["x", "delete"])
async def test_a_key_asks_once_for_the_highlighted_grant_to_be_taken_back(key: str) -> None:
    async with opened() as (desk, pilot):
        await pilot.press("down", key, key)
        await until(pilot, lambda: desk.taken)
        await pilot.press("up")
        assert desk.taken == ["2"]


async def test_what_was_taken_back_is_gone_and_asks_again() -> None:
    async with opened() as (desk, pilot):
        await pilot.press("down", "x")
        desk.call_later(desk.grants.show, (ROWS[0], ROWS[2]))
        await until(pilot, lambda: "files.write_file asks again." in desk.shown()[-1])
        rows = desk.grants.query_one(RowList)
        assert rows.current is not None
        assert len(rows.rows) == 2


async def test_without_grants_it_says_so_and_how_one_comes_about() -> None:
    async with opened(()) as (desk, pilot):
        text = " ".join(" ".join(desk.shown()).split())
        assert "No grant is in force." in text
        assert "with a in an approval" in text
        await pilot.press("x")
        assert desk.taken == []


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
async def test_hostile_text_is_shown_and_every_row_is_as_wide_as_the_list(size: tuple[int, int]) -> None:
    async with opened(size=size) as (desk, _):
        rows = desk.grants.query_one(RowList)
        strips = [rows.render_line(y) for y in range(rows.size.height)]
        assert {strip.cell_length for strip in strips} == {rows.size.width}
        text = "".join(strip.text for strip in strips)
        assert "\u202e" not in text
        assert "\x1b" not in text
        assert "once" in text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "just now"),
        (59, "just now"),
        (60, "1 min ago"),
        (3_599, "59 min ago"),
        (86_399, "23 h ago"),
        (86_400, "1 day ago"),
        (10 * 86_400, "10 days ago"),
    ],
)
def test_a_time_is_told_in_its_largest_whole_unit(seconds: float, text: str) -> None:
    assert ago(seconds) == text


async def test_esc_closes_it_and_another_palette_is_drawn_at_once() -> None:
    async with opened() as (desk, pilot):
        desk.grants.palette = PAPER
        await pilot.pause()
        strip = desk.grants.query_one(RowList).render_line(1)
        assert {
            segment.style.bgcolor.name for segment in strip if segment.style and segment.style.bgcolor
        } == {PAPER.colors["raised"]}
        await pilot.press("escape")
        await until(pilot, lambda: desk.screen is not desk.grants)


async def test_in_the_app_a_grant_taken_back_with_slash_grants_is_in_force_no_more() -> None:
    async with driven() as it:
        it.agent.tools.grant(Grant("files.*", scope=GrantScope.SESSION))
        it.agent.tools.grant(Grant("shell", {"command": "make *"}))
        await it.send("/grants")
        await it.until(lambda: isinstance(it.app.screen, GrantsScreen))
        await it.until(lambda: "command=make *" in it.shown())
        await it.press("x")
        await it.until(lambda: "files.* asks again." in it.shown())
        assert [grant.tool for grant in it.agent.tools.grants] == ["shell"]
        await it.press("escape")
        await it.until(lambda: it.app.screen is it.app.main)
