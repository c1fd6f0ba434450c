"""Texts that want to do harm, on every screen, at every size, while the size changes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from rich.cells import cell_len
from textual.app import App
from textual.pilot import Pilot
from textual.widget import Widget

from tests.tui.driving import driven
from tests.tui.hostile import ALL, HOSTILE, SCREENS, story
from tests.tui.stage import AGENT, START, StageApp, palette_of
from workbench.tui import events
from workbench.tui.activity import ActivityTracker
from workbench.tui.panels.status import Activity
from workbench.tui.screens.inspector import InspectorScreen
from workbench.visible import visible, visible_line

SIZES = ((120, 40), (40, 12), (300, 100), (60, 16), (104, 30), (80, 24), (41, 13), (200, 50))
TINY = ((28, 6), (24, 9), (12, 4), (8, 3), (6, 4), (5, 2), (3, 1), (1, 1))


async def settled(pilot: Pilot[Any]) -> None:
    async with asyncio.timeout(60):
        for _ in range(4):
            await pilot.pause()


def faults(app: App[Any], size: tuple[int, int]) -> list[str]:
    """What is wrong with the screen as it is painted: rows of another width, characters that act."""
    width, height = size
    strips = app.screen._compositor.render_strips()
    found = [f"{len(strips)} rows"] if len(strips) != height else []
    for y, strip in enumerate(strips):
        text = strip.text
        if cell_len(text) != width:
            found.append(f"row {y} has {cell_len(text)} cells: {text!r}")
        found += [f"row {y} has {char!r}" for char in text if acts(char)]
    # a tooltip that is a plain string would be read as markup
    told = [widget for widget in app.screen.walk_children(Widget) if isinstance(widget.tooltip, str)]
    return [*found, *(f"{widget} has the tooltip {widget.tooltip!r}" for widget in told)]


def acts(char: str) -> bool:
    """Whether a terminal would do something else than show the character."""
    return (
        ord(char) < 0x20
        or 0x7F <= ord(char) < 0xA0
        or char in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029"
    )


def activity(until: int) -> Activity | None:
    """What goes on in the middle of the story: ``until`` is the first event that has not happened."""
    tracker = ActivityTracker()
    tracker.apply(story(ALL)[1:until])
    return tracker.activity(START + 9)


@pytest.mark.parametrize(
    "happened",
    [
        [events.LoadProgress("", START, 0, 2, ALL)],
        [*story(ALL)[1:4], events.ModelDelta(ALL, START, "status", ALL)],
        story(ALL)[1:-3],
    ],
    ids=["loading", "asking", "running"],
)
def test_what_goes_on_is_told_in_characters_that_do_nothing(happened: list[events.AgentEvent]) -> None:
    tracker = ActivityTracker()
    tracker.apply(happened)
    told = tracker.activity(START + 9)
    assert told is not None
    assert "[a=b" in told.what
    assert not any(acts(char) for text in (told.what, *told.details) for char in text)


async def walk(pilot: Pilot[Any], sizes: Sequence[tuple[int, int]] = SIZES) -> None:
    """Through the sizes; at each the screen is whole."""
    for size in sizes:
        await pilot.resize_terminal(*size)
        await settled(pilot)
        assert faults(pilot.app, size) == [], size


@pytest.mark.parametrize("panel", ["prompt", "conversation", "trace", "tools"])
async def test_every_panel_stays_whole_at_every_size(panel: str) -> None:
    app = StageApp(story(ALL), tab=panel)
    async with app.run_test(size=(120, 40), notifications=True, tooltips=True) as pilot:
        await settled(pilot)
        app.main.prompt.invite(ALL)
        app.main.queue.show([ALL, ALL])
        app.main.tick(START + 9, activity(-4))
        status = app.main.top_line.status
        status.agent, status.model = "[b]" * 20, "[/]" * 20
        app.notify(visible(ALL), title=visible_line(ALL), markup=False, timeout=60)
        await walk(pilot)
        for key in ("enter", "down", "enter", "right", "end"):
            await pilot.press(key)
            await settled(pilot)
            assert faults(app, SIZES[-1]) == [], key


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_each_text_alone_breaks_no_panel(text: str) -> None:
    app = StageApp(story(text))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        app.notify(visible(text), title=visible_line(text), markup=False, timeout=60)
        await walk(pilot, ((120, 40), (40, 12)))


@pytest.mark.parametrize("name", SCREENS)
async def test_every_screen_stays_whole_at_every_size(name: str) -> None:
    app = StageApp(story(ALL))
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await settled(pilot)
        screen = SCREENS[name](palette_of("graphite"))
        app.call_later(app.push_screen, screen)
        await settled(pilot)
        assert app.screen is screen
        await walk(pilot)


@pytest.mark.parametrize("name", ["main", "inspector", *SCREENS])
async def test_no_terminal_is_too_small_for_a_screen_to_live_on(name: str) -> None:
    app = StageApp(story(ALL))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        palette = palette_of("graphite")
        if name != "main":
            entries = app.main.trace.entries()
            inspector = InspectorScreen(entries, len(entries) - 1, palette)
            app.call_later(app.push_screen, SCREENS[name](palette) if name in SCREENS else inspector)
            await settled(pilot)
        for size in TINY:
            await pilot.resize_terminal(*size)
            await settled(pilot)
            assert app.screen.size == size
        await walk(pilot, [(120, 40)])


async def test_what_the_app_notifies_is_plain_text_whoever_asks() -> None:
    async with driven(notifications=True) as it:
        it.app.call_later(it.app.notify, ALL[:400], title=ALL[:200], timeout=60)
        await it.until(lambda: it.app._notifications)
        await settled(it.pilot)
        assert faults(it.app, (120, 40)) == []
        (note,) = it.app._notifications
        assert not note.markup


@pytest.mark.parametrize("key", ["enter", "right"])
async def test_a_failure_to_load_is_read_whole_in_the_conversation(key: str) -> None:
    app = StageApp(
        [events.LoadFailed("", START, "tools.py", f"{'word ' * 60}the end [b", "line 7")], tab="tools"
    )
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("home", key)
        await settled(pilot)
        assert app.main.focused_panel == "conversation"
        shown = " ".join(" ".join(strip.text for strip in app.screen._compositor.render_strips()).split())
        assert "tools.py was not loaded" in shown
        assert "the end [b" in shown
        assert "At line 7." in shown


async def test_every_page_of_the_inspector_stays_whole_at_every_size() -> None:
    app = StageApp(story(ALL))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        entries = app.main.trace.entries()
        assert len(entries) == 2
        for index in range(len(entries)):
            screen = InspectorScreen(entries, index, palette_of("paper"))
            app.call_later(app.push_screen, screen)
            await settled(pilot)
            for _ in range(5):
                await walk(pilot, ((120, 40), (40, 12)))
                await pilot.press("tab")
            await pilot.press("escape")
            await settled(pilot)


async def test_the_size_changes_while_an_answer_comes_and_a_question_is_open() -> None:
    app = StageApp(())
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        head = [
            events.TurnStarted(AGENT, START, 1, "go"),
            events.ModelStarted(AGENT, START, 1, 1, "offline"),
        ]
        app.main.apply(head)
        for at, size in enumerate(SIZES):
            app.main.apply(
                [events.ModelDelta(AGENT, START + at, "text", f"| a | b |\n|---|---|\n| {ALL} | x |\n\n")]
            )
            app.main.tick(START + at, Activity("●", "accent", "answering", (), START))
            await pilot.resize_terminal(*size)
            await settled(pilot)
            assert faults(app, size) == []
        screen = SCREENS["approval"](app.palette)
        app.call_later(app.push_screen, screen)
        await settled(pilot)
        for size, key in zip(SIZES, ("y", "down", "n", "right", "up", "left", "Y", "down"), strict=True):
            await pilot.press(key)
            await pilot.resize_terminal(*size)
            await settled(pilot)
            assert faults(app, size) == []
