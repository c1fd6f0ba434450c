"""What debugging looks like; after a change that is meant, look first, then ``--snapshot-update``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from tests.tui.panel_app import Story
from tests.tui.stage import AGENT, START, STORY, StageApp, palette_of
from tests.tui.test_snapshots import SIZES, THEMES, settled
from workbench.tui import events
from workbench.tui.pause import PauseRequest
from workbench.tui.screens.breakpoints import BreakpointsScreen
from workbench.tui.screens.fault import FaultScreen
from workbench.tui.screens.pause import PauseScreen

Compare = Callable[..., bool]
ALL_SIZES = (*SIZES, (40, 12))

POINTS = (
    events.BreakRow("files.read_file", "before", "arguments['path'].startswith('/etc')"),
    events.BreakRow("files.*", "on error"),
    events.BreakRow("web.fetch", "after", enabled=False),
)
FAULTS = (events.FaultRow("web.fetch", "raise ConnectionError", 2),)
READ = events.ToolRow(
    "files.read_file",
    True,
    tags=("read-only",),
    description="Read a text file.",
    tokens=118,
    findings=("path is described by its name alone. Say what it is.",),
    grants=(events.GrantRow("1", "files.read_*", {"path": "docs/*"}, "project", START),),
)


def three_turns() -> tuple[events.AgentEvent, ...]:
    """Two turns that went well, and one with a pause, a fault, a wait and parallel calls."""
    story = Story(AGENT)
    story.now = START
    for prompt, tool in (
        ("Which stations are there?", "files.list_files"),
        ("How warm is Lima?", "web.fetch"),
    ):
        story.begin(prompt)
        story.ask_model(0.4)
        story.answer(0.9)
        (call,) = story.batch(tool)
        story.run(call, 120)
        story.ask_model(0.3)
        story.answer(0.5)
        story.end()
    story.begin("Complete the report of March.")
    story.ask_model(0.5)
    story.answer(1.0)
    read, fetch = story.batch("files.read_file", "web.fetch", path="/etc/stations")
    story.start(read)
    _pause(story, read, "before", 12.4)
    story.now += 0.24
    story.finish(read, 240)
    error = {"error": "the line is down", "error_type": "ConnectionError"}
    story.run(fetch, 35, "error", fault="raise ConnectionError", **error)
    story.ask_model(0.4)
    story.answer(1.2)
    story.end()
    off = events.ToolRow("arithmetic.mean", False, "maintenance", ("read-only",))
    told: list[events.AgentEvent] = [
        events.ToolsChanged(AGENT, START, "metadata_update", READ.name, None, READ),
        events.BreakpointsChanged("", START, POINTS),
        events.FaultsChanged("", START, FAULTS),
        *story.take(),
        events.ToolsChanged(AGENT, story.now, "disable", off.name, off.reason, off, by="code"),
    ]
    return tuple(told)


def _pause(story: Story, call: events.CallInfo, when: Any, seconds: float) -> None:
    story.events.append(events.PauseStarted(AGENT, story.now, call.id, call.name, when))
    story.now += seconds
    story._waited += seconds
    story.events.append(events.PauseFinished(AGENT, story.now, call.id, seconds * 1000, "continue"))


def opened(make: Callable[[], Screen[None]], *keys: str) -> Callable[[Pilot[Any]], Any]:
    """Put a screen on top and press keys there."""

    async def open_it(pilot: Pilot[Any]) -> None:
        screen = make()
        pilot.app.call_later(pilot.app.push_screen, screen)
        await settled(pilot)
        if isinstance(screen, BreakpointsScreen):
            screen.show(POINTS, step=False)
        await pilot.press(*keys)
        await settled(pilot)
        assert pilot.app.screen is screen  # else a picture of what lies below is kept

    return open_it


async def unfolded(pilot: Pilot[Any]) -> None:
    """All about one tool, and the legend of the trace."""
    app = pilot.app
    assert isinstance(app, StageApp)
    await settled(pilot)
    app.main.focus_panel("trace")
    await settled(pilot)
    await pilot.press("question_mark")
    app.main.focus_panel("tools")
    await settled(pilot)
    rows = app.main.tools.focus_target
    rows.go_to(next(at for at, row in enumerate(rows.rows) if getattr(row, "label", "") == "read_file"))
    await pilot.press("right")
    await settled(pilot)


@pytest.mark.parametrize("size", ALL_SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("theme", THEMES)
def test_three_turns_with_a_pause_and_a_tool_unfolded(
    snap_compare: Compare, theme: str, size: tuple[int, int]
) -> None:
    app = StageApp(three_turns(), theme=theme)
    assert snap_compare(app, terminal_size=size, run_before=unfolded)


def test_the_trace_of_a_narrow_screen_with_a_pause(snap_compare: Compare) -> None:
    app = StageApp(three_turns(), tab="trace")
    assert snap_compare(app, terminal_size=(80, 24), run_before=settled)


BEFORE = (
    {
        "tool_name": "files.list_files",
        "arguments": {"folder": "/etc"},
        "call_id": "call_1",
        "result": "stations",
        "status": "success",
        "timing": 12.4,
        "iteration": 1,
    },
    {
        "tool_name": "web.fetch",
        "arguments": {"url": "https://example.org/stations"},
        "call_id": "call_2",
        "result": "Error executing web.fetch: TimeoutError",
        "error": "TimeoutError",
        "status": "error",
        "timing": 3012.0,
        "iteration": 1,
    },
)
MESSAGES = (
    {"role": "system", "content": "You help."},
    {"role": "user", "content": "Read the stations and say which are new."},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {
                "id": "call_8fK2vQ1x",
                "type": "function",
                "function": {"name": "files-read_file", "arguments": '{"path": "/etc/stations"}'},
            }
        ],
    },
)
FAILED = {
    "status": "error",
    "timing": 41.2,
    "timestamp": START,
    "error": "no stations",
    "error_type": "FileNotFoundError",
    "traceback": 'Traceback (most recent call last):\n  File "tools/files.py", line 31, in read_file\n'
    "    return path.read_text()\nFileNotFoundError: no stations\n",
    "failing_frame": {"function": "read_file", "line": 31, "locals": {"path": "PosixPath('/etc/stations')"}},
    "output": "opening /etc/stations\n",
}


def request(**more: Any) -> PauseRequest:
    """A call of an agent within a tool."""
    facts: Mapping[str, Any] = {
        "agent": "assistant › ask_helper › helper",
        "turn": 3,
        "iteration": 2,
        "when": "before",
        "tool": "files.read_file",
        "call_id": "call_8fK2vQ1x",
        "arguments": {
            "path": "/etc/stations",
            "lines": [1, 40],
            "note": "two\nlines \x1b[31mand\u202e more\n",
        },
        "because": "before each call where arguments['path'].startswith('/etc')",
        "task": "Read the stations and say which are new.",
        "before": BEFORE,
        "messages": MESSAGES,
        "sent": 2,
        "opened": START,
        **more,
    }
    return PauseRequest(**facts)


def paused(theme: str, **more: Any) -> PauseScreen:
    return PauseScreen(
        request(**more),
        lambda resume: None,
        palette_of(theme),
        clock=iter(range(0, 100_000, 100)).__next__,
        now=lambda: START + 12,
    )


@pytest.mark.parametrize("size", ALL_SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("theme", THEMES)
def test_a_pause_before_a_call(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    assert snap_compare(
        StageApp(STORY, theme=theme), terminal_size=size, run_before=opened(lambda: paused(theme))
    )


def test_a_pause_after_a_call_that_failed(snap_compare: Compare) -> None:
    error = "Error executing files.read_file: FileNotFoundError: no stations"
    make = partial(paused, "graphite", when="after", error=error, details=FAILED)
    assert snap_compare(StageApp(STORY), terminal_size=(120, 40), run_before=opened(make))


@pytest.mark.parametrize("size", ALL_SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_pause_with_a_result_that_was_made_up(snap_compare: Compare, size: tuple[int, int]) -> None:
    keys = ("k", *"None", "ctrl+s")
    shown = opened(lambda: paused("graphite"), *keys)
    assert snap_compare(StageApp(STORY), terminal_size=size, run_before=shown)


@pytest.mark.parametrize("size", [(120, 40), (40, 12)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_pause_with_a_result_that_was_edited(snap_compare: Compare, size: tuple[int, int]) -> None:
    make = partial(paused, "graphite", when="after", error="Error executing files.read_file", details=FAILED)
    shown = opened(make, "r", *"None. ", "ctrl+s")
    assert snap_compare(StageApp(STORY), terminal_size=size, run_before=shown)


def test_editing_the_arguments_at_a_pause(snap_compare: Compare) -> None:
    assert snap_compare(
        StageApp(STORY), terminal_size=(120, 40), run_before=opened(lambda: paused("graphite"), "e")
    )


@pytest.mark.parametrize("size", ALL_SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("tool", ["", "files.read_file"], ids=["all", "one"])
def test_the_breakpoints(snap_compare: Compare, tool: str, size: tuple[int, int]) -> None:
    make = partial(
        BreakpointsScreen,
        palette_of("graphite"),
        put=lambda row, old: None,
        remove=lambda row: None,
        step=lambda: None,
        tool=tool,
        condition="len(arguments['path']) >" if tool else "",
    )
    assert snap_compare(StageApp(STORY), terminal_size=size, run_before=opened(make))


@pytest.mark.parametrize("size", ALL_SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("theme", THEMES)
def test_choosing_a_fault(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    make = partial(
        FaultScreen,
        palette_of(theme),
        "files.read_file",
        "raise ConnectionError: the line is down 2 times",
        put=lambda fault: None,
        clear=lambda: None,
    )
    assert snap_compare(StageApp(STORY, theme=theme), terminal_size=size, run_before=opened(make))
