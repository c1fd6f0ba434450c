"""The approval screen where there is little room: whatever somebody has to read can be read."""

from __future__ import annotations

import pytest
from textual.widgets import TextArea

from tests.tui.approval_app import Trial, call, trial
from workbench.tui.events import CallInfo
from workbench.tui.screens.approval_always import AlwaysPanel

LONG = "an argument name that goes on and on ".replace(" ", "_") * 2
WRONG = f"command: expected a string, got 5; {LONG}: no such argument. Expected: command (string, required)."


async def opened(it: Trial, key: str) -> None:
    await it.press(key)
    await it.until(lambda: it.app.focused is not None)
    await it.pilot.pause()


def in_one_line(text: str) -> str:
    return "".join(text.replace("│", "").split())


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
async def test_what_is_wrong_with_edited_arguments_can_be_read_whole(size: tuple[int, int]) -> None:
    wrong = WRONG if size[0] > 40 else f"{LONG[:60]}: no such argument."
    async with trial(size) as it:
        await it.ask(call("a"), call("b"), call("c"), check=lambda name, arguments: wrong)
        await opened(it, "e")
        assert in_one_line(wrong) in in_one_line(it.shown("#edit"))


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
async def test_what_is_wrong_leaves_room_to_put_it_right(size: tuple[int, int]) -> None:
    async with trial(size) as it:
        await it.ask(call("a"), check=lambda name, arguments: "a line of it\n" * 200)
        await opened(it, "e")
        await it.until(lambda: "more lines" in it.shown("#edit"))
        assert it.screen.query_one(TextArea).size.height >= 3


async def test_a_field_gets_the_rows_of_a_low_screen_and_the_call_stays_in_view() -> None:
    async with trial((40, 12)) as it:
        await it.ask(*(call(str(number)) for number in range(9)))
        await it.press("j", "j")
        await opened(it, "e")
        await it.until(lambda: it.screen.query_one(TextArea).size.height >= 7)
        assert it.shown("#calls").split()[0:2] == ["3", "◇"]
        assert "esc leave" in it.shown("#foot")


@pytest.mark.parametrize("key", ["r", "e", "a"])
@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
async def test_in_every_field_it_is_said_that_esc_leaves_it(key: str, size: tuple[int, int]) -> None:
    async with trial(size) as it:
        await it.ask()
        await opened(it, key)
        assert "esc leave" in it.shown("#foot")


async def test_only_the_panel_itself_scrolls_and_the_keys_reach_its_end() -> None:
    async with trial((40, 12)) as it:
        await it.ask(call("a", path="a.txt", text="one"))
        await opened(it, "a")
        panel = it.screen.query_one(AlwaysPanel)
        statement = panel.query_one("#covers")
        await it.until(lambda: 0 < statement.virtual_size.height == statement.size.height)
        await it.press("down", "down", "down", "down")
        await it.until(lambda: panel.scroll_y == panel.max_scroll_y > 0)
        assert "stays stronger" in in_words(it.shown("#always"))


def in_words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
async def test_why_a_call_asks_can_be_read_at_every_size(size: tuple[int, int]) -> None:
    async with trial(size) as it:
        await it.ask(call("a", because="not marked read-only"))
        assert "not marked read-only" in it.shown()


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
async def test_a_long_reason_for_asking_can_be_read_to_its_end(size: tuple[int, int]) -> None:
    because = "rule: " + " ".join(f"part{number}" for number in range(40)) + " end of it"
    async with trial(size) as it:
        await it.ask(call("a", because=because))
        await it.press("end")
        await it.until(lambda: "end of it" in in_words(it.shown("#page")))


async def test_a_long_reason_for_asking_keeps_to_its_row() -> None:
    async with trial((80, 24)) as it:
        await it.ask(call("a", because="rule after rule " * 20))
        head = it.shown("#calls").split("\n")[0]
        assert head.rstrip().endswith("…")
        assert head.endswith("  ")


async def test_the_value_behind_a_long_name_can_be_read_on_a_narrow_screen() -> None:
    async with trial((40, 12)) as it:
        await it.ask(CallInfo("a", "shell", {LONG: "the value"}, "ask"))
        await it.until(lambda: '"the value"' in it.shown("#page"))


async def test_going_over_the_calls_moves_no_row_of_the_list_back_and_forth() -> None:
    calls = [call(str(number), command="short" if number % 2 else "long\n" * 40) for number in range(20)]
    async with trial() as it:
        await it.ask(*calls)
        tabs = it.screen.query_one("#tabs")
        places = set()
        for _ in calls:
            places.add(tabs.region.y)
            await it.press("down")
            await it.pilot.pause()
        assert len(places) == 1


async def test_for_how_long_a_grant_holds_is_said_before_what_it_covers() -> None:
    async with trial() as it:
        await it.ask(call("a", command="make " + "x" * 70), call("b"))
        await opened(it, "a")
        await it.press("enter")
        assert "remembered until you quit: shell(" in it.shown("#receives")
