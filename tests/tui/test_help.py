"""The help shows every key and command, at every size, and can be read to its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import get_args

import pytest
from textual import events
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from tests.tui.panel_app import GRAPHITE, PAPER
from workbench.tui.commands import TABLE, Scope, key_text
from workbench.tui.line_view import LineView
from workbench.tui.screens.help import GROUPS, HelpScreen
from workbench.tui.themes import css_variables, textual_theme

SIZES = [(120, 40), (80, 24), (40, 12)]


class Book(App[None]):
    """Nothing but the help."""

    def __init__(self, here: Sequence[Scope] = ()) -> None:
        super().__init__()
        self.register_theme(textual_theme(GRAPHITE))
        self.theme = GRAPHITE.name
        self.help = HelpScreen(GRAPHITE, here)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return css_variables(GRAPHITE)

    @property
    def rows(self) -> LineView:
        """What scrolls."""
        return self.help.query_one(LineView)

    def shown(self) -> list[str]:
        """The rows of the help that are in view."""
        return [self.rows.render_line(y).text.rstrip("▐ ") for y in range(self.rows.size.height)]

    def heading(self) -> str:
        """The first row."""
        region = self.help.query_one("#help-box").region
        strips = self.help._compositor.render_strips()
        return "\n".join(strip.text for strip in strips[region.y : region.y + 2])


async def until(pilot: Pilot[None], fact: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not fact():
            await pilot.pause()


@asynccontextmanager
async def opened(
    size: tuple[int, int], here: Sequence[Scope] = ()
) -> AsyncIterator[tuple[Book, Pilot[None]]]:
    book = Book(here)
    async with book.run_test(size=size) as pilot:
        await book.push_screen(book.help)
        await until(pilot, lambda: book.rows.window[2])
        yield book, pilot


async def all_rows(book: Book, pilot: Pilot[None]) -> list[str]:
    """Everything, read page by page."""
    await pilot.press("home")
    rows = book.shown()
    while book.rows.window[1] < book.rows.window[2]:
        first = book.rows.window[0]
        await pilot.press("pagedown")
        await until(pilot, lambda first=first: book.rows.window[0] > first)  # type: ignore[misc]  # mypy does not know the type of a lambda's default
        rows += book.shown()[-(book.rows.window[0] - first) :]
    return rows


def test_every_scope_of_the_command_table_has_its_group() -> None:
    assert set(GROUPS) == set(get_args(Scope)) == {command.scope for command in TABLE}


@pytest.mark.parametrize("size", SIZES)
async def test_every_command_can_be_read_whole_page_by_page(size: tuple[int, int]) -> None:
    async with opened(size) as (book, pilot):
        rows = await all_rows(book, pilot)
    assert not any("…" in row.replace("always…", "") for row in rows)
    text = " ".join(" ".join(rows).split())
    for command in TABLE:
        assert command.help in text
        for key in command.keys:
            assert key_text(key) in text
        assert not command.slash or f"/{command.slash}" in text


async def test_the_keys_that_scroll_work_while_the_filter_has_the_focus() -> None:
    async with opened((80, 24)) as (book, pilot):
        assert isinstance(book.focused, Input)
        tops = []
        for key in ("down", "down", "up", "pagedown", "end", "pageup", "home"):
            await pilot.press(key)
            tops.append(book.rows.scroll_offset.y)
        end, page = book.rows.max_scroll_y, book.rows.size.height - 1
        assert tops == [1, 2, 1, 1 + page, end, end - page, 0]
        await pilot.press("q", "u", "i", "t")
        assert book.help.query_one(Input).value == "quit"


async def test_the_wheel_scrolls() -> None:
    async with opened((80, 24)) as (book, pilot):
        x, y = book.rows.region.offset
        wheel = events.MouseScrollDown(book.rows, 1, 1, 0, 1, 0, False, False, False, x + 1, y + 1)
        book.rows.post_message(wheel)
        await until(pilot, lambda: book.rows.scroll_offset.y > 0)


async def test_a_thumb_and_the_title_say_where_one_is_while_there_is_more() -> None:
    async with opened((80, 24)) as (book, pilot):
        first, last, total = book.rows.window
        assert "▐" in book.rows.render_line(0).text
        assert f"{first} to {last} of {total}" in book.heading()
        await pilot.press(*"quit")
        await until(pilot, lambda: book.rows.window[2] < 10)
        assert not any("▐" in book.rows.render_line(y).text for y in range(book.rows.size.height))
        assert " of " not in book.heading()


async def test_a_screen_that_becomes_narrow_gets_narrow_columns() -> None:
    async with opened((120, 40)) as (book, pilot):
        assert "  esc  /stop          Stop the running turn." in book.shown()
        await pilot.resize_terminal(40, 30)
        await until(pilot, lambda: "  esc  /stop  Stop the running turn." in book.shown())


async def test_a_filter_with_a_dot_shows_the_ids_that_a_keymap_is_written_with() -> None:
    async with opened((120, 40)) as (book, pilot):
        assert "app.stop" not in "\n".join(book.shown())
        await pilot.press(*"app.st")
        await until(pilot, lambda: "  esc  /stop          Stop the running turn.  app.stop" in book.shown())


async def test_a_filter_that_matches_nothing_says_so() -> None:
    async with opened((40, 12)) as (book, pilot):
        await pilot.press(*"zzz")
        await until(pilot, lambda: book.shown()[0] == "  No key or command matches.")


@pytest.mark.parametrize("key", ["escape", "f1"])
async def test_escape_and_f1_close_it(key: str) -> None:
    async with opened((80, 24)) as (book, pilot):
        await pilot.press(key)
        await until(pilot, lambda: book.screen is not book.help)


async def test_another_palette_is_drawn_at_once() -> None:
    async with opened((80, 24)) as (book, pilot):
        book.help.palette = PAPER
        await pilot.pause()
        (background,) = {segment.style.bgcolor for segment in book.rows.render_line(0) if segment.style}
        assert background is not None
        assert background.name == PAPER.colors["raised"]


async def test_what_the_mouse_does_is_told_and_found() -> None:
    async with opened((120, 40)) as (book, pilot):
        await pilot.press(*"mouse wheel")
        await until(pilot, lambda: book.rows.window[2] == 2)
        title, wheel = book.shown()[:2]
        assert title.strip() == "mouse"
        assert wheel.split(maxsplit=1) == ["wheel", "Scroll what is under the mouse."]


async def test_a_word_that_people_use_finds_the_command_that_has_another_one() -> None:
    async with opened((120, 40)) as (book, pilot):
        await pilot.press(*"exit")
        await until(pilot, lambda: book.rows.window[2] < 20)
        assert any("Leave Workbench." in row for row in await all_rows(book, pilot))


async def test_what_holds_here_and_everywhere_comes_first_and_the_rest_is_said_to_be_elsewhere() -> None:
    async with opened((120, 40), here=("trace", "list")) as (book, pilot):
        rows = await all_rows(book, pilot)
        titles = [row.strip() for row in rows if row.strip() in {*GROUPS.values(), "mouse"}]
        assert titles[:4] == ["trace", "trace and tools", "everywhere", "mouse"]
        assert titles.count("everywhere") == titles.count("mouse") == 1
        (elsewhere,) = [at for at, row in enumerate(rows) if "other places" in row]
        assert rows[elsewhere + 2].strip() == titles[4]
        await pilot.press(*"pytest")
        await until(pilot, lambda: book.rows.window[2] < 20)
        assert not any("other places" in row for row in book.shown())
