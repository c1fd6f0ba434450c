"""What the inspector, runs again and the form look like; after a change that is meant, look first."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import TextArea

from tests.tui.panel_app import Story
from tests.tui.stage import StageApp, palette_of
from workbench.tui.comparer import Comparer
from workbench.tui.palette import Palette
from workbench.tui.rerun import Rerun
from workbench.tui.screens.call_form import CallForm
from workbench.tui.screens.inspector import InspectorScreen
from workbench.tui.screens.rerun import RerunScreen
from workbench.tui.screens.reruns import RerunsScreen
from workbench.tui.trace_model import TraceModel
from workbench.tui.trace_records import Entry

Compare = Callable[..., bool]
THEMES = ("graphite", "paper")
SIZES = ((120, 40), (80, 24), (40, 12))

TRACEBACK = """\
Traceback (most recent call last):
  File "tools/bank.py", line 58, in convert
    return amount * table.rate(source)
                    ~~~~~~~~~~^^^^^^^^
  File "tools/rates.py", line 41, in Rates.rate
    return self.per_base[source]
           ~~~~~~~~~~~~~^^^^^^^^
KeyError: 'USD'
"""
FAILED = {
    "error": "'USD'",
    "error_type": "KeyError",
    "result": "Error executing convert: KeyError: 'USD'",
    "traceback": TRACEBACK,
    "failing_frame": {
        "file": "tools/rates.py",
        "function": "Rates.rate",
        "line": 41,
        "locals": {
            "self": "<Rates of 2026-11-30>",
            "source": "'USD'",
            "per_base": "{'EUR': 1.0, 'GBP': 0.87}",
        },
    },
}
ROWS: list[dict[str, Any]] = [
    {"city": city, "high": 19 + n, "wind": 3.5 * n, "rain": n % 2 == 1}
    for n, city in enumerate(("Lima", "Oslo", "Osaka"))
]
NESTED = {
    "city": "Lima",
    "days": [{"high": 19, "low": 14}, {"high": 21, "low": 15}],
    "note": "The wind comes from the west, and in the evening from the sea; take a coat for the boat.",
    "source": None,
}


@pytest.fixture(autouse=True)
def one_time_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The same time of day everywhere."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def called(status: str = "success", **more: Any) -> list[Entry]:
    story = Story("assistant")
    story.begin("What is the weather in Lima?")
    story.ask_model()
    story.answer(1.0)
    (call,) = story.batch("bank.convert", amount=120.5, source="USD", target="EUR")
    story.run(call, 9, status, **more)
    model = TraceModel(lambda start, removed, added: None)
    model.apply(story.take())
    return model.entries()


def shown(make: Callable[[Palette], Screen[Any]], theme: str, *keys: str) -> Callable[[Pilot[Any]], Any]:
    """Push the screen, press keys, and wait until all is drawn."""

    async def before(pilot: Pilot[Any]) -> None:
        pilot.app.call_later(pilot.app.push_screen, make(palette_of(theme)))
        async with asyncio.timeout(60):
            for _ in range(6):
                await pilot.pause()
            await pilot.press(*keys)
            for _ in range(6):
                await pilot.pause()

    return before


def compared(
    compare: Compare, make: Callable[[Palette], Screen[Any]], theme: str, size: tuple[int, int], *keys: str
) -> bool:
    return compare(StageApp((), theme=theme), terminal_size=size, run_before=shown(make, theme, *keys))


sizes = pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
themes = pytest.mark.parametrize("theme", THEMES)


@sizes
@themes
def test_the_inspector_on_an_error(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    found = called("error", **FAILED)
    assert compared(snap_compare, lambda palette: InspectorScreen(found, 1, palette), theme, size)


@sizes
def test_a_result_as_a_tree(snap_compare: Compare, size: tuple[int, int]) -> None:
    found = called(result=json.dumps(NESTED))
    assert compared(snap_compare, lambda p: InspectorScreen(found, 1, p), "graphite", size, "down")


@sizes
def test_a_result_as_a_table(snap_compare: Compare, size: tuple[int, int]) -> None:
    found = called(result=json.dumps(ROWS))
    assert compared(snap_compare, lambda p: InspectorScreen(found, 1, p), "graphite", size)


def rerun(old: str, new: str, **more: Any) -> Rerun:
    run = Rerun.of(called(result=old)[1])
    run.state = "ended"
    run.data = {**run.entry.data, "result": new, "timing": 12.0, "status": "success", **more}
    Comparer(nothing, nothing, nothing).begin([run])
    return run


def nothing(*_: Any) -> None:
    return None


@sizes
@themes
def test_two_runs_with_json(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    new = [{**row, "high": row["high"] + n} for n, row in enumerate(ROWS)] + [{"city": "Lagos", "high": 31}]
    run = rerun(json.dumps(ROWS), json.dumps(new))
    assert compared(snap_compare, lambda p: RerunScreen(run, p, stop=nothing, traced=nothing), theme, size)


@sizes
def test_two_runs_with_text(snap_compare: Compare, size: tuple[int, int]) -> None:
    run = rerun("Lima\n19 degrees\nwind from the west\nno rain", "Lima\n21 degrees\nwind from the west\n")
    assert compared(
        snap_compare, lambda p: RerunScreen(run, p, stop=nothing, traced=nothing), "graphite", size
    )


@sizes
def test_a_list_of_calls_that_ran_again(snap_compare: Compare, size: tuple[int, int]) -> None:
    runs = [
        rerun("a", "a"),
        rerun("[1]", "[2]"),
        rerun("a", "x", status="error", error="x"),
        Rerun.of(called(result="a")[1]),
    ]
    assert compared(
        snap_compare, lambda p: RerunsScreen("4 calls, run again", runs, p, stop=nothing), "graphite", size
    )


PARAMETERS = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "Where."},
        "days": {"type": "integer", "description": "How many.", "default": 3},
        "unit": {"enum": ["celsius", "fahrenheit"], "description": "Of the degrees.", "default": "celsius"},
        "rain": {"type": "boolean", "default": False},
        "places": {"type": "array", "items": {"type": "string"}, "description": "More places."},
    },
    "required": ["city"],
}


@sizes
@themes
def test_the_form(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    def make(palette: Palette) -> CallForm:
        form = CallForm(
            "weather.forecast",
            "The forecast of a city.",
            PARAMETERS,
            {"city": "Lima"},
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

    assert compared(snap_compare, make, theme, size, "tab", "end", "x")
