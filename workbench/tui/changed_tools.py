"""Which tools became other ones in this session, and which of those is offered to run again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from workbench.registry import ToolRegistry
from workbench.tui import events
from workbench.tui.tool_history import ToolHistory
from workbench.tui.trace_records import Entry

_ONE_RELOAD: Final = 0.2
"""Seconds within which all that one reload changed is told."""


class ChangedTools:
    """Keeps the ``history`` of the tools; ``last`` is the changed one whose last call can run again."""

    def __init__(self) -> None:
        self.history = ToolHistory()
        self.last = ""

    def begin(self, tools: ToolRegistry, at: float) -> None:
        """These are the tools at first."""
        for tool in tools:
            self.history.note(tool, at)

    def follow(self, tools: ToolRegistry, event: events.ToolsChanged) -> Iterator[str]:
        """Note newer versions of tools; gives their names."""
        renewed = event.change == "refresh"
        names = [event.tool] if event.tool is not None else []
        if event.change == "refresh_all" and event.tool is None:
            renewed, names = True, list(event.metadata.get("tools") or ())
        for name in names:
            tool = tools.get(name)
            if tool is not None and self.history.note(tool, event.at, renewed=renewed):
                yield name

    def choose(self, changed: AbstractSet[str], calls: Sequence[Entry]) -> str:
        """The one of these whose last call is offered to run again; empty where there is no better one.

        A tool that was edited itself comes before those that only use what was, and of several the one that
        was called last.
        """
        called = [name for call in calls if (name := str(call.data.get("tool_name"))) in changed]
        edited = [name for name in called if not self._uses_only(name)]
        if not called or (not edited and self._was_edited_with(called[-1])):
            return ""
        self.last = (edited or called)[-1]
        return self.last

    def last_call(self, calls: Sequence[Entry]) -> Entry | None:
        """The call that is offered."""
        return next((call for call in reversed(calls) if call.data.get("tool_name") == self.last), None)

    def number(self, name: str) -> int:
        """Which version of the tool is in use, from 1 on."""
        version = self.history.now(name)
        return version.number if version is not None else 1

    def _uses_only(self, name: str) -> bool:
        version = self.history.now(name)
        return version is not None and version.helper

    def _was_edited_with(self, name: str) -> bool:
        """Whether the tool that is offered already was edited, by the same reload."""
        last, version = self.history.now(self.last), self.history.now(name)
        if last is None or version is None or last.helper or last.number == 1:
            return False
        return version.at - last.at < _ONE_RELOAD
