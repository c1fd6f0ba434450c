"""How often each tool was called, how long it took, and how often and how it went wrong."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import Final

RECENT_RUNS: Final = 256
"""So many last runs of a tool are looked at for its ``p95_ms``."""

WRONG_CALLS: Final = 20
"""So many last calls with wrong arguments are kept for each tool."""

_LONGEST_TEXT: Final = 20_000


@dataclass(frozen=True, slots=True)
class WrongCall:
    """A call whose arguments did not fit.

    Attributes:
        time: Unix seconds.
        arguments: What was given, as text: the JSON that the model sent, or JSON made of the values. A
            long one is cut and says how long it was.
        error: What the model was told.
    """

    time: float
    arguments: str
    error: str


@dataclass(frozen=True, slots=True)
class ToolStatistics:
    """Counts and times of one tool; times in milliseconds, over runs that started.

    ``calls`` counts runs that started, ``errors`` those that raised. Calls that never ran are in
    ``validation_failures`` and ``denied``. ``recent_ms`` has the last runs' times, ``wrong_calls`` the last
    calls whose arguments did not fit, both oldest first.
    """

    calls: int = 0
    errors: int = 0
    validation_failures: int = 0
    denied: int = 0
    total_ms: float = 0.0
    shortest_ms: float = 0.0
    longest_ms: float = 0.0
    last_ms: float = 0.0
    recent_ms: tuple[float, ...] = ()
    wrong_calls: tuple[WrongCall, ...] = ()

    @property
    def mean_ms(self) -> float:
        """Mean run in milliseconds; 0 before the first."""
        return self.total_ms / self.calls if self.calls else 0.0

    @property
    def p95_ms(self) -> float:
        """What 95 of 100 of the last runs took at most, in milliseconds; 0 before the first."""
        if not self.recent_ms:
            return 0.0
        rank = -(-len(self.recent_ms) * 95 // 100)
        return sorted(self.recent_ms)[rank - 1]


class StatisticsBook:
    """The statistics of all tools by name; they outlive a tool's replacement and its removal."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tools: dict[str, _Counts] = {}

    def of(self, name: str) -> ToolStatistics:
        """One tool's statistics as they are now; all zero for a tool that was never called."""
        with self._lock:
            found = self._tools.get(name)
            return found.as_they_are() if found is not None else ToolStatistics()

    def ran(self, name: str, duration_ms: float, *, failed: bool = False) -> None:
        """Note one run."""
        self._lock.acquire()  # half as long as `with` takes, and every call comes through here
        try:
            counts = self._tools.get(name) or self._new(name)
            if not counts.calls or duration_ms < counts.shortest_ms:
                counts.shortest_ms = duration_ms
            counts.calls += 1
            counts.errors += failed
            counts.total_ms += duration_ms
            counts.recent_ms.append(duration_ms)
            if duration_ms > counts.longest_ms:
                counts.longest_ms = duration_ms
        finally:
            self._lock.release()

    def invalid(self, name: str, arguments: object, error: str) -> None:
        """Note arguments that did not fit, and what the model was told about them."""
        wrong = WrongCall(time.time(), _as_given(arguments), error)
        with self._lock:
            counts = self._tools.get(name) or self._new(name)
            counts.validation_failures += 1
            counts.wrong_calls.append(wrong)

    def denied(self, name: str) -> None:
        """Note a call that was not allowed to run."""
        with self._lock:
            (self._tools.get(name) or self._new(name)).denied += 1

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._tools.clear()

    def _new(self, name: str) -> _Counts:
        counts = self._tools[name] = _Counts()
        return counts


class _Counts:
    """What is counted of one tool."""

    __slots__ = (
        "calls",
        "denied",
        "errors",
        "longest_ms",
        "recent_ms",
        "shortest_ms",
        "total_ms",
        "validation_failures",
        "wrong_calls",
    )

    def __init__(self) -> None:
        self.calls = self.errors = self.validation_failures = self.denied = 0
        self.total_ms = self.shortest_ms = self.longest_ms = 0.0
        self.recent_ms: deque[float] = deque(maxlen=RECENT_RUNS)
        self.wrong_calls: deque[WrongCall] = deque(maxlen=WRONG_CALLS)

    def as_they_are(self) -> ToolStatistics:
        return ToolStatistics(
            calls=self.calls,
            errors=self.errors,
            validation_failures=self.validation_failures,
            denied=self.denied,
            total_ms=self.total_ms,
            shortest_ms=self.shortest_ms,
            longest_ms=self.longest_ms,
            last_ms=self.recent_ms[-1] if self.recent_ms else 0.0,
            recent_ms=tuple(self.recent_ms),
            wrong_calls=tuple(self.wrong_calls),
        )


def _as_given(arguments: object) -> str:
    if isinstance(arguments, bytes):
        arguments = arguments.decode("utf-8", "backslashreplace")
    if isinstance(arguments, str):
        text = arguments
    else:
        try:
            text = json.dumps(arguments, ensure_ascii=False, default=repr)
        except (TypeError, ValueError, RecursionError):  # keys that are not texts, values in themselves
            text = repr(arguments)
    if len(text) <= _LONGEST_TEXT:
        return text
    return f"{text[:_LONGEST_TEXT]}… ({len(text):,} characters)"
