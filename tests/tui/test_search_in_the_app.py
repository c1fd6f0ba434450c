"""Searching in the conversation of the whole app, where other keys would go to the message."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual import events

from tests.tui.driving import Driven, driven

TALK = "add(a=1, b=2) and then look for the needle, the Needle and the NEEDLE"


@asynccontextmanager
async def searching() -> AsyncIterator[Driven]:
    """The app after a turn, with a search open in the conversation."""
    async with driven() as it:
        await it.turn(TALK)
        await it.focus("conversation")
        await it.press("slash")
        yield it


async def test_what_is_typed_into_a_search_is_looked_for_and_not_written_into_the_message() -> None:
    async with searching() as it:
        for letter in "needle":
            await it.press(letter)
        panel = it.app.main.conversation
        await it.until(lambda: "/ needle▍" in it.shown(panel))
        assert it.app.main.prompt.draft == ""
        assert "of 3 " in it.shown(panel)


async def test_keys_that_come_at_once_are_looked_for_while_a_search_is_open() -> None:
    async with searching() as it:
        await it.burst("look for")
        panel = it.app.main.conversation
        await it.until(lambda: "/ look for▍  1 of 1" in it.shown(panel))
        assert it.app.main.prompt.draft == ""


async def test_what_is_pasted_into_a_search_is_looked_for() -> None:
    async with searching() as it:
        it.app.post_message(events.Paste("needle, the\nand more"))
        panel = it.app.main.conversation
        await it.until(lambda: "/ needle, the▍  1 of 1" in it.shown(panel))
        assert it.app.main.prompt.draft == ""


async def test_the_hints_of_the_panel_give_way_to_those_of_the_search() -> None:
    async with driven() as it:
        await it.turn(TALK)
        await it.focus("conversation")
        hints = it.app.main.hint_line
        await it.until(lambda: "expand" in it.shown(hints))
        await it.press("slash")
        await it.until(lambda: "expand" not in it.shown(hints))
        await it.press("escape")
        await it.until(lambda: "expand" in it.shown(hints))


async def test_tab_in_a_search_goes_to_the_next_place_and_not_away() -> None:
    async with searching() as it:
        await it.write("needle")
        panel = it.app.main.conversation
        await it.until(lambda: "3 of 3" in it.shown(panel))
        await it.press("shift+tab")
        await it.until(lambda: "2 of 3" in it.shown(panel))
        await it.press("tab")
        await it.until(lambda: "3 of 3" in it.shown(panel))
        await it.write("s")
        await it.until(lambda: "/ needles▍  not found" in it.shown(panel))
        assert it.app.main.prompt.draft == ""
        assert "next panel" not in it.shown(it.app.main.hint_line)
