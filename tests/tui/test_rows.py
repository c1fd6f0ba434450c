"""The virtual list of rows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from tests.tui.panel_app import GRAPHITE, PAPER, PanelApp, lines, running, until
from workbench.tui.render import Span
from workbench.tui.rows import RowList


class Shelf:
    """A list of words and how often each was drawn."""

    def __init__(self, count: int, *, follows: bool = False, skip: str = "") -> None:
        self.words = [f"row {index}" for index in range(count)]
        self.drawn: list[str] = []
        self.list: RowList[str] = RowList(
            self.draw,
            GRAPHITE,
            rows=self.words,
            rests=lambda word: not skip or skip not in word,
            empty=(("Nothing here.", "subtle"), ("Words will appear.", "muted")),
            follows=follows,
        )

    def draw(self, word: str, width: int) -> Iterator[Span]:
        self.drawn.append(word)
        yield f"  {word}", "text"

    def add(self, *words: str, at: int | None = None) -> None:
        start = len(self.words) if at is None else at
        self.words[start:start] = words
        self.list.spliced(start, 0, len(words))
        self.list.settle()


def shown(shelf: Shelf) -> list[str]:
    return [line.strip("▎▐ ") for line in lines(shelf.list)]


@asynccontextmanager
async def showing(shelf: Shelf, size: tuple[int, int] = (30, 10)) -> AsyncIterator[Pilot[None]]:
    async with running(PanelApp(shelf.list, RowList.Clicked), size) as pilot:
        yield pilot


async def test_only_rows_in_view_are_drawn_however_long_the_list_is() -> None:
    shelf = Shelf(100_000)
    async with showing(shelf) as pilot:
        assert set(shelf.drawn) == set(shelf.words[:10])
        shelf.drawn.clear()
        shelf.list.focus()
        await pilot.press("end")
        assert set(shelf.drawn) <= set(shelf.words[:10]) | set(shelf.words[-10:])
        assert shown(shelf)[-1] == "row 99999"


async def test_keys_move_the_cursor() -> None:
    shelf = Shelf(100)
    async with showing(shelf) as pilot:
        shelf.list.focus()
        await pilot.pause()
        seen = []
        for key in ("down", "j", "up", "k", "pagedown", "pageup", "end", "home"):
            await pilot.press(key)
            seen.append(shelf.list.current)
        assert seen == ["row 1", "row 2", "row 1", "row 0", "row 9", "row 0", "row 99", "row 0"]


async def test_the_cursor_row_has_a_bar_only_while_the_list_has_the_focus() -> None:
    shelf = Shelf(3)
    async with showing(shelf) as pilot:
        shelf.list.focus()
        await pilot.pause()
        focused = shelf.list.render_line(0)
        pilot.app.set_focus(None)
        await pilot.pause()
        unfocused = shelf.list.render_line(0)
    assert focused.text.startswith("▎")
    assert all(segment.style == GRAPHITE.style("text", "selected") for segment in list(focused)[1:])
    assert not unfocused.text.startswith("▎")
    assert all(segment.style == GRAPHITE.style("text", "hovered") for segment in unfocused)


async def test_the_row_under_the_mouse_is_tinted() -> None:
    shelf = Shelf(5)
    async with showing(shelf) as pilot:
        await pilot.hover(RowList, offset=(4, 2))
        await until(
            pilot,
            lambda: all(
                segment.style == GRAPHITE.style("text", "hovered") for segment in shelf.list.render_line(2)
            ),
        )
        assert next(iter(shelf.list.render_line(1))).style == GRAPHITE.style("text", "surface")


async def test_the_cursor_passes_over_rows_where_it_may_not_rest() -> None:
    shelf = Shelf(6, skip="row 2")
    async with showing(shelf) as pilot:
        shelf.list.focus()
        await pilot.press("down", "down")
        assert shelf.list.current == "row 3"
        await pilot.press("up")
        assert shelf.list.current == "row 1"


async def test_following_keeps_the_last_row_in_view() -> None:
    shelf = Shelf(50, follows=True)
    async with showing(shelf):
        shelf.add("the newest")
        assert shown(shelf)[-1] == "the newest"


async def test_scrolling_away_stops_following_and_coming_back_resumes_it() -> None:
    shelf = Shelf(50, follows=True)
    async with showing(shelf) as pilot:
        shelf.list.focus()
        await pilot.press("home")
        shelf.add("unseen")
        assert shown(shelf)[0] == "row 0"
        await pilot.press("end")
        shelf.add("seen")
        assert shown(shelf)[-1] == "seen"


async def test_folding_so_much_that_the_end_comes_into_view_does_not_begin_to_follow() -> None:
    shelf = Shelf(50, follows=True)
    async with showing(shelf) as pilot:
        shelf.list.scroll_to(y=30, animate=False)
        await pilot.pause()
        del shelf.words[5:45]
        shelf.list.spliced(5, 40, 0)
        shelf.list.settle()
        await pilot.pause()
        assert not shelf.list.following
        shelf.add("one more", "and another")
        await pilot.pause()
        assert shown(shelf)[-1] == "row 49"


async def test_a_list_that_does_not_follow_stays_where_it_is() -> None:
    shelf = Shelf(50)
    async with showing(shelf):
        shelf.add("more")
        assert shown(shelf)[0] == "row 0"
        assert not shelf.list.following


async def test_rows_put_in_above_leave_cursor_and_view_on_their_records() -> None:
    shelf = Shelf(50)
    async with showing(shelf) as pilot:
        shelf.list.focus()
        await pilot.press("pagedown", "pagedown")
        before, current = shown(shelf), shelf.list.current
        shelf.add("new", "newer", at=0)
        assert shelf.list.current == current
        assert shown(shelf) == before


async def test_a_cursor_whose_row_is_folded_away_goes_to_the_row_above() -> None:
    shelf = Shelf(9)
    async with showing(shelf) as pilot:
        shelf.list.focus()
        await pilot.press("down", "down", "down", "down")
        del shelf.words[2:7]
        shelf.list.spliced(2, 5, 0)
        shelf.list.settle()
        assert shelf.list.current == "row 1"


async def test_other_rows_keep_the_cursor_on_its_record() -> None:
    shelf = Shelf(9)
    async with showing(shelf) as pilot:
        shelf.list.focus()
        await pilot.press("down", "down")
        shelf.list.show([shelf.words[2], shelf.words[5], shelf.words[6]])
        assert shelf.list.cursor == 0
        shelf.list.show([shelf.words[5]])
        assert shelf.list.current == "row 5"
        shelf.list.show([])
        assert shelf.list.current is None


async def test_a_click_puts_the_cursor_there_and_says_which_cell_was_hit() -> None:
    shelf = Shelf(5)
    async with showing(shelf) as pilot:
        await pilot.click(RowList, offset=(7, 3))
        app = pilot.app
        assert isinstance(app, PanelApp)
        await until(pilot, lambda: bool(app.kept))
        (clicked,) = app.kept
        assert (clicked.record, clicked.x, clicked.chain) == ("row 3", 7, 1)
        assert shelf.list.current == "row 3"


async def test_a_click_below_the_rows_does_nothing() -> None:
    shelf = Shelf(2)
    async with showing(shelf) as pilot:
        await pilot.click(RowList, offset=(7, 6))
        assert shelf.list.current in (None, "row 0")


async def test_the_thumb_is_drawn_only_when_there_is_more_to_see() -> None:
    shelf = Shelf(10)
    async with showing(shelf):
        assert not any("▐" in line for line in lines(shelf.list))
        shelf.add(*[f"more {index}" for index in range(10)])
        assert [line.endswith("▐") for line in lines(shelf.list)] == [True] * 5 + [False] * 5


async def test_pressing_the_rail_scrolls_there() -> None:
    shelf = Shelf(100)
    async with showing(shelf) as pilot:
        await pilot.mouse_down(RowList, offset=(29, 9))
        assert shown(shelf)[-1] == "row 99"
        await pilot.mouse_up(RowList, offset=(29, 9))


async def test_the_thumb_follows_the_mouse_until_it_is_let_go() -> None:
    shelf = Shelf(100)
    async with showing(shelf) as pilot:
        await pilot.mouse_down(RowList, offset=(29, 0))
        await pilot.hover(RowList, offset=(3, 9))
        assert shown(shelf)[-1] == "row 99"
        await pilot.mouse_up(RowList, offset=(3, 9))
        await pilot.hover(RowList, offset=(3, 0))
        assert shown(shelf)[-1] == "row 99"


async def test_the_wheel_scrolls_without_moving_the_cursor() -> None:
    shelf = Shelf(100)
    async with showing(shelf) as pilot:
        shelf.list.focus()
        await pilot.pause()
        shelf.list.scroll_to(y=20, animate=False)
        await pilot.pause()
        assert shelf.list.cursor == 0
        assert not shelf.list.cursor_in_view
        await pilot.press("down")
        assert shelf.list.current == "row 20"


async def test_an_empty_list_says_so_and_breaks_between_words() -> None:
    shelf = Shelf(0)
    async with showing(shelf):
        shown = [shelf.list.render_line(y).text.rstrip() for y in range(3)]
    assert shown == ["  Nothing here. Words will", "  appear.", ""]


async def test_another_palette_is_drawn_at_once() -> None:
    shelf = Shelf(3)
    async with showing(shelf):
        shelf.list.palette = PAPER
        assert next(iter(shelf.list.render_line(1))).style == PAPER.style("text", "surface")


@pytest.mark.parametrize("size", [(30, 1), (2, 5), (1, 1)])
async def test_every_line_is_exactly_as_wide_as_the_list(size: tuple[int, int]) -> None:
    shelf = Shelf(20)
    async with showing(shelf, size):
        assert all(shelf.list.render_line(y).cell_length == size[0] for y in range(size[1]))
