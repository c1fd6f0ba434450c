"""Keeps an agent's tools up to date while the app runs: files that change, MCP servers that come and go."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.registry import ToolRegistry
from workbench.tui import events
from workbench.tui.events import Post

if TYPE_CHECKING:
    from workbench.toolbox.mcp_connection import McpServerState
    from workbench.toolbox.reload import ReloadReport
    from workbench.toolbox.tool_source import ToolSource


class ToolUpkeep:
    """Watches the loaded files and the configured MCP servers, and tells the screen what became of them."""

    def __init__(
        self, registry: ToolRegistry, sources: Sequence[ToolSource], post: Post, *, mcp: Sequence[Path] = ()
    ) -> None:
        """Raises ConfigError for an MCP file that cannot be read."""
        from workbench.toolbox.watcher import ToolWatcher

        self._post = post
        self._watcher = ToolWatcher(registry, sources, self._reloaded)
        self._failed = {failure.path.name for failure in self._watcher.failures}
        self._servers = None
        configs = []
        if mcp:
            from workbench.toolbox.mcp_config import load_mcp_config
            from workbench.toolbox.mcp_servers import McpServers

            configs = [config for path in mcp for config in load_mcp_config(path)]
            self._servers = McpServers(registry, configs, self._server_changed)

    def start(self) -> None:
        """Begin to watch and to connect; returns at once."""
        self._watcher.start()
        if self._servers is not None:
            self._servers.start()

    def check(self) -> None:
        """Take in what was saved since; cheap, for just before a turn."""
        self._watcher.check()

    def reload(self) -> None:
        """Import every file again."""
        report = self._watcher.reload(everything=True)
        if report.ok:
            self._tell("The tools were loaded again", _summary(report), "muted")

    def close(self) -> None:
        """Let go of threads and servers."""
        self._watcher.stop()
        if self._servers is not None:
            self._servers.close()

    def _reloaded(self, report: ReloadReport) -> None:
        failures = {failure.path.name: failure for failure in report.failures}
        for name in self._failed - failures.keys():
            self._post(events.LoadMended("", time.time(), name))
        for name, failure in failures.items():
            where = f"line {failure.line}" if failure.line else ""
            path = str(failure.path)
            self._post(events.LoadFailed("", time.time(), name, failure.reason, where, path))
        new = failures.keys() - self._failed
        self._failed = set(failures)
        for name in sorted(new):
            failure = failures[name]
            where = f"line {failure.line}: " if failure.line else ""
            self._tell(f"{name} was not loaded again", f"{where}{failure.reason}", "error", _OLD_VERSION)
        if summary := _summary(report):
            self._tell("Tools were reloaded", summary, "muted")
        if report.left_behind:
            self._tell("Some changes wait", ", ".join(report.left_behind), "warning", _NEXT_START)

    def _server_changed(self, state: McpServerState) -> None:
        if state.phase == "failed":
            self._post(events.LoadFailed("", time.time(), state.name, state.reason or "failed", ""))
        elif state.phase == "connected":
            self._post(events.LoadMended("", time.time(), state.name))
            self._tell(f"{state.name} is connected", f"{len(state.tools)} tools", "muted")

    def _tell(self, title: str, text: str, tone: str, hint: str = "") -> None:
        self._post(events.Notice("", time.time(), title, text, hint, tone))


_NEXT_START = "The agent stays what it is while it runs; these take effect when Workbench is started again."
_OLD_VERSION = "The last version that loaded stays in use. Save the file again when it is mended."


def _summary(report: ReloadReport) -> str:
    """What came of a reload, in words; empty when nothing changed."""
    parts = [
        f"{word} {', '.join(names)}"
        for word, names in (
            ("changed", report.changed),
            ("new", report.added),
            ("gone", report.removed),
            ("renamed", [f"{old} to {new}" for old, new in report.moved]),
        )
        if names
    ]
    return "; ".join(parts)
