"""What the screens look like; after a change that is meant, look first, then ``--snapshot-update``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.stage import START, STORY, WAITING, StageApp, palette_of, request
from workbench.tui.screens.approval import ApprovalScreen
from workbench.tui.screens.help import HelpScreen

Compare = Callable[..., bool]
THEMES = ("graphite", "paper")
SIZES = ((120, 40), (80, 24))


async def settled(pilot: Pilot[Any]) -> None:
    """Everything that was asked for has been drawn."""
    async with asyncio.timeout(10):
        for _ in range(6):
            await pilot.pause()


@pytest.mark.parametrize("size", [*SIZES, (40, 12)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("theme", THEMES)
def test_the_main_screen_after_a_turn(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    assert snap_compare(StageApp(STORY, theme=theme), terminal_size=size, run_before=settled)


@pytest.mark.parametrize("theme", THEMES)
def test_the_main_screen_while_it_waits(snap_compare: Compare, theme: str) -> None:
    assert snap_compare(StageApp(WAITING, theme=theme), terminal_size=(120, 40), run_before=settled)


def test_the_main_screen_before_the_first_turn(snap_compare: Compare) -> None:
    assert snap_compare(StageApp(()), terminal_size=(120, 40), run_before=settled)


@pytest.mark.parametrize("tab", ["trace", "tools"])
def test_a_tab_of_a_narrow_screen(snap_compare: Compare, tab: str) -> None:
    assert snap_compare(StageApp(STORY, tab=tab), terminal_size=(80, 24), run_before=settled)


@pytest.mark.parametrize("size", [*SIZES, (40, 12)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("theme", THEMES)
def test_the_approval_modal(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    async def ask(pilot: Pilot[Any]) -> None:
        screen = ApprovalScreen(
            request(),
            lambda result: None,
            palette_of(theme),
            clock=iter(range(1_000)).__next__,
            now=lambda: START + 12,
        )
        pilot.app.call_later(pilot.app.push_screen, screen)
        await settled(pilot)
        await pilot.press("y")
        await settled(pilot)

    assert snap_compare(StageApp(WAITING, theme=theme), terminal_size=size, run_before=ask)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_help(snap_compare: Compare, size: tuple[int, int]) -> None:
    async def ask(pilot: Pilot[Any]) -> None:
        pilot.app.call_later(pilot.app.push_screen, HelpScreen(palette_of("graphite")))
        await settled(pilot)

    assert snap_compare(StageApp(STORY), terminal_size=size, run_before=ask)
