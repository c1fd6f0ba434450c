"""The palette finds a command by its title, by what is said about it, and by its id."""

from __future__ import annotations

import pytest
from textual.command import CommandPalette, Hit

from tests.tui.driving import Driven, driven
from workbench.tui.command_finder import CommandFinder
from workbench.tui.screens.sessions import SessionsScreen


async def found(it: Driven, query: str) -> list[str]:
    """The titles, best first."""
    finder = CommandFinder(it.app.screen)
    hits = [hit async for hit in finder.search(query) if isinstance(hit, Hit)]
    return [str(hit.match_display) for hit in sorted(hits, key=lambda hit: -hit.score)]


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("pytest", "Trace: save as test"),
        ("EDITOR", "Prompt: editor"),
        ("app.export", "Export"),
        ("f3 sessions", None),
        ("jsonl", "Export"),
        ("/compact", "Compact"),
        ("mouse", "Help"),
        ("exit", "Quit"),
        ("dark", "Theme"),
        ("save", "Export"),
        ("clear", "New"),
        ("clipboard", "Conversation: copy answer"),
    ],
)
async def test_a_word_of_title_help_or_id_finds_a_command(query: str, title: str | None) -> None:
    async with driven() as it:
        titles = await found(it, query)
        assert (title in titles) if title else titles == []


async def test_commands_whose_title_fits_come_before_those_whose_text_does() -> None:
    async with driven() as it:
        assert (await found(it, "theme"))[0] == "Theme"


async def test_choosing_a_command_of_a_panel_goes_there_and_does_it() -> None:
    async with driven(size=(80, 24)) as it:
        await it.turn("add(a=1, b=2)")
        await it.press("ctrl+p")
        await it.until(lambda: isinstance(it.app.screen, CommandPalette))
        await it.write("what bars")
        await it.until(lambda: "Trace: legend" in it.shown())
        await it.press("down", "enter")
        await it.until(lambda: it.app.main.focused_panel == "trace")
        await it.until(lambda: "rejected" in it.shown() or "pending" in it.shown())


async def test_choosing_a_command_of_the_app_does_it() -> None:
    async with driven() as it:
        await it.press("ctrl+p")
        await it.until(lambda: isinstance(it.app.screen, CommandPalette))
        await it.write("sessions of this project")
        await it.until(lambda: "List the sessions" in it.shown())
        await it.press("down", "enter")
        await it.until(lambda: isinstance(it.app.screen, SessionsScreen))
