"""The entries of a trace that fit a query, as rows, with their totals; kept up while the trace grows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Final

from workbench.tui.trace_query import Query
from workbench.tui.trace_records import NO_DATA, Entry, Row, Turn
from workbench.tui.trace_texts import TraceTexts, ended
from workbench.tui.trace_totals import Totals

_STEP: Final = 2_000
_FEW: Final = 20
"""Up to so many rows, putting each into a list is faster than making the list of all."""


@dataclass(frozen=True, slots=True)
class _Section:
    """The rows of one outermost turn: where they begin in ``rows``, and its entries in ``matches``.

    ``plain``: below the row of the turn stand entries of its own alone, in the order in which they came up.
    """

    turn: Turn | None = None
    row: int = 0
    match: int = 0
    plain: bool = True


@dataclass(frozen=True, slots=True)
class _Checkpoint:
    """How far everything was when the first entry came that may still change."""

    at: int
    rows: int
    matches: int
    section: _Section
    totals: Totals


class TraceFilter:
    """Goes through ``flat``, all entries in order, a step at a time, so that it never holds anything up.
    ``texts`` is what is said in them.

    ``rows`` are the entries that fit, each turn's under the row of the turn; the turn of an agent within a
    call stands where that call does. Turns are folded here apart from the tree. Entries that may still
    change are looked at anew by ``follow``; what ended is looked at once. ``clock`` gives seconds.
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
        self._section = _Section()
        self._folded: dict[Turn, int] = {}
        self._checkpoint: _Checkpoint | None = None

    @property
    def done(self) -> bool:
        """Whether all entries have been gone through."""
        return self._at >= len(self._flat)

    def parts(self) -> list[str]:
        """How much of all is shown, and what that comes to; or what in the query means nothing."""
        if self.query.problem:
            return [self.query.problem]
        looked = [] if self.done else [f"looked at {self._at:,}"]
        return [f"{self.totals.entries:,} of {len(self._flat):,}", *looked, *self.totals.parts()]

    def begin(self, query: Query) -> None:
        """Look for something else."""
        self.query, self.rows, self.matches, self.totals = query, [], [], Totals()
        self._at, self._section, self._checkpoint = 0, _Section(), None
        self._folded = {}

    def follow(self) -> None:
        """The trace has changed: go back to the first entry that had not ended when it was looked at."""
        reached = self._checkpoint
        if reached is None:
            return
        self._checkpoint = None
        self._at, self.totals = reached.at, reached.totals
        del self.matches[reached.matches :]
        self._cut(reached.section, reached.rows)

    def step(self, seconds: float) -> None:
        """Go on for about this long."""
        until = self._clock() + seconds
        while not self.done:
            self._take(self._flat[self._at : self._at + _STEP])
            if self._clock() >= until:
                break

    # folding

    def folded(self, turn: Turn) -> int:
        """How many entries that fit are folded away in a turn; 0 while it is unfolded."""
        return self._folded.get(turn, 0)

    def fold(self, turn: Turn, away: bool) -> None:
        """Fold away what fits in a turn, or show it again."""
        if away == (turn in self._folded):
            return
        if away:
            self._folded[turn] = 0
        else:
            del self._folded[turn]
        self._place_all()

    def fold_all(self, away: bool) -> None:
        """Fold all turns in which something fits away, or show all again."""
        self._folded = dict.fromkeys(map(_root_of, self.matches), 0) if away else {}
        self._place_all()

    @property
    def any_folded(self) -> bool:
        """Whether anything that fits is folded away."""
        return bool(self._folded)

    def reveal(self, entry: Entry | Turn) -> None:
        """Unfold what hides an entry or a turn."""
        around = entry.turn.around if isinstance(entry, Entry) else entry.around[:-1]
        hidden = [turn for turn in around if turn in self._folded]
        for turn in hidden:
            del self._folded[turn]
        if hidden:
            self._place_all()

    # entries

    def _take(self, entries: list[Entry]) -> None:
        if self._checkpoint is None:
            still = len(entries)
            if [entry for entry in entries if entry.data is NO_DATA]:
                still = next((at for at, entry in enumerate(entries) if not ended(entry)), still)
            self._add(entries[:still])
            if still == len(entries):
                return
            entries = entries[still:]
            where = (self._at, len(self.rows), len(self.matches), self._section)
            self._checkpoint = _Checkpoint(*where, self.totals.copy())
        self._add(entries)

    def _add(self, entries: Sequence[Entry]) -> None:
        start = self._at
        self._at = stop = start + len(entries)
        found = self.query.keep(entries, lambda word: self._texts.holding(word, start, stop))
        self.matches += found
        plain = self._place(len(self.matches) - len(found), len(self.matches))
        self.totals.add(found, self._section.turn if plain else None)

    # rows

    def _place_all(self) -> None:
        """Make the rows of all matches anew."""
        self.rows, self._section = [], _Section()
        reached = self._checkpoint
        known = reached.matches if reached is not None else 0
        self._place(0, known)
        if reached is not None:
            where = (reached.at, len(self.rows), known, self._section)
            self._checkpoint = _Checkpoint(*where, reached.totals)
        self._place(known, len(self.matches))

    def _place(self, start: int, stop: int) -> bool:
        """Make rows of these matches, behind those that have theirs; whether all are of the turn of those."""
        found = self.matches[start:stop]
        section = self._section
        turns: list[Turn | None] = [entry.iteration.turn for entry in found]
        if section.plain and turns.count(section.turn) == len(found):
            self.rows += _with_reasons(found)
            return True
        for turn, group in groupby(found, key=_root_of):
            entries = list(group)
            start += len(entries)
            self._place_in(turn, entries, start)
        return False

    def _place_in(self, turn: Turn, entries: list[Entry], stop: int) -> None:
        """Make rows of entries of an outermost turn; they are the matches before ``stop``."""
        if turn is not self._section.turn:
            self._section = _Section(turn, len(self.rows), stop - len(entries))
            self.rows.append(turn)
        section = self._section
        own = turn not in self._folded and all(each is turn for each in map(_turn_of, entries))
        if section.plain and own:
            self.rows += _with_reasons(entries)
            return
        self._section = _Section(turn, section.row, section.match, plain=False)
        del self.rows[section.row + 1 :]
        self.rows += self._below(turn, self.matches[section.match : stop])

    def _cut(self, section: _Section, rows: int) -> None:
        """Take away the rows that came since then; ``matches`` are those of then."""
        now, self._section = self._section, section
        if now.row == section.row and not now.plain and section.turn is not None:
            del self.rows[section.row + 1 :]
            self.rows += self._below(section.turn, self.matches[section.match :])
        else:
            del self.rows[rows:]

    def _below(self, root: Turn, found: Sequence[Entry]) -> list[Row]:
        """The rows below an outermost turn: what fits in it, agents within a call where that call is."""
        within: dict[Turn, list[Entry | Turn]] = {root: []}

        def of(turn: Turn) -> list[Entry | Turn]:
            if turn not in within:
                within[turn] = []
                if turn.parent is not None:
                    of(turn.parent.turn).append(turn)
            return within[turn]

        for entry in found:
            of(entry.turn).append(entry)

        def rows(turn: Turn) -> list[Row]:
            if turn in self._folded:
                self._folded[turn] = sum(entry.turn.within(turn) for entry in found)
                return []
            shown: list[Row] = []
            for each in sorted(within[turn], key=_place_of):
                shown += [each, *rows(each)] if isinstance(each, Turn) else _with_reasons([each])
            return shown

        return rows(root)


_turn_of = attrgetter("iteration.turn")
_root_of = attrgetter("iteration.turn.root")


def _place_of(row: Entry | Turn) -> tuple[int, int]:
    """Where a row stands in its turn: that of an agent right behind the call that it ran within."""
    if isinstance(row, Turn) and row.parent is not None:
        return row.parent.serial, row.serial
    return row.serial, 0


def _with_reasons(found: Sequence[Entry]) -> Sequence[Row]:
    """The entries, each failed one with the row that says why."""
    reasons = [entry.reason for entry in found]
    some = len(reasons) - reasons.count(None)
    if not some:
        return found
    if some > _FEW:
        return [row for pair in zip(found, reasons, strict=True) for row in pair if row is not None]
    rows: list[Row] = list(found)
    for place, reason in reversed([(place, reason) for place, reason in enumerate(reasons) if reason]):
        rows.insert(place + 1, reason)
    return rows
