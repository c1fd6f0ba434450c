"""What the entries of a trace that are shown come to: each moment counts once for each kind of time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter, le
from typing import Any, Final

from workbench.tui.clock import Clock
from workbench.tui.render import count_text, time_cells
from workbench.tui.trace_records import FAILED, Entry, Kind, Turn

_WORKED: Final[tuple[Kind, ...]] = ("llm", "tool")
_WORDS: Final = (("llm", "model"), ("you", "you"), ("hooks", "hooks"))


class Covered:
    """How much time spans cover, in milliseconds: what several of them cover counts once.

    Spans are told of one clock after the other: those of another clock lie in another time.
    """

    def __init__(self) -> None:
        self.ms = 0.0
        self._clock: Clock | None = None
        self._starts: list[float] = []  # of the spans on this clock, put together where they meet
        self._ends: list[float] = []

    def copy(self) -> Covered:
        """What it covers now; the one goes on without the other."""
        other = Covered()
        other.ms, other._clock = self.ms, self._clock
        other._starts, other._ends = self._starts.copy(), self._ends.copy()
        return other

    def add(self, clock: Clock | None, starts: Sequence[float], ends: Sequence[float]) -> None:
        """Cover spans, given by their starts and ends."""
        if not starts:
            return
        if clock is not self._clock:
            self._clock, self._starts, self._ends = clock, [], []
        behind = not self._ends or self._ends[-1] <= starts[0]
        if not (behind and all(map(le, ends, starts[1:]))):
            self._put_together(sorted(zip(starts, ends, strict=True)))
            return
        # one after the other, as nearly always
        self.ms += sum(ends) - sum(starts)
        self._starts += starts
        self._ends += ends

    def _put_together(self, spans: Sequence[tuple[float, float]]) -> None:
        start, end = spans[0]
        for next_start, next_end in spans[1:]:
            if next_start > end:
                self._put(start, end)
                start, end = next_start, next_end
            elif next_end > end:
                end = next_end
        self._put(start, end)

    def _put(self, start: float, end: float) -> None:
        first, last = bisect_left(self._ends, start), bisect_right(self._starts, end)
        if first < last:
            self.ms -= sum(self._ends[first:last]) - sum(self._starts[first:last])
            start, end = min(start, self._starts[first]), max(end, self._ends[last - 1])
        self.ms += end - start
        self._starts[first:last], self._ends[first:last] = [start], [end]


class Totals:
    """What is shown, in numbers: ``times`` by what the time went by on, a person's with the others."""

    def __init__(self) -> None:
        self.entries = 0
        self.calls = 0
        self.errors = 0
        self.tokens = 0
        self.times: dict[str, Covered] = {kind: Covered() for kind in (*_WORKED, "you", "hooks")}

    def copy(self) -> Totals:
        """What it came to so far; the one goes on without the other."""
        other = Totals()
        other.entries, other.calls = self.entries, self.calls
        other.errors, other.tokens = self.errors, self.tokens
        other.times = {kind: covered.copy() for kind, covered in self.times.items()}
        return other

    def add(self, entries: Sequence[Entry], turn: Turn | None = None) -> None:
        """Take entries in, in the order in which they came up; ``turn`` is that of all of them, if known."""
        self.entries += len(entries)
        for clock, group in _by_clock(entries, turn):
            self._add(clock, group)

    def _add(self, clock: Clock, entries: Sequence[Entry]) -> None:
        # one loop for everything: of 100,000 entries, looking at each again would be most of a filter's work
        spans: dict[Kind, tuple[list[float], list[float]]] = {kind: ([], []) for kind in _WORKED}
        calls = errors = 0
        hooked, waits = False, []
        starts, ends = spans["tool"]
        for entry in entries:
            if entry.state in FAILED:
                errors += 1
            if entry.hooks:
                hooked = True
            start, end, kind = entry.start, entry.end, entry.kind
            if kind == "tool":
                calls += 1
                if start is not None and end is not None:  # it ran, and does no longer
                    starts.append(start)
                    ends.append(end)
            elif kind == "llm":
                self.tokens += _tokens(entry)
                if start is not None and end is not None:
                    spans[kind][0].append(start)
                    spans[kind][1].append(end)
            elif entry.ms:
                waits.append((entry.began * 1000, entry.began * 1000 + entry.ms))
        self.calls += calls
        self.errors += errors
        for kind, of_kind in spans.items():
            self.times[kind].add(clock, *of_kind)
        if hooked:
            self._add_hooks(clock, entries)
        # a person's time is cut out of the clocks of turns, and there is one person
        self.times["you"].add(None, [start for start, _ in waits], [end for _, end in waits])

    def _add_hooks(self, clock: Clock, entries: Sequence[Entry]) -> None:
        spans: list[tuple[float, float]] = []
        for entry in entries:
            before, after = entry.hooks or (0.0, 0.0)
            if before and entry.start is not None:
                spans.append((entry.start - before, entry.start))
            if after and entry.end is not None:
                spans.append((entry.end, entry.end + after))
        spans.sort()
        self.times["hooks"].add(clock, [start for start, _ in spans], [end for _, end in spans])

    def parts(self) -> list[str]:
        """It in words, what matters most first."""
        calls, ms = f"{self.calls:,} call{'' if self.calls == 1 else 's'}", self._time("tool")
        said = [
            f"{self.errors:,} error{'' if self.errors == 1 else 's'}" if self.errors else "",
            f"{calls} {ms}".strip() if self.calls else "",
            *(f"{word} {self._time(kind)}" if self._time(kind) else "" for kind, word in _WORDS),
            f"{count_text(self.tokens)} tok" if self.tokens else "",
        ]
        return [part for part in said if part]

    def _time(self, kind: str) -> str:
        ms = self.times[kind].ms
        return time_cells(ms).strip() if ms > 0 else ""


_clock_of = attrgetter("iteration.turn.clock")


def _by_clock(entries: Sequence[Entry], turn: Turn | None) -> Iterator[tuple[Clock, Sequence[Entry]]]:
    """The entries of each clock, as long as they follow each other."""
    if turn is not None:
        yield turn.clock, entries
        return
    for clock, group in groupby(entries, key=_clock_of):
        yield clock, list(group)


def _tokens(entry: Entry) -> int:
    usage: Any = entry.data.get("usage")
    return usage.input_tokens + usage.output_tokens if usage is not None else 0
