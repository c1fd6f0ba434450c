"""What the screens look like; after a change that is meant, look first, then ``--snapshot-update``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tests.tui.stage import CALLS, START, STORY, WAITING, StageApp, palette_of, request
from workbench.providers.catalog import OFFLINE, ModelGroup, ModelInfo, Snapshot
from workbench.resources import resource_folder
from workbench.tui import events
from workbench.tui.approval import SWITCHED_OFF, UNFIT
from workbench.tui.filter_line import FilterLine
from workbench.tui.looks import Looks
from workbench.tui.screens.approval import ApprovalScreen
from workbench.tui.screens.help import HelpScreen
from workbench.tui.screens.main import MainScreen
from workbench.tui.screens.models import ModelsScreen
from workbench.tui.screens.themes import ThemesScreen

Compare = Callable[..., bool]
MODELS = Snapshot(
    (
        OFFLINE,
        ModelGroup(
            "Ollama on this machine",
            "running",
            (ModelInfo("ollama_chat/qwen3:8b", None, 0.0, 0.0, "http://127.0.0.1:11434"),),
        ),
        ModelGroup(
            "openai",
            "key set",
            (
                ModelInfo("openai/gpt-5", 400_000, 1.25, 10.0, takes_images=True),
                ModelInfo("openai/gpt-5-mini", 400_000, 0.25, 2.0, takes_images=True),
                ModelInfo("openai/o4-mini-deep-research-2025-06-26", 200_000, 2.0, None, takes_images=True),
            ),
            ("OPENAI_API_KEY",),
        ),
        ModelGroup(
            "anthropic", "no key", (ModelInfo("anthropic/claude-sonnet-4-5"),), ("ANTHROPIC_API_KEY",)
        ),
        ModelGroup("gemini", "no key", (ModelInfo("gemini/x"),) * 12, ("GEMINI_API_KEY", "GOOGLE_API_KEY")),
    ),
    "asking the model library",
)
THEMES = ("graphite", "paper")
ALL_THEMES = sorted(path.stem for path in resource_folder("themes").glob("*.yaml"))
SIZES = ((120, 40), (80, 24))


async def settled(pilot: Pilot[Any]) -> None:
    """Everything that was asked for has been drawn."""
    async with asyncio.timeout(60):
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


@pytest.mark.parametrize("size", [*SIZES, (40, 12)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_an_approval_with_calls_that_cannot_run(snap_compare: Compare, size: tuple[int, int]) -> None:
    unfit = events.CallInfo("4", "files.read_file", {"paths": ["a"], "limit": "all"}, "deny", UNFIT)
    off = events.CallInfo("5", "files.delete_file", {"path": "old.txt"}, "deny", SWITCHED_OFF)
    asked = replace(request(), calls=(CALLS[1], unfit, CALLS[0], off))

    async def ask(pilot: Pilot[Any]) -> None:
        screen = ApprovalScreen(
            asked,
            lambda result: None,
            palette_of("graphite"),
            clock=iter(range(1_000)).__next__,
            now=lambda: START + 12,
        )
        pilot.app.call_later(pilot.app.push_screen, screen)
        await settled(pilot)
        await pilot.press("down")
        await settled(pilot)

    assert snap_compare(StageApp(WAITING), terminal_size=size, run_before=ask)


@pytest.mark.parametrize("size", [(120, 40), (40, 12)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("text", ["nowhere", "status:error"], ids=["nothing", "something"])
def test_a_trace_that_is_filtered(snap_compare: Compare, text: str, size: tuple[int, int]) -> None:
    async def filtered(pilot: Pilot[Any]) -> None:
        app = pilot.app
        assert isinstance(app, StageApp)
        await settled(pilot)
        await pilot.press("slash")
        line = app.main.trace.query_one(FilterLine).query_one(Input)
        line.cursor_blink = False
        line.value = text
        await settled(pilot)

    assert snap_compare(StageApp(STORY, tab="trace"), terminal_size=size, run_before=filtered)


@pytest.mark.parametrize("theme", sorted({*ALL_THEMES} - {*THEMES}))
def test_the_main_screen_in_each_theme(snap_compare: Compare, theme: str) -> None:
    assert snap_compare(StageApp(STORY, theme=theme), terminal_size=(120, 40), run_before=settled)


@pytest.mark.parametrize(
    "looks",
    [Looks("no glyphs"), Looks("ascii", colours=False), Looks(colours=False)],
    ids=["ascii", "ascii-no-colour", "no-colour"],
)
def test_the_main_screen_with_less(snap_compare: Compare, looks: Looks) -> None:
    app = StageApp(STORY, tab="trace", looks=looks)
    assert snap_compare(app, terminal_size=(120, 40), run_before=settled)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", [*SIZES, (40, 12)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_list_of_themes(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    async def ask(pilot: Pilot[Any]) -> None:
        themes = [palette_of(name) for name in ALL_THEMES]
        screen = ThemesScreen(themes, theme, palette_of(theme), lambda name: None)
        pilot.app.call_later(pilot.app.push_screen, screen)
        await settled(pilot)
        screen.query_one(Input).cursor_blink = False

    assert snap_compare(StageApp(STORY, theme=theme), terminal_size=size, run_before=ask)


@pytest.mark.parametrize("mode", ["strict", "open", "custom"])
def test_the_mode_of_approval(snap_compare: Compare, mode: str) -> None:
    async def choose(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        main = pilot.app.screen
        assert isinstance(main, MainScreen)
        main.top_line.status.approval = mode
        main.top_line.refresh()

    assert snap_compare(StageApp(()), terminal_size=(80, 24), run_before=choose)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_help(snap_compare: Compare, size: tuple[int, int]) -> None:
    async def ask(pilot: Pilot[Any]) -> None:
        pilot.app.call_later(pilot.app.push_screen, HelpScreen(palette_of("graphite")))
        await settled(pilot)

    assert snap_compare(StageApp(STORY), terminal_size=size, run_before=ask)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("theme", THEMES)
def test_the_list_of_models(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    async def ask(pilot: Pilot[Any]) -> None:
        screen = ModelsScreen("openai/gpt-5-mini", palette_of(theme))
        pilot.app.call_later(pilot.app.push_screen, screen)
        await settled(pilot)
        screen.query_one(Input).cursor_blink = False
        screen.show(MODELS)
        await settled(pilot)

    assert snap_compare(StageApp(STORY, theme=theme), terminal_size=size, run_before=ask)
