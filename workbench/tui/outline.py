"""The trace as a flat list of rows: what is folded away is not in it."""

from __future__ import annotations

from collections.abc import Callable

from workbench.tui.trace_records import Entry, Iteration, Mark, Reason, Row, Turn

Spliced = Callable[[int, int, int], None]
"""Told that ``rows[start:start + removed]`` was replaced by ``added`` rows."""


class Outline:
    """The rows of all turns that are not folded away, in order.

    Adding costs the same however long the list is: places are looked for from its end, where the live
    turn is. ``on_splice`` hears of each change of ``rows``.
    """

    def __init__(self, on_splice: Spliced) -> None:
        self.rows: list[Row] = []
        self._on_splice = on_splice

    def append(self, row: Turn | Mark) -> None:
        """Add a row of the outermost level at the end."""
        self._splice(len(self.rows), 0, [row])

    def add_iteration(self, iteration: Iteration) -> None:
        """Add an iteration at the end of its turn."""
        turn = iteration.turn
        turn.iterations.append(iteration)
        if turn.open:
            self._splice(self._end(turn), 0, [iteration])

    def add(self, iteration: Iteration, added: list[Entry | Mark], before: Entry | None = None) -> None:
        """Add entries at the end of an iteration, or before one of its entries."""
        shown = iteration.open and iteration.turn.open
        if before is None:
            iteration.entries += added
            if shown:
                self._splice(self._end(iteration.turn), 0, [*added])
            return
        place = len(iteration.entries) - 1
        while iteration.entries[place] is not before:
            place -= 1
        iteration.entries[place:place] = added
        if shown:
            self._splice(self.index(before), 0, [*added])

    def add_reason(self, reason: Reason) -> None:
        """Add why something failed: below the entry, or at the end of the turn."""
        owner = reason.owner
        if isinstance(owner, Turn):
            owner.failure = reason
            if owner.open:
                self._splice(self._end(owner), 0, [reason])
            return
        owner.reason = reason
        if owner.iteration.open and owner.turn.open:
            self._splice(self.index(owner) + 1, 0, [reason])

    def fold(self, group: Turn | Iteration, index: int | None = None) -> None:
        """Fold a turn or iteration away to its one row; ``index`` is its place, if that is known."""
        if group.open:
            start = self.index(group) + 1 if index is None else index + 1
            below = len(self._below(group))
            group.open = False
            self._splice(start, below, [])

    def unfold(self, group: Turn | Iteration, index: int | None = None) -> None:
        """Show the rows of a turn or iteration."""
        if not group.open:
            start = self.index(group) + 1 if index is None else index + 1
            group.open = True
            self._splice(start, 0, self._below(group))

    def reveal(self, entry: Entry) -> int:
        """Unfold what hides an entry; returns the index of its row."""
        self.unfold(entry.turn)
        self.unfold(entry.iteration)
        return self.index(entry)

    def _below(self, group: Turn | Iteration) -> list[Row]:
        if not group.open:
            return []
        rows: list[Row] = []
        if isinstance(group, Turn):
            for iteration in group.iterations:
                rows.append(iteration)
                rows += self._below(iteration)
            if group.failure is not None:
                rows.append(group.failure)
            return rows
        for entry in group.entries:
            rows.append(entry)
            if isinstance(entry, Entry) and entry.reason is not None:
                rows.append(entry.reason)
        return rows

    def _splice(self, start: int, removed: int, added: list[Row]) -> None:
        self.rows[start : start + removed] = added
        self._on_splice(start, removed, len(added))

    def index(self, row: Row) -> int:
        """Where a row stands. Raises LookupError while it is folded away."""
        for index in range(len(self.rows) - 1, -1, -1):
            if self.rows[index] is row:
                return index
        raise LookupError(f"not shown: {row!r}")

    def _end(self, turn: Turn) -> int:
        index = len(self.rows)
        while index and self.rows[index - 1].turn is not turn:
            index -= 1
        return index
