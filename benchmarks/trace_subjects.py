"""Lists that take a trace live: our trace panel, and a bare virtual list of finished lines as the floor."""

from __future__ import annotations

import asyncio
import gc
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final, Protocol, cast

from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from benchmarks.screen import BenchDriver, Stage, resident, staged
from workbench.engine.llm import TokenUsage
from workbench.resources import resource_folder
from workbench.tui import events
from workbench.tui.filter_line import FilterLine
from workbench.tui.garbage import Garbage
from workbench.tui.panels.trace import TracePanel
from workbench.tui.themes import css_variables, load_theme, textual_theme
from workbench.tui.trace_filter import TraceFilter
from workbench.tui.trace_query import Query, parse

CALLS: Final = 9
"""Tool calls for each model call: together ten entries an iteration."""

QUERIES: Final = {
    "state": "status:error",
    "tool": "tool:read >10ms",
    "new text": "notes/99",
    "text": "notes/88",
}
"""What is filtered by; the new text is the first one that is looked for."""

FRAME: Final = 1 / 30
_AGENT: Final = "bench"
_START: Final = 1_764_500_000.0


def iterations(count: int) -> Iterator[list[events.AgentEvent]]:
    """The events of a turn that goes on and on, one iteration at a time."""
    now, number = _START, 0
    yield [events.TurnStarted(_AGENT, now, 1, "go on")]
    for iteration in range(1, count // (CALLS + 1) + 1):
        facts: list[events.AgentEvent] = [events.ModelStarted(_AGENT, now, 1, iteration, "model")]
        now += 0.4
        facts.append(events.ModelDelta(_AGENT, now, "text", "x"))
        entry = {"type": "llm_call", "status": "success", "duration_ms": 400.0, "usage": TokenUsage(900, 86)}
        facts.append(events.ModelFinished(_AGENT, now, entry, "text", CALLS))
        calls = tuple(
            events.CallInfo(f"call_{number + at}", "files.read_file", {"path": f"notes/{number + at}.txt"})
            for at in range(CALLS)
        )
        number += CALLS
        facts.append(events.BatchStarted(_AGENT, now, 1, iteration, calls))
        for call in calls:
            facts.append(events.ToolStarted(_AGENT, now, call.id, call.name, call.arguments))
            now += 0.02
            status = "error" if number % 450 == 0 and call is calls[-1] else "success"
            done = {"call_id": call.id, "tool_name": call.name, "status": status, "timing": 20.0}
            facts.append(events.ToolFinished(_AGENT, now, done))
        yield facts


class List(Protocol):
    """What is measured, and where the keys go."""

    @property
    def focus_target(self) -> Widget:
        """Takes the keys."""

    def apply(self, batch: Sequence[events.AgentEvent]) -> None:
        """Take in what happened."""


class ListApp(App[None]):
    """One list on the whole screen."""

    def __init__(self, widget: Callable[[Any], Widget]) -> None:
        palette = load_theme(resource_folder("themes") / "graphite.yaml")
        self._variables = css_variables(palette)
        super().__init__(driver_class=BenchDriver)
        self.register_theme(textual_theme(palette))
        self.theme = palette.name
        self.list = widget(palette)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return self._variables

    def compose(self) -> ComposeResult:
        yield self.list


class BareList(ScrollView, can_focus=True):
    """A virtual list of texts, the last one in view; nothing else."""

    def __init__(self, _palette: object) -> None:
        super().__init__()
        self.lines: list[str] = []

    @property
    def focus_target(self) -> Widget:
        """Itself."""
        return self

    def apply(self, batch: Sequence[events.AgentEvent]) -> None:
        """Append a line for each model call and each tool call that ended, and show the end."""
        self.lines += [
            f"{event.at} {event.entry['status']}"
            for event in batch
            if isinstance(event, events.ToolFinished | events.ModelFinished)
        ]
        self.virtual_size = Size(self.size.width, len(self.lines))
        self.scroll_to(y=self.max_scroll_y, animate=False, force=True)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        index = y + self.scroll_offset.y
        text = self.lines[index] if index < len(self.lines) else ""
        return Strip([Segment(text)], len(text)).extend_cell_length(self.size.width)


class Subject:
    """Measures a list by its app; each measure runs an app of its own."""

    widget: Callable[[Any], Widget]

    def append(self, entries: int) -> dict[str, float]:
        """Append entries at the rate at which they can be taken, a frame between the batches.

        µs of ``apply`` and of the whole process for an entry, and the longest stall of the loop in ms.
        """
        return asyncio.run(self._append(entries))

    def scroll(self, entries: int) -> dict[str, list[float]]:
        """Milliseconds from a key to the list scrolled: rows, pages, and from end to end."""
        return asyncio.run(self._scroll(entries))

    def filter(self, entries: int) -> dict[str, Any]:
        """Milliseconds of work for each of ``QUERIES``, and until it has gone through all entries with
        frames in between; the longest stall of the loop.
        """
        return asyncio.run(self._filter(entries))

    def memory(self, entries: int) -> dict[str, float]:
        """Bytes an entry of the panel's own, as Python allocates them; the events' data is not counted."""
        return asyncio.run(self._memory(entries))

    async def _append(self, entries: int) -> dict[str, float]:
        facts = list(iterations(entries))
        garbage = Garbage()
        garbage.install()
        garbage.rest()
        before = resident()
        async with staged(ListApp(type(self).widget)) as app:
            stage, panel = Stage(app), cast("List", app.list)
            await asyncio.sleep(0.2)
            stage.heart.reset()
            begin, spent, steps = time.process_time(), 0.0, 100
            for at in range(0, len(facts), steps):
                batch = [event for part in facts[at : at + steps] for event in part]
                applying = time.thread_time()
                with app._context():
                    panel.apply(batch)
                spent += time.thread_time() - applying
                await asyncio.sleep(FRAME)
            whole = time.process_time() - begin
            beats, held = stage.heart.held(), resident() - before
            stage.heart.stop()
        garbage.remove()
        return {
            "apply": spent / entries * 1e6,
            "whole": whole / entries * 1e6,
            **beats,
            "megabytes": held,
        }

    async def _scroll(self, entries: int) -> dict[str, list[float]]:
        async with staged(ListApp(type(self).widget)) as app:
            stage, panel = Stage(app), cast("List", app.list)
            with app._context():
                panel.apply([event for part in iterations(entries) for event in part])
                panel.focus_target.focus()
            await asyncio.sleep(0.3)
            gc.collect()
            spent: dict[str, list[float]] = {"page": [], "end": []}
            await stage.key("home")
            for _ in range(40):
                spent["page"].append(await stage.key("pagedown"))
                await asyncio.sleep(FRAME)
            for key in ("end", "home") * 10:
                spent["end"].append(await stage.key(key))
                await asyncio.sleep(FRAME)
            stage.heart.stop()
        return spent

    async def _filter(self, entries: int) -> dict[str, Any]:
        facts = [event for part in iterations(entries) for event in part]
        garbage = Garbage()
        garbage.install()
        async with staged(ListApp(TracePanel)) as app:
            stage, panel = Stage(app), cast("TracePanel", app.list)
            with app._context():
                panel.apply(facts)
            await asyncio.sleep(0.3)
            garbage.rest()
            work, through = {}, {}
            model = panel._model  # the panel gives out no other way to what it knows
            looked = TraceFilter(model.flat, model.texts)
            for name, query in QUERIES.items():
                begin = time.thread_time()
                looked.begin(parse(query))
                looked.step(60)
                work[name] = (time.thread_time() - begin) * 1000
            await asyncio.sleep(0.1)
            stage.heart.reset()
            for name, query in QUERIES.items():
                begin, before = time.perf_counter(), panel._filter.query
                with app._context():
                    panel.post_message(FilterLine.Typed(query))
                await stage.until(partial(_through, panel, before))
                through[name] = (time.perf_counter() - begin) * 1000
                await asyncio.sleep(0.2)
            held = stage.heart.held()
            stage.heart.stop()
        garbage.remove()
        return {"work": work, "through": through, "stall": held["stall"], "work_in_a_gap": held["work"]}

    async def _memory(self, entries: int) -> dict[str, float]:
        facts = [event for part in iterations(entries) for event in part]
        async with staged(ListApp(type(self).widget)) as app:
            panel = cast("List", app.list)
            await asyncio.sleep(0.2)
            gc.collect()
            tracemalloc.start()
            with app._context():
                panel.apply(facts)
            await asyncio.sleep(0.2)
            gc.collect()
            held = tracemalloc.get_traced_memory()[0]
            tracemalloc.stop()
        return {"bytes": held / entries}


def _through(panel: TracePanel, before: Query) -> bool:
    """Whether the panel went through all entries with another query than before."""
    return panel._filter.query is not before and panel._filter.done


class Ours(Subject):
    """The trace panel: turn, iterations, bars, follow mode."""

    widget = TracePanel


class Bare(Subject):
    """The floor."""

    widget = BareList


SUBJECTS: dict[str, Callable[[], Subject]] = {"trace panel": Ours, "bare list": Bare}
