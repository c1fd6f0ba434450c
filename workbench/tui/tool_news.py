"""What events change about the tools: the panel's tree is brought up to date, and what differs is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workbench.tui import events
from workbench.tui.tool_changes import changes_text
from workbench.tui.tool_tree import Loading, Problem, Tool, ToolTree


@dataclass(frozen=True, slots=True)
class News:
    """What is to be drawn again.

    ``tools`` look different, ``switched`` are those of which their group and the title tell too; ``rows``:
    there are other rows now.
    """

    tools: Sequence[Tool]
    switched: Sequence[Tool]
    rows: bool


class ToolNews:
    """Takes events in. ``now`` is in Unix seconds; ``progress``: how many sources of how many are loaded."""

    def __init__(self, tree: ToolTree) -> None:
        self.now = 0.0
        self.progress: tuple[int, int] | None = None
        self._tree = tree
        self._names: dict[tuple[str, str], str] = {}
        self._tools: dict[int, Tool] = {}
        self._switched: list[Tool] = []
        self._rows = False

    @cached_property
    def _handlers(self) -> dict[type, Callable[[Any], None]]:
        """Who takes which event; made for the first one."""
        return {
            events.AgentReady: self._agent_ready,
            events.AgentFailed: self._agent_failed,
            events.AgentAwaited: self._agent_awaited,
            events.LoadProgress: self._load_progress,
            events.LoadFailed: self._load_failed,
            events.LoadMended: self._load_mended,
            events.BatchStarted: self._batch_started,
            events.ToolStarted: self._tool_started,
            events.ToolFinished: self._tool_finished,
            events.ToolsChanged: self._tools_changed,
            events.BreakpointsChanged: self._breakpoints_changed,
            events.FaultsChanged: self._faults_changed,
        }

    def take(self, batch: Iterable[events.AgentEvent]) -> News:
        """Bring the tree up to date; events that say nothing about tools are passed over."""
        self._tools, self._switched, self._rows = {}, [], False
        for event in batch:
            handler = self._handlers.get(type(event))
            if handler is not None:
                self.now = max(self.now, event.at)
                handler(event)
        return News(tuple(self._tools.values()), self._switched, self._rows)

    def _agent_ready(self, event: events.AgentReady) -> None:
        self._tree.reset(event.tools)
        self._rows = True

    def _agent_failed(self, _: events.AgentFailed) -> None:
        """Nothing is being loaded any more."""
        self.progress = self._tree.loading = None
        self._rows = True

    def _agent_awaited(self, _: events.AgentAwaited) -> None:
        """All is loaded anew: what failed before may do now."""
        self._tree.problems.clear()
        self._rows = True

    def _load_progress(self, event: events.LoadProgress) -> None:
        self.progress = (event.done, event.total) if event.done < event.total else None
        loading = self._tree.loading
        if self.progress is None or not event.at_work:
            self._tree.loading = None
        elif loading is None or loading.name != event.at_work:
            self._tree.loading = Loading(event.at_work, event.at)
            self._tree.problems.pop(event.at_work, None)
        self._rows = True

    def _load_failed(self, event: events.LoadFailed) -> None:
        self._tree.problems[event.source] = Problem(event.source, event.reason, event.where)
        self._rows = True

    def _load_mended(self, event: events.LoadMended) -> None:
        self._tree.problems.pop(event.source, None)
        self._rows = True

    def _batch_started(self, event: events.BatchStarted) -> None:
        for call in event.calls:
            self._names[event.agent, call.id] = call.name

    def _tool_started(self, event: events.ToolStarted) -> None:
        self._names[event.agent, event.call_id] = event.name

    def _tool_finished(self, event: events.ToolFinished) -> None:
        if event.inner:
            return  # a tool of another agent, though it may have the same name
        entry = event.entry
        name = self._names.pop((event.agent, str(entry.get("call_id", ""))), None)
        tool = self._tree.tools.get(name or str(entry.get("tool_name", "")))
        if tool is None or event.replayed:
            return
        tool.tried = True
        tool.statistics = event.statistics or tool.statistics
        self._tools[id(tool)] = tool

    def _tools_changed(self, event: events.ToolsChanged) -> None:
        if event.row is not None:
            tool = self._tree.put(event.row)
            if tool is None:
                self._rows = True
                return
            if event.change == "refresh":
                self._renewed(tool, event.metadata)
            self._tools[id(tool)] = tool
            self._switched.append(tool)
        elif event.change == "refresh_all":
            for name, changes in (event.metadata.get("tools") or {}).items():
                if name in self._tree.tools:
                    self._renewed(self._tree.tools[name], changes)
        elif event.tool is not None and event.change == "unregister":
            self._tree.remove(event.tool)
            self._rows = True

    def _breakpoints_changed(self, event: events.BreakpointsChanged) -> None:
        self._tree.set_breaks(event.points)
        self._rows = True

    def _faults_changed(self, event: events.FaultsChanged) -> None:
        self._tree.set_faults(event.faults)
        self._rows = True

    def _renewed(self, tool: Tool, changes: Mapping[str, Any]) -> None:
        tool.version += 1
        tool.changed = changes_text(changes) or "a helper that it uses"
        self._tools[id(tool)] = tool
