"""What the prompt, its lists and what was sent look like; look first, then ``--snapshot-update``."""

from __future__ import annotations

from typing import Any

import pytest
from textual import events as textual_events
from textual.pilot import Pilot
from textual.widgets import Input

from tests.tui.stage import AGENT, START, STORY, StageApp, palette_of
from tests.tui.test_snapshots import SIZES, THEMES, Compare, settled
from workbench.storage.prompt_history import SentMessage
from workbench.tui import events
from workbench.tui.completion import Completer
from workbench.tui.file_index import FileIndex
from workbench.tui.screens.history import HistoryScreen

ALL_SIZES = (*SIZES, (40, 12))
FILES = (
    "README.md",
    "reports/march.md",
    "reports/drafts/a very long name of a folder/that does not fit/march, once more.md",
    "src/marching.py",
    "data/[b]stations[/b].txt",
    "tests/test_march.py",
)
SENT = (
    SentMessage(START - 30, "Complete the monthly report: read the stations, then write it."),
    SentMessage(START - 4_000, "Compare @reports/march.md and @reports/april.md\nand\nsay what differs"),
    SentMessage(
        START - 90_000, "[b]Why[/b] is \x1b[31mLima\u202e missing from the table? " + "Look again. " * 20
    ),
    SentMessage(START - 900_000, "/model openai/gpt-5-mini"),
)
ATTACHED = (
    "Compare @reports/march.md with @bank.zip.\n\n"
    "[attached reports/march.md: 26 characters]\n# March\n\nStatus: complete\n\n[end of reports/march.md]\n"
    "[not attached bank.zip: binary, 3.2 MB]"
)
LONG = "The log of the night:\n" + "\n".join(f"{hour:02d}:00  nothing happened" for hour in range(60))


def size_id(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


async def write(pilot: Pilot[Any], text: str) -> None:
    app = pilot.app
    assert isinstance(app, StageApp)
    completer = app.main.prompt.completer = Completer({})
    completer.files = FileIndex(FILES)
    app.main.prompt.area.known = lambda line, first: completer.known_spans(line, first=first)
    await settled(pilot)
    await pilot.press(*({" ": "space"}.get(char, char) for char in text))
    await settled(pilot)


@pytest.mark.parametrize("size", ALL_SIZES, ids=size_id)
@pytest.mark.parametrize("theme", THEMES)
def test_files_are_offered(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    async def go(pilot: Pilot[Any]) -> None:
        await write(pilot, "see @README.md and @mar")
        await pilot.press("down")
        await settled(pilot)

    assert snap_compare(StageApp(STORY, theme=theme), terminal_size=size, run_before=go)


@pytest.mark.parametrize("theme", THEMES)
def test_commands_are_offered(snap_compare: Compare, theme: str) -> None:
    async def go(pilot: Pilot[Any]) -> None:
        await write(pilot, "/mod")

    assert snap_compare(StageApp(STORY, theme=theme), terminal_size=(80, 24), run_before=go)


@pytest.mark.parametrize("theme", THEMES)
def test_a_long_paste_is_one_piece(snap_compare: Compare, theme: str) -> None:
    async def go(pilot: Pilot[Any]) -> None:
        await write(pilot, "what is in ")
        pilot.app.post_message(textual_events.Paste("a line\n" * 1_204))
        await settled(pilot)

    assert snap_compare(StageApp(STORY, theme=theme), terminal_size=(80, 24), run_before=go)


@pytest.mark.parametrize("size", ALL_SIZES, ids=size_id)
@pytest.mark.parametrize("theme", THEMES)
def test_the_history_is_searched(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    async def go(pilot: Pilot[Any]) -> None:
        screen = HistoryScreen(SENT, palette_of(theme), now=lambda: START)
        pilot.app.call_later(pilot.app.push_screen, screen)
        await settled(pilot)
        screen.query_one(Input).cursor_blink = False
        await pilot.press("m", "o")
        await settled(pilot)

    assert snap_compare(StageApp(STORY, theme=theme), terminal_size=size, run_before=go)


@pytest.mark.parametrize("unfolded", [False, True], ids=["folded", "unfolded"])
@pytest.mark.parametrize("theme", THEMES)
def test_what_was_sent(snap_compare: Compare, theme: str, unfolded: bool) -> None:
    async def go(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press(*(["home", "k", "enter"] if unfolded else ["home"]))
        await settled(pilot)

    story = (
        events.TurnStarted(AGENT, START, 1, ATTACHED, "[Tools changed: add is off.]"),
        events.TurnStarted(AGENT, START, 2, LONG),
    )
    app = StageApp(story, theme=theme, tab="conversation")
    assert snap_compare(app, terminal_size=(80, 24), run_before=go)
