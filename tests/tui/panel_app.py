"""A small app around one widget, and the events of made-up turns, for tests of panels."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot
from textual.widget import Widget

from workbench.engine.llm import TokenUsage
from workbench.registry import ToolStatistics
from workbench.registry.statistics import StatisticsBook
from workbench.tui import events
from workbench.tui.palette import Palette
from workbench.tui.rows import RowList
from workbench.tui.screens.patient import PatientScreen
from workbench.tui.themes import css_variables, load_theme, textual_theme

THEMES = Path(__file__).parents[2] / "themes"
GRAPHITE = load_theme(THEMES / "graphite.yaml")
PAPER = load_theme(THEMES / "paper.yaml")
START = 1_764_500_000.0


class PanelApp(App[None]):
    """Shows one widget and keeps the messages of the kinds that a test asks about."""

    AUTO_FOCUS = None

    def get_default_screen(self) -> PatientScreen[Any]:
        return PatientScreen(id="_default")

    def __init__(self, widget: Widget, *kinds: type[Message], palette: Palette = GRAPHITE) -> None:
        self._variables = css_variables(palette)
        super().__init__()
        self.kept: list[Any] = []
        self._widget = widget
        self._kinds = kinds
        self.register_theme(textual_theme(palette))
        self.theme = palette.name

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The palette's colours as CSS variables."""
        return self._variables

    def compose(self) -> ComposeResult:
        """The widget alone."""
        yield self._widget

    def keep(self, message: Message) -> None:
        """Remember a message; it passes here once for each widget that it reaches."""
        if isinstance(message, self._kinds) and not any(message is kept for kept in self.kept):
            self.kept.append(message)


@asynccontextmanager
async def running(app: PanelApp, size: tuple[int, int]) -> AsyncIterator[Pilot[None]]:
    """The app at that size, once its widget is laid out."""
    async with app.run_test(size=size, message_hook=app.keep) as pilot:
        await pilot.pause()
        yield pilot


async def until(pilot: Pilot[None], fact: Callable[[], bool]) -> None:
    """Wait for a fact."""
    async with asyncio.timeout(60):
        while not fact():
            await pilot.pause()


def lines(rows: RowList[Any]) -> list[str]:
    """What the list shows, line by line, without blanks at the end."""
    return [rows.render_line(y).text.rstrip() for y in range(min(rows.size.height, len(rows.rows)))]


def line_with(rows: RowList[Any], text: str) -> str:
    """The one line that holds the text."""
    (found,) = [line for line in lines(rows) if text in line]
    return found


def counted(book: StatisticsBook, entry: Mapping[str, Any]) -> ToolStatistics:
    """The statistics of a call's tool with that call, as a registry counts."""
    name, status = entry["tool_name"], entry["status"]
    if entry.get("error_type") == "ToolArgumentsError":
        book.invalid(name, entry["arguments"], entry["error"])
    elif status in ("success", "error"):
        book.ran(name, entry["timing"], failed=status == "error")
    return book.of(name)


class Story:
    """Events of made-up turns; ``now`` moves on as told, in seconds."""

    def __init__(self, agent: str = "ann", *, inner: bool = False) -> None:
        self.agent = agent
        self.inner = inner
        self.now = START
        self.events: list[events.AgentEvent] = []
        self.turn = 0
        self.iteration = 0
        self._calls = 0
        self._book = StatisticsBook()
        self._began = START
        self._asked = START
        self._waited = 0.0

    def take(self) -> list[events.AgentEvent]:
        """What happened since the last call."""
        taken, self.events = self.events, []
        return [replace(event, inner=True) for event in taken] if self.inner else taken

    def begin(self, prompt: str = "go") -> None:
        """A turn begins."""
        self.turn, self.iteration = self.turn + 1, 0
        self._began, self._waited = self.now, 0.0
        self.events.append(events.TurnStarted(self.agent, self.now, self.turn, prompt))

    def ask_model(self, first_token: float | None = None) -> None:
        """A request goes to the model; its first token comes after ``first_token`` seconds."""
        self.iteration += 1
        self._asked = self.now
        self.events.append(events.ModelStarted(self.agent, self.now, self.turn, self.iteration, "m"))
        if first_token is not None:
            self.now += first_token
            self.events.append(events.ModelDelta(self.agent, self.now, "text", "x"))

    def answer(self, seconds: float, *, status: str = "success", error: str = "") -> None:
        """The model's answer is complete ``seconds`` later."""
        self.now += seconds
        entry: dict[str, Any] = {
            "type": "llm_call",
            "model": "m",
            "status": status,
            "duration_ms": (self.now - self._asked) * 1000,
            "usage": TokenUsage(1_200, 86),
            "iteration": self.iteration,
            "timestamp": self.now,
        }
        if error:
            entry["error"] = error
        self.events.append(events.ModelFinished(self.agent, self.now, entry, "text", 0))

    def batch(self, *names: str, **arguments: Any) -> list[events.CallInfo]:
        """The model asked for calls."""
        calls = []
        for name in names:
            self._calls += 1
            calls.append(events.CallInfo(f"c{self._calls}", name, arguments))
        self.events.append(events.BatchStarted(self.agent, self.now, self.turn, self.iteration, tuple(calls)))
        return calls

    def wait(self, calls: list[events.CallInfo], seconds: float, *decisions: str) -> None:
        """A person is asked, and decides after ``seconds``; without decisions the wait goes on."""
        self.events.append(events.WaitStarted(self.agent, self.now, tuple(call.id for call in calls)))
        self.now += seconds
        if not decisions:
            return
        self._waited += seconds
        decided = tuple(
            events.CallInfo(
                call.id, call.name, call.arguments, "ask", "", "reject" if word == "reject" else "approve"
            )
            for call, word in zip(calls, decisions, strict=True)
        )
        self.events.append(events.WaitFinished(self.agent, self.now, seconds * 1000, decided))

    def start(self, call: events.CallInfo) -> None:
        """A call begins to run."""
        self.events.append(events.ToolStarted(self.agent, self.now, call.id, call.name, call.arguments))

    def finish(self, call: events.CallInfo, ms: float, status: str = "success", **more: Any) -> None:
        """A call has ended."""
        entry: Mapping[str, Any] = {
            "type": "tool_execution",
            "tool_name": call.name,
            "arguments": dict(call.arguments),
            "call_id": call.id,
            "status": status,
            "timing": ms,
            "timestamp": self.now,
            "iteration": self.iteration,
            **more,
        }
        counts = counted(self._book, entry)
        self.events.append(events.ToolFinished(self.agent, self.now, entry, counts))

    def run(self, call: events.CallInfo, ms: float, status: str = "success", **more: Any) -> None:
        """A call runs from beginning to end."""
        self.start(call)
        self.now += ms / 1000
        self.finish(call, ms, status, **more)

    def end(self, status: str = "success", error: str = "") -> None:
        """The turn ends."""
        self.events.append(
            events.TurnFinished(
                self.agent,
                self.now,
                self.turn,
                status,  # type: ignore[arg-type]  # tests name the words themselves
                (self.now - self._began) * 1000,
                self._waited * 1000,
                error=error,
            )
        )

    def simple_turn(self, prompt: str = "go", tool: str = "files.read") -> None:
        """A turn with one call."""
        self.begin(prompt)
        self.ask_model(0.4)
        self.answer(0.6)
        (call,) = self.batch(tool, path="a.txt")
        self.run(call, 40)
        self.ask_model(0.2)
        self.answer(0.3)
        self.end()
