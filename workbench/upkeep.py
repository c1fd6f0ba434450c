"""Keeps an agent's tools up to date while the app runs: files that change, MCP servers that come and go."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.registry import ToolRegistry
from workbench.registry.idle_rules import idle_rules
from workbench.tui import events
from workbench.tui.events import Post
from workbench.tui.words import count_words

if TYPE_CHECKING:
    from workbench.toolbox.mcp_connection import McpServerState
    from workbench.toolbox.reload import ReloadReport
    from workbench.toolbox.tool_files import LoadFailure
    from workbench.toolbox.tool_source import ToolSource


class ToolUpkeep:
    """Watches the loaded files and the configured MCP servers, and tells the screen what became of them."""

    def __init__(
        self, registry: ToolRegistry, sources: Sequence[ToolSource], post: Post, *, mcp: Sequence[Path] = ()
    ) -> None:
        """Raises ConfigError for an MCP file that cannot be read."""
        from workbench.toolbox.watcher import ToolWatcher

        self._post = post
        self._registry = registry
        self._sources = sources
        self._watcher = ToolWatcher(registry, sources, self._reloaded)
        self._failed = {failure.path.name for failure in self._watcher.failures}
        self._servers = None
        self._lock = threading.Lock()
        self._unsettled: set[str] = set()
        self._down: set[str] = set()
        self._files: dict[str, Path] = {}
        if mcp:
            from workbench.toolbox.mcp_config import load_mcp_configs
            from workbench.toolbox.mcp_servers import McpServers

            found = load_mcp_configs(mcp)
            self._files = {config.name: path for config, path in found}
            self._unsettled = {config.name for config, _ in found if not config.disabled}
            self._servers = McpServers(registry, [config for config, _ in found], self.server_changed)

    def start(self) -> None:
        """Begin to watch and to connect; returns at once."""
        for failure in self._watcher.failures:
            self._tell_failure(failure, again=False)
        self._watcher.start()
        if not self._unsettled:
            self._tell_idle_rules()
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
        mended = sorted(self._failed - failures.keys())
        for name in mended:
            self._post(events.LoadMended("", time.time(), name))
        for name, failure in failures.items():
            where = f"line {failure.line}" if failure.line else ""
            path = str(failure.path)
            self._post(events.LoadFailed("", time.time(), name, failure.reason, where, path))
        new = failures.keys() - self._failed
        self._failed = set(failures)
        for name in sorted(new):
            self._tell_failure(failures[name])
        summary = _summary(report)
        if mended:
            are = "is" if len(mended) == 1 else "are"
            self._tell(f"{' and '.join(mended)} {are} loaded now", summary, "muted")
        elif summary:
            self._tell("Tools were reloaded", summary, "muted", counted=True)
        if report.left_behind:
            self._tell("Some changes wait", ", ".join(report.left_behind), "warning", _NEXT_START)

    def _tell_failure(self, failure: LoadFailure, *, again: bool = True) -> None:
        """Say what is wrong, and what is in use meanwhile; ``again``: the files were loaded before."""
        files = [file for source in self._sources for file in source.files if failure in file.failures]
        again = again and any(file.module is not None for file in files)
        part = bool(files) and not any(file.broken for file in files)
        what = "was loaded in part" if part else f"was not loaded{' again' * again}"
        where = f"line {failure.line}: " if failure.line else ""
        line = f"\n    {failure.text[:_LONGEST_LINE]}" if failure.text else ""
        hint = _IN_PART if part else _OLD_VERSION if again else _NO_VERSION
        self._tell(f"{failure.path.name} {what}", f"{where}{failure.reason}{line}", "error", hint)

    def server_changed(self, state: McpServerState) -> None:
        """Tell of a server that comes or goes; once, however often it is tried again."""
        if state.phase == "failed":
            self._post(events.LoadFailed("", time.time(), state.name, state.reason or "failed", ""))
            if state.name not in self._down:
                self._down.add(state.name)
                hint = (
                    f"It is tried again by itself. Its command and settings are in {self._files[state.name]}."
                )
                self._tell(f"The MCP server {state.name} is not connected", state.why, "error", hint)
        elif state.phase == "connected":
            self._down.discard(state.name)
            self._post(events.LoadMended("", time.time(), state.name))
            self._tell(f"{state.name} is connected", count_words(len(state.tools), "tool"), "muted")
        if state.phase in ("failed", "connected"):
            self._settled(state.name)

    def _settled(self, server: str) -> None:
        """Once each server had its chance, the tools are there that rules can be about."""
        with self._lock:
            last = self._unsettled == {server}
            self._unsettled.discard(server)
        if last:
            self._tell_idle_rules()

    def _tell_idle_rules(self) -> None:
        rules = idle_rules(self._registry.policy, self._registry)
        if rules:
            self._tell("Some rules of the policy cover nothing", "\n".join(rules), "warning", _IDLE)

    def _tell(self, title: str, text: str, tone: str, hint: str = "", *, counted: bool = False) -> None:
        self._post(events.Notice("", time.time(), title, text, hint, tone, counted))


_IDLE = "They take effect once such a tool is there. If it is a slip, mend the file and start again."
_NEXT_START = "The agent stays what it is while it runs; these take effect when Workbench is started again."
_NO_VERSION = "What it is to bring comes once it loads: mend it and save."
_IN_PART = "All else in it is in use as it is now: mend this and save."
_OLD_VERSION = "The last version that loaded stays in use: mend it and save."
_LONGEST_LINE = 200


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
