"""How often each tool was called, how long it took, and how often it went wrong."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace


@dataclass(slots=True)
class ToolStatistics:
    """Counts and times of one tool; times in milliseconds, over runs that started.

    ``calls`` counts runs that started, ``errors`` those that raised. Calls that never ran are in
    ``validation_failures`` and ``denied``.
    """

    calls: int = 0
    errors: int = 0
    validation_failures: int = 0
    denied: int = 0
    total_ms: float = 0.0
    shortest_ms: float = 0.0
    longest_ms: float = 0.0
    last_ms: float = 0.0

    @property
    def mean_ms(self) -> float:
        """Mean run in milliseconds; 0 before the first."""
        return self.total_ms / self.calls if self.calls else 0.0


class StatisticsBook:
    """The statistics of all tools by name; they outlive a tool's replacement and its removal."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tools: dict[str, ToolStatistics] = {}

    def of(self, name: str) -> ToolStatistics:
        """A copy of one tool's statistics; all zero for a tool that was never called."""
        with self._lock:
            found = self._tools.get(name)
            return replace(found) if found is not None else ToolStatistics()

    def ran(self, name: str, duration_ms: float, *, failed: bool) -> None:
        """Note one run."""
        with self._lock:
            entry = self._tools.get(name)
            if entry is None:
                entry = self._tools[name] = ToolStatistics(shortest_ms=duration_ms)
            elif not entry.calls or duration_ms < entry.shortest_ms:
                entry.shortest_ms = duration_ms
            entry.calls += 1
            entry.errors += failed
            entry.total_ms += duration_ms
            entry.last_ms = duration_ms
            if duration_ms > entry.longest_ms:
                entry.longest_ms = duration_ms

    def invalid(self, name: str) -> None:
        """Note arguments that did not fit."""
        with self._lock:
            self._tools.setdefault(name, ToolStatistics()).validation_failures += 1

    def denied(self, name: str) -> None:
        """Note a call that was not allowed to run."""
        with self._lock:
            self._tools.setdefault(name, ToolStatistics()).denied += 1

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._tools.clear()
