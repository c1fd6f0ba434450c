"""Breakpoints: setting and listing them, keeping them for the project, and showing a pause."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final, Protocol

from textual.app import App

from workbench.engine.agent import Agent
from workbench.engine.breakpoints import Breakpoint, Breakpoints
from workbench.engine.toolset import agents_within
from workbench.errors import ConfigError, WorkbenchError
from workbench.registry import ToolRegistry
from workbench.tui import events
from workbench.tui.background import Background
from workbench.tui.broker import ApprovalBroker
from workbench.tui.companion import Tell
from workbench.tui.conditions import fault_of, moment_of
from workbench.tui.desk import Doers
from workbench.tui.palette import Palette
from workbench.tui.pauser import Pauser
from workbench.tui.words import no_tool_words
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.tui.screens.breakpoints import BreakpointsScreen


_GLOB: Final = frozenset("*?[")


class Keeper(Protocol):
    """Where breakpoints are kept from one start to the next."""

    @property
    def problems(self) -> Sequence[str]:
        """What did not count when they were loaded."""

    def load(self) -> Sequence[Breakpoint]:
        """Those that count. Raises ConfigError."""

    def save(self, points: Sequence[Breakpoint]) -> None:
        """Keep these. Raises ConfigError."""


class BreakpointDesk:
    """The debugger of every watched agent, and what sets its breakpoints.

    All agents share those of the outer one.
    """

    def __init__(
        self,
        app: App[Any],
        background: Background,
        broker: ApprovalBroker,
        post: Callable[[events.AgentEvent], None],
        *,
        palette: Callable[[], Palette],
    ) -> None:
        self._app = app
        self._background = background
        self._broker = broker
        self._post = post
        self._palette = palette
        self.keeper: Keeper | None = None
        """Where breakpoints are kept; None: nowhere."""
        self._points: Breakpoints | None = None
        self._tools: ToolRegistry | None = None
        self._outer: Agent | None = None
        self._met: frozenset[str] = frozenset()
        self._rows: tuple[events.BreakRow, ...] = ()
        self._step = False
        self._problems: tuple[str, ...] = ()
        self._list: BreakpointsScreen | None = None

    # the agent's side

    def join(self, agent: Agent, outer: Agent, tell: Tell) -> Callable[[], object]:
        """Pauses of the agent come to the screen from now on."""
        debugger, points = agent.debugger, agent.breakpoints
        agent.debugger = Pauser(self._broker.pause, tell, self._tell)
        if agent is outer:
            self._points, self._tools, self._outer = points, agent.tools, agent
            points.on_failure = self._failed
            self._load(points)
        else:
            agent.breakpoints = outer.breakpoints
            self._meet(agent)

        def leave() -> None:
            agent.debugger, agent.breakpoints = debugger, points
            if agent is outer:
                points.on_failure = None

        return leave

    def _meet(self, agent: Agent) -> None:
        """A breakpoint may be for a tool of an agent that nobody knew until it came to work."""
        fresh = {tool.name for tool in agent.tools} - self._met
        self._met |= fresh
        if fresh and self._points:
            self._tell()

    def _load(self, points: Breakpoints) -> None:
        if self.keeper is not None:
            try:
                for point in self.keeper.load():
                    points.add(point)
                self._problems = tuple(self.keeper.problems)
            except ConfigError as error:
                self._problems = (error.message,)
        self._tell()

    def _tell(self, step: bool | None = None) -> None:
        """``step`` is whether step mode is about to be on, where the engine has not switched it yet."""
        points = self._points
        if points is not None:
            known = self._known_tools()
            rows = tuple(
                replace(
                    row_of(point),
                    failure=points.failure(point),
                    idle=not any(fnmatchcase(name, point.tool) for name in known),
                )
                for point in points
            )
            on = points.step if step is None else step
            self._post(events.BreakpointsChanged("", time.time(), rows, on))

    def _known_tools(self) -> frozenset[str]:
        """The tools of the outer agent, and of those that work inside its tools as far as they are known."""
        outer = agents_within(self._outer) if self._outer is not None else ()
        return self._met.union(tool.name for agent in outer for tool in agent.tools)

    def _failed(self, point: Breakpoint, failure: str) -> None:
        """Say that a condition could not be evaluated; the call goes on."""
        said = visible_line(f"{point.condition} ({point.tool}): {failure}")
        title, hint = "A breakpoint's condition failed", "It does not pause then. /breakpoints shows it."
        self._post(events.Notice("", time.time(), title, said, hint))
        self._tell()

    # the person's side

    def doers(self) -> Doers:
        """``/breakpoints``, the same for a call in the trace, and ``/step``."""
        return {
            "app.breakpoints": self._asked,
            "trace.break": lambda words: self._open(*_parted(words)),
            "app.step": self._switch_step,
        }

    def take_in(self, batch: Sequence[events.AgentEvent]) -> None:
        """Keep the list true; say what does not count once everything is there."""
        if self._rows and any(isinstance(event, events.ToolsChanged) for event in batch):
            self._background.do("see which tools breakpoints are for", self._tell)
        for event in batch:
            if isinstance(event, events.BreakpointsChanged):
                self._rows, self._step = event.points, event.step
                if self._list is not None:
                    self._list.show(event.points, event.step)
            elif isinstance(event, events.AgentReady) and self._problems:
                text = "\n".join(map(visible_line, self._problems))
                self._post(events.Notice("", time.time(), "Some breakpoints do not count", text))

    def put(self, row: events.BreakRow, old: events.BreakRow | None = None) -> None:
        """Set a breakpoint, in the place of ``old`` if that is given."""

        def job(points: Breakpoints) -> None:
            if old is not None and points.replace(point_of(old), point_of(row)):
                return
            points.add(point_of(row))

        self._change("set the breakpoint", job)

    def remove(self, row: events.BreakRow) -> None:
        """Take a breakpoint out."""
        self._change("take the breakpoint out", lambda points: points.remove(point_of(row)))

    def _change(self, what: str, job: Callable[[Breakpoints], object]) -> None:
        def work() -> None:
            points = self._points
            if points is None:
                raise WorkbenchError("the agent is not ready")
            job(points)
            self._tell()

        self._background.do(what, work)
        self._background.do("keep the breakpoints", self._keep)

    def _keep(self) -> None:
        if self.keeper is not None and self._points is not None:
            self.keeper.save(tuple(self._points))

    def _switch_step(self, _: str) -> None:
        def job(points: Breakpoints) -> None:
            points.step = not points.step

        self._change("switch step mode", job)

    def _asked(self, words: str) -> None:
        """``TOOL CONDITION`` sets one; ``TOOL`` lists those of a tool, nothing all of them."""
        tool, condition = _parted(words)
        name = self._name(tool) if tool else ""
        if name is None:
            return
        if not condition or fault_of(condition) is not None:
            self._open(name, condition)
            return
        row = events.BreakRow(name, moment_of(condition), condition)
        self.put(row)
        said = f"Pauses {row.when} each call of {name} where {condition}"
        self._app.notify(visible_line(said), title="Breakpoints", markup=False)

    def _name(self, tool: str) -> str | None:
        """The tool that is meant, or a glob as it is; None, and that is said, where there is no such tool."""
        if self._tools is None or not _GLOB.isdisjoint(tool):
            return tool
        found = self._tools.meant(tool)
        if found is None:
            said = no_tool_words(tool, (each.name for each in self._tools))
            self._app.notify(visible_line(said), title="Breakpoints", markup=False)
            return None
        return found.name

    def _open(self, tool: str, condition: str) -> None:
        """All breakpoints, or those of a tool, with a condition to begin with."""
        if self._list is not None:
            return
        from workbench.tui.screens.breakpoints import BreakpointsScreen

        self._list = BreakpointsScreen(
            self._palette(),
            put=self.put,
            remove=self.remove,
            step=lambda: self._switch_step(""),
            tool=tool,
            condition=condition,
        )
        self._app.push_screen(self._list, self._closed)
        self._list.show(self._rows, self._step)

    def _closed(self, result: None) -> None:
        self._list = None


def _parted(words: str) -> tuple[str, str]:
    """The tool and the condition."""
    tool, _, condition = words.strip().partition(" ")
    return tool, condition.strip()


def row_of(point: Breakpoint) -> events.BreakRow:
    """A breakpoint as the screen knows it."""
    when = "on error" if point.on_error else point.when
    return events.BreakRow(point.tool, when, point.condition or "", point.enabled, point.xray_only)


def point_of(row: events.BreakRow) -> Breakpoint:
    """The breakpoint of a row. Raises ConfigError for a condition that is none."""
    return Breakpoint(
        row.tool,
        "before" if row.when == "before" else "after",
        on_error=row.when == "on error",
        xray_only=row.xray_only,
        condition=row.condition or None,
        enabled=row.enabled,
    )
