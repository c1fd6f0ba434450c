"""What the screens about sessions look like; after a change that is meant, look first, then update."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import TextArea

from tests.tui.stage import START, STORY, StageApp, palette_of
from workbench.storage.session_file import SessionRecord, Turns
from workbench.storage.session_format import Origin, TurnRecord
from workbench.storage.session_index import SessionHead
from workbench.tui.branches import compare
from workbench.tui.events import SessionRow
from workbench.tui.screens.branches import BranchesScreen
from workbench.tui.screens.sessions import SessionsScreen
from workbench.tui.screens.what_if import WhatIfScreen

Compare = Callable[..., bool]
THEMES = ("graphite", "paper")
SIZES = ((120, 40), (80, 24), (40, 12))
by_size = pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
by_theme = pytest.mark.parametrize("theme", THEMES)


async def settled(pilot: Pilot[Any]) -> None:
    """Everything that was asked for has been drawn."""
    async with asyncio.timeout(60):
        for _ in range(6):
            await pilot.pause()


def shows(
    snap_compare: Compare, screen: Screen[Any], theme: str, size: tuple[int, int], then: Any = None
) -> bool:
    """Whether the screen looks as it did; ``then`` does something with it first."""

    async def push(pilot: Pilot[Any]) -> None:
        pilot.app.call_later(pilot.app.push_screen, screen)
        await settled(pilot)
        if then is not None:
            then()
            await settled(pilot)

    return snap_compare(StageApp(STORY, theme=theme), terminal_size=size, run_before=push)


def head(name: str, first: str, turns: int, age: float, **more: Any) -> SessionHead:
    path = Path(f"/project/.workbench/sessions/{name}_2025-11-30.yaml")
    return SessionHead(path, name, "offline", START - age, turns, first, **more)


ROWS = (
    SessionRow(
        head("assistant", "Complete the monthly report: read the stations, then write it.", 3, 40), True
    ),
    SessionRow(head("assistant", "What if the disk had room", 2, 900, origin=Origin("a.yaml", 2))),
    SessionRow(
        head("greeter", "hello \x1b[31m \u202e [b]there[/b] " + "long " * 40, 120, 90_000, running=True)
    ),
    SessionRow(head("研究助手" * 4, "比較する", 1, 200_000, interrupted=True)),
    SessionRow(head("broken", "", 0, 3_000_000, problem="its header cannot be read")),
)


@by_theme
@by_size
def test_the_list_of_sessions(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    screen = SessionsScreen(palette_of(theme), now=lambda: START)
    assert shows(snap_compare, screen, theme, size, lambda: screen.show(ROWS))


def test_the_list_without_a_session(snap_compare: Compare) -> None:
    screen = SessionsScreen(palette_of("graphite"), now=lambda: START)
    assert shows(snap_compare, screen, "graphite", (80, 24), lambda: screen.show(()))


@by_theme
@by_size
def test_what_a_call_shall_have_given(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    result = '{"station": "Lima", "celsius": 19}\n' * 4 + "\x1b[31m\u202e"
    screen = WhatIfScreen("1", "files.read_file", "path='data/stations.txt'", result, palette_of(theme))

    def still() -> None:
        screen.query_one(TextArea).cursor_blink = False
        screen.action_fails()

    assert shows(snap_compare, screen, theme, size, still)


def turn(prompt: str, result: str, answer: str) -> TurnRecord:
    function = {"name": "files-read_file", "arguments": "{}"}
    call = {"id": "1", "type": "function", "function": function}
    messages = (
        {"role": "user", "content": prompt},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": result},
        {"role": "assistant", "content": answer},
    )
    entry = {
        "type": "tool_execution",
        "tool_name": "files.read_file",
        "call_id": "1",
        "arguments": {"path": "data/stations.txt"},
        "result": result,
        "status": "success",
    }
    return TurnRecord(input=prompt, messages=messages, trace=(entry,))


@by_theme
@by_size
def test_two_branches_beside_each_other(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    first = turn("Read the stations", "Lima\nOsaka\nNairobi", "Three stations.")
    left = turn("Which is the warmest?", '{"city": "Lima", "celsius": 19}', "Lima with 19 °C.")
    right = turn("Which is the warmest?", '{"city": "Osaka", "celsius": 31}', "Osaka with 31 °C, by far.")
    sides = [
        SessionRecord(Path(name), "assistant", "offline", None, Turns(turns))
        for name, turns in (("a.yaml", (first, left)), ("b.yaml", (first, right, first)))
    ]
    rows = compare(*sides)
    screen = BranchesScreen(
        "assistant_2025-11-30T10-00-00", "assistant_2025-11-30T10-20-00, this one", rows, palette_of(theme)
    )
    assert shows(snap_compare, screen, theme, size)
