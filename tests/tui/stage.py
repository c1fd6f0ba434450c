"""The main screen with made-up events at fixed times, so that pictures of it stay the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from textual.app import App
from textual.filter import LineFilter
from textual.screen import Screen

from tests.tui.panel_app import counted
from workbench.engine.llm import TokenUsage
from workbench.registry.statistics import StatisticsBook
from workbench.resources import resource_folder
from workbench.tui import events
from workbench.tui.app import WorkbenchApp
from workbench.tui.approval import ApprovalRequest, Preview
from workbench.tui.looks import Looks, line_filters
from workbench.tui.palette import Palette
from workbench.tui.panels.status import Activity
from workbench.tui.screens.main import MainScreen
from workbench.tui.themes import css_variables, load_theme, textual_theme

AGENT = "assistant"
START = 1_764_500_000.0

TOOLS = (
    events.ToolRow("arithmetic.add", True, tags=("read-only",)),
    events.ToolRow("arithmetic.mean", True, tags=("read-only",)),
    events.ToolRow("files.read_file", True, tags=("read-only",)),
    events.ToolRow("files.write_file", True, tags=("writes",), permission="ask", asks_because="writes"),
    events.ToolRow("files.delete_file", False, "tagged destructive", ("destructive",), "ask", "destructive"),
    events.ToolRow("web.fetch", True, tags=("network",), permission="ask", asks_because="network"),
)

WRITE = {"path": "reports/march.md", "text": "# March\n\nStatus: complete\n"}


def _answer(at: float, text: str, took: float, calls: int, iteration: int) -> list[events.AgentEvent]:
    entry = {
        "type": "llm_call",
        "model": "offline",
        "status": "success",
        "timestamp": START + at,
        "duration_ms": took,
        "first_token_ms": took / 4,
        "tool_calls_count": calls,
        "iteration": iteration,
        "usage": TokenUsage(1_200 + 700 * iteration, 86, 0, 0.002),
    }
    return [
        events.ModelStarted(AGENT, START + at, 1, iteration, "offline"),
        events.ModelDelta(AGENT, START + at + took / 4_000, "text", text),
        events.ModelFinished(AGENT, START + at + took / 1_000, entry, text, calls),
    ]


BOOK = StatisticsBook()


def _ran(at: float, call: events.CallInfo, status: str, took: float, **more: object) -> events.AgentEvent:
    entry = {
        "type": "tool_execution",
        "tool_name": call.name,
        "call_id": call.id,
        "arguments": dict(call.arguments),
        "status": status,
        "timing": took,
        "timestamp": START + at,
        "iteration": 1,
        "result": "",
        **more,
    }
    return events.ToolFinished(AGENT, START + at + took / 1_000, entry, counted(BOOK, entry))


CALLS = (
    events.CallInfo("1", "files.read_file", {"path": "data/stations.txt"}, asks_because="read-only"),
    events.CallInfo("2", "files.write_file", WRITE, "ask", "writes"),
    events.CallInfo("3", "web.fetch", {"url": "http://weather.example/atlantis"}, "ask", "network"),
)
DECIDED = tuple(replace(call, decision="reject" if call is CALLS[2] else "approve") for call in CALLS)

STORY: tuple[events.AgentEvent, ...] = (
    events.TurnStarted(AGENT, START, 1, "Complete the monthly report: read the stations, then write it."),
    *_answer(0.0, "I'll read the stations and write the report.", 1_310, 3, 1),
    events.BatchStarted(AGENT, START + 1.31, 1, 1, CALLS),
    events.WaitStarted(AGENT, START + 1.31, ("2", "3")),
    events.WaitFinished(AGENT, START + 13.71, 12_400, DECIDED),
    events.ToolStarted(AGENT, START + 13.71, "1", "files.read_file", CALLS[0].arguments),
    _ran(13.71, CALLS[0], "success", 48.0),
    events.ToolStarted(AGENT, START + 13.76, "2", "files.write_file", CALLS[1].arguments),
    _ran(13.76, CALLS[1], "error", 9.0, error="[Errno 28] No space left on device", error_type="OSError"),
    _ran(
        13.77,
        CALLS[2],
        "rejected",
        0.0,
        error="Rejected by the user: not from there",
        reason="not from there",
    ),
    *_answer(
        13.8,
        "## March\n\n| City | °C |\n|------|---:|\n| Lima | 19 |\n| Osaka | 17 |\n\n"
        "The disk is full, so nothing was written. [b]Brackets[/b] and `code` stay as they are.\n\n"
        "```python\ndef mean(numbers):\n    return sum(numbers) / len(numbers)\n```\n",
        1_640,
        0,
        2,
    ),
    events.UsageChanged(AGENT, START + 15.4, 34.0, 12_400, 0.0123),
    events.TurnFinished(AGENT, START + 15.44, 1, "success", 15_440, 12_400, "done"),
)

WAITING = STORY[: 1 + 3 + 2]


class StageApp(App[None]):
    """The main screen, told a story."""

    CSS_PATH = WorkbenchApp.CSS_PATH

    def __init__(
        self,
        story: Sequence[events.AgentEvent],
        *,
        theme: str = "graphite",
        tab: str = "prompt",
        looks: Looks | None = None,
    ) -> None:
        palette = load_theme(resource_folder("themes") / f"{theme}.yaml")
        self._variables = css_variables(palette)
        super().__init__()
        self.register_theme(textual_theme(palette))
        self.theme = palette.name
        self.palette = palette
        self.story = story
        self.less = line_filters(looks or Looks(), lambda: palette)
        self.tab = tab
        self.main = MainScreen(palette)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return self._variables

    def get_default_screen(self) -> Screen[None]:
        return self.main

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), *self.less]

    def on_mount(self) -> None:
        status = self.main.top_line.status
        status.agent, status.model, status.approval = AGENT, "offline", "careful"
        self.main.prompt.invite(f"Message {AGENT}", "/ commands   @ files")
        self.main.prompt.area.cursor_blink = False
        self.main.tools.set_rows(TOOLS)
        self.main.apply(self.story)
        if self.story is WAITING:
            waiting = Activity("◇", "warning", "waiting for you", ("2 calls to decide",), START + 1.31)
            self.main.tick(START + 13.71, waiting)
        self.call_after_refresh(self.main.focus_panel, self.tab)


def request() -> ApprovalRequest:
    """The batch of the story as a question."""
    return ApprovalRequest(
        agent=AGENT,
        model="offline",
        turn=1,
        iteration=1,
        calls=CALLS,
        said="I'll read the stations and write the report.",
        schemas={},
        previews={"2": Preview("reports/march.md", "# March\n\nStatus: draft\n", WRITE["text"])},
        check=lambda name, arguments: None,
        preview=lambda name, arguments: None,
        covers=lambda proposal, name, arguments: True,
        opened=START,
    )


def palette_of(theme: str) -> Palette:
    """A shipped theme."""
    return load_theme(resource_folder("themes") / f"{theme}.yaml")
