"""The entries of a trace that fit a query, as rows, with their totals; kept up while the trace grows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from workbench.tui.render import count_text, time_cells
from workbench.tui.trace_query import Query
from workbench.tui.trace_records import FAILED, Entry, Row, Turn
from workbench.tui.trace_texts import TraceTexts, ended

_STEP: Final = 2_000


@dataclass(slots=True)
class Totals:
    """What is shown, in numbers; ``ms`` is without the waits for a person."""

    entries: int = 0
    calls: int = 0
    errors: int = 0
    ms: float = 0.0
    tokens: int = 0


class TraceFilter:
    """Goes through ``flat``, all entries in order, a step at a time, so that it never holds anything up.
    ``texts`` is what is said in them.

    ``rows`` are the entries that fit, each turn's under the row of the turn. Entries that may still change
    are looked at anew by ``follow``; what ended is looked at once. ``clock`` gives seconds.
    """

    def __init__(
        self, flat: list[Entry], texts: TraceTexts, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self.query = Query()
        self.rows: list[Row] = []
        self.matches: list[Entry] = []
        self.totals = Totals()
        self._flat = flat
        self._clock = clock
        self._texts = texts
        self._at = 0
        self._turn: Turn | None = None
        self._checkpoint: tuple[int, int, int, Turn | None, Totals] | None = None

    @property
    def done(self) -> bool:
        """Whether all entries have been gone through."""
        return self._at >= len(self._flat)

    def summary(self) -> str:
        """How much of all is shown, and what that comes to; or what in the query means nothing."""
        if self.query.problem:
            return self.query.problem
        totals = self.totals
        parts = [f"{totals.entries:,} of {len(self._flat):,}"]
        if not self.done:
            parts.append(f"looked at {self._at:,}")
        if totals.calls:
            parts.append(f"{totals.calls:,} call{'' if totals.calls == 1 else 's'}")
        if totals.errors:
            parts.append(f"{totals.errors:,} error{'' if totals.errors == 1 else 's'}")
        if totals.ms:
            parts.append(time_cells(totals.ms).strip())
        if totals.tokens:
            parts.append(f"{count_text(totals.tokens)} tok")
        return "  ".join(parts)

    def begin(self, query: Query) -> None:
        """Look for something else."""
        self.query, self.rows, self.matches, self.totals = query, [], [], Totals()
        self._at, self._turn, self._checkpoint = 0, None, None

    def follow(self) -> None:
        """The trace has changed: go back to the first entry that had not ended when it was looked at."""
        if self._checkpoint is not None:
            self._at, rows, matches, self._turn, self.totals = self._checkpoint
            del self.rows[rows:], self.matches[matches:]
            self._checkpoint = None

    def step(self, seconds: float) -> None:
        """Go on for about this long."""
        until = self._clock() + seconds
        while not self.done:
            self._take(self._flat[self._at : self._at + _STEP])
            if self._clock() >= until:
                break

    def _take(self, entries: list[Entry]) -> None:
        if self._checkpoint is None:
            still = len(entries)
            if not all(map(_data_of, entries)):
                still = next((at for at, entry in enumerate(entries) if not ended(entry)), still)
            self._add(entries[:still])
            if still == len(entries):
                return
            entries = entries[still:]
            where = (self._at, len(self.rows), len(self.matches), self._turn)
            self._checkpoint = (*where, replace(self.totals))
        self._add(entries)

    def _add(self, entries: Sequence[Entry]) -> None:
        start = self._at
        self._at = stop = start + len(entries)
        found = self.query.keep(entries, lambda word: self._texts.holding(word, start, stop))
        self.matches += found
        turns = list(map(_turn_of, found))
        if turns.count(self._turn) == len(turns):
            self._show(found)
        else:
            for turn, group in groupby(found, key=_turn_of):
                around = self._turn.around if self._turn is not None else []
                self.rows += [each for each in turn.around if each not in around]
                self._turn = turn
                self._show(list(group))
        self._count(found)

    def _show(self, found: Sequence[Entry]) -> None:
        if any(map(_reason_of, found)):
            self.rows += [row for entry in found for row in (entry, entry.reason) if row is not None]
        else:
            self.rows += found

    def _count(self, found: Sequence[Entry]) -> None:
        totals = self.totals
        kinds, states = list(map(_kind_of, found)), list(map(_state_of, found))
        totals.entries += len(found)
        totals.calls += kinds.count("tool")
        totals.errors += sum(map(states.count, FAILED))
        worked = found if "you" not in kinds else [entry for entry in found if entry.kind != "you"]
        totals.ms += sum(filter(None, map(_ms_of, worked)))
        if "llm" in kinds:
            totals.tokens += sum([_tokens(entry) for entry in found if entry.kind == "llm"])


_turn_of = attrgetter("iteration.turn")
_reason_of = attrgetter("reason")
_data_of = attrgetter("data")
_kind_of = attrgetter("kind")
_state_of = attrgetter("state")
_ms_of = attrgetter("ms")


def _tokens(entry: Entry) -> int:
    usage: Any = entry.data.get("usage")
    return usage.input_tokens + usage.output_tokens if usage is not None else 0
