"""What less common states of the lab look like; after a change that is meant, look first."""

from __future__ import annotations

import asyncio
import base64
import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PIL import Image, ImageDraw
from textual.pilot import Pilot
from textual.widgets import TextArea

from tests.tui.panel_app import Story
from tests.tui.stage import StageApp
from tests.tui.test_inspector import schema
from tests.tui.test_lab_snapshots import (
    Compare,
    called,
    compared,
    nothing,
    one_time_zone,
    shown,
    sizes,
    themes,
)
from workbench.engine.request_log import Sent
from workbench.tui import events
from workbench.tui.inspector_about import About
from workbench.tui.palette import Palette
from workbench.tui.rerun import Rerun
from workbench.tui.screens.call_form import CallForm
from workbench.tui.screens.earlier_calls import EarlierCallsScreen
from workbench.tui.screens.inspector import InspectorScreen
from workbench.tui.screens.rerun import RerunScreen
from workbench.tui.screens.save_test import SaveTestScreen
from workbench.tui.screens.tool import ToolScreen
from workbench.tui.trace_records import Entry

__all__ = ["one_time_zone"]


def sent() -> About:
    """A request that offered other schemas than the one before."""
    city, days = {"type": "string"}, {"type": "integer", "minimum": 1}
    before = (schema("bank-convert", amount={"type": "number"}), schema("weather-now", city=city))
    now = (
        before[0],
        schema("weather-now", city=city, days=days),
        schema("files-search_everything_below_a_folder", words={"type": "array", "items": city}),
    )
    return About(Sent(({"role": "user", "content": "hi"},), {}, 1, 0, now, (*before, schema("gone"))))


@sizes
@themes
def test_the_schemas_of_a_request(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    found = called(result="9")

    def make(palette: Palette) -> InspectorScreen:
        return InspectorScreen(found, 0, palette, lambda _: sent())

    assert compared(snap_compare, make, theme, size, "right", "right")


def plot() -> str:
    """A picture as a tool gives it: bars under a sky."""
    image = Image.new("RGB", (64, 32), "#203040")
    draw = ImageDraw.Draw(image)
    for place, height in enumerate((4, 9, 15, 12, 22, 27, 18, 7)):
        draw.rectangle((place * 8 + 1, 31 - height, place * 8 + 6, 31), fill="#e0a040")
    draw.ellipse((50, 2, 58, 10), fill="#f0e0c0")
    file = io.BytesIO()
    image.save(file, "PNG")
    return "base64:" + base64.b64encode(file.getvalue()).decode()


@sizes
@themes
def test_a_result_that_is_a_picture(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    found = called(result=plot())
    open_it = shown(lambda palette: InspectorScreen(found, 1, palette), theme)

    async def drawn(pilot: Pilot[Any]) -> None:
        await open_it(pilot)
        async with asyncio.timeout(60):
            while not any("▀" in strip.text for strip in pilot.app.screen._compositor.render_strips()):
                await pilot.pause()

    assert snap_compare(StageApp((), theme=theme), terminal_size=size, run_before=drawn)


NULLABLE = {
    "type": "object",
    "properties": {
        "text": {
            "anyOf": [{"type": "string"}, {"type": "null"}],
            "description": "What is noted; null for none.",
        },
        "author": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": "Ann"},
        "stars": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
    },
    "required": ["text"],
}


@sizes
@themes
def test_a_form_with_a_text_that_is_null(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    def make(palette: Palette) -> CallForm:
        form = CallForm(
            "notes.add",
            "Add a note.",
            NULLABLE,
            {},
            palette,
            check=nothing,
            run=nothing,
            stop=nothing,
            traced=nothing,
        )
        for field in form.editor.form.fields if form.editor.form is not None else ():
            if isinstance(field.editor, TextArea):
                field.editor.cursor_blink = False
        return form

    assert compared(snap_compare, make, theme, size, "ctrl+n")


def several_agents() -> Sequence[events.AgentEvent]:
    """A planner asks two agents at once; one of them asks a third, and fails."""
    planner = Story("planner")
    planner.begin("Plan a week in Lima")
    planner.ask_model(0.3)
    planner.answer(0.8)
    weather, hotels = planner.batch("ask_weather", "ask_hotels", city="Lima")
    planner.start(weather)
    planner.start(hotels)
    told = planner.take()
    told += inner("weather", planner.now + 0.1, weather.id, told_by("weather-service", planner.now + 0.9))
    told += inner("hotels", planner.now + 0.2, hotels.id, [])
    planner.now += 3.1
    planner.finish(hotels, 2_600.0, result="The Sea View")
    planner.finish(weather, 3_100.0, "error", error="no forecast", error_type="RuntimeError")
    planner.ask_model(0.4)
    planner.answer(1.1)
    planner.end()
    return [*told, *planner.take()]


def inner(agent: str, start: float, call: str, within: list[events.AgentEvent]) -> list[events.AgentEvent]:
    """The turn of an agent inside a call; what is ``within`` happens in the call that it makes itself."""
    story = Story(agent, inner=True)
    story.now = start
    story.begin(f"for {agent}")
    story.ask_model(0.2)
    story.answer(0.5)
    (find,) = story.batch("web.search", query=agent)
    story.start(find)
    before = story.take()
    story.now += 0.9
    story.finish(find, 900.0, result="found")
    story.ask_model(0.1)
    story.answer(0.4)
    story.end()
    first = before[0]
    assert isinstance(first, events.TurnStarted)
    return [replace(first, parent_call_id=call), *before[1:], *within, *story.take()]


def told_by(agent: str, start: float) -> list[events.AgentEvent]:
    story = Story(agent, inner=True)
    story.now = start
    story.begin("a forecast")
    story.ask_model(0.2)
    story.answer(0.3, status="error", error="the service is down")
    story.end("error", "the service is down")
    return story.take()


@sizes
@themes
def test_a_trace_of_several_agents(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    tab = "trace" if size[0] < 100 else "prompt"
    assert snap_compare(StageApp(several_agents(), theme=theme, tab=tab), terminal_size=size)


@sizes
def test_choosing_a_call_to_run_again_at_a_pause(snap_compare: Compare, size: tuple[int, int]) -> None:
    calls = [entry for entry in [*called("error", error="x"), *called(result="9")] if entry.kind == "tool"]
    assert compared(snap_compare, lambda p: EarlierCallsScreen(calls, p), "graphite", size)


@sizes
def test_two_long_results_that_are_being_compared(snap_compare: Compare, size: tuple[int, int]) -> None:
    entry: Entry = called(result="old")[1]
    run = Rerun.of(entry)
    run.state, run.comparing = "ended", "now"
    run.data = {**entry.data, "result": "new", "fault": "huge 5MB"}
    assert compared(
        snap_compare, lambda p: RerunScreen(run, p, stop=nothing, traced=nothing), "graphite", size
    )


@sizes
def test_saving_a_test_with_doubts(snap_compare: Compare, size: tuple[int, int]) -> None:
    doubts = (
        "The same arguments gave other results too: this may fail though the tool is right.",
        "The result has 123,456 characters: its SHA-256 stands for it.",
    )

    def make(palette: Palette) -> SaveTestScreen:
        screen = SaveTestScreen("bank.convert", "tests/test_convert_1.py", doubts, lambda _: "", palette)
        screen._field.cursor_blink = False
        return screen

    assert compared(snap_compare, make, "graphite", size)


CHAIN = """\
Traceback (most recent call last):
  File "tools/rates.py", line 41, in Rates.rate
    return self.per_base[source]
           ~~~~~~~~~~~~~^^^^^^^^
KeyError: 'USD'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "tools/rates.py", line 44, in Rates.rate
    raise LookupError(f"no rate for {source} on {self.day}, nor on any of the seven days before it")
LookupError: no rate for USD on 2026-11-30, nor on any of the seven days before it

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "tools/bank.py", line 61, in convert
    raise RuntimeError("the amount could not be converted") from problem
RuntimeError: the amount could not be converted
"""


@sizes
@themes
def test_the_inspector_on_a_chain_of_errors(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    places = (("rates.py", "Rates.rate", 41), ("rates.py", "Rates.rate", 44), ("bank.py", "convert", 61))
    frames = [
        {"file": f"tools/{file}", "function": function, "line": line, "locals": {"source": "'USD'"}}
        for file, function, line in places
    ]
    found = called(
        "error",
        error="the amount could not be converted",
        error_type="RuntimeError",
        result="Error executing bank.convert: RuntimeError: the amount could not be converted",
        traceback=CHAIN,
        frames=frames,
    )
    assert compared(snap_compare, lambda palette: InspectorScreen(found, 1, palette), theme, size)


TOOL_SAID = (
    ("does", "Read a text file.\n\nA file of more than a megabyte is read up to there, and it is said."),
    ("tags", "read-only"),
    ("permission", "runs without asking  read-only"),
    ("schema", "120 tok in each request"),
    ("lint", "nothing says what path means. Describe it under Args: in the docstring, with an example."),
    ("lint", "encoding may be anything. Name the few values that make sense: Literal['utf-8', 'latin-1']."),
    ("time", "mean 4 ms  p95 9 ms  of 12 calls"),
    ("wrong", "2 ×  path=7  path: expected a text, got 7.\nExpected: path (text), encoding (text)"),
    ("wrong", "     no arguments  path: missing. Expected: path (text), encoding (text)"),
    ("changed", "+encoding  code, now v2"),
)


def about_tool(palette: Palette) -> ToolScreen:
    return ToolScreen("files.read_file", TOOL_SAID, 4, palette)


@sizes
@themes
def test_all_about_a_tool(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    app = StageApp((), theme=theme)
    assert snap_compare(app, terminal_size=size, run_before=shown(about_tool, theme))
