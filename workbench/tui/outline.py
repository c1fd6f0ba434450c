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

    def empty(self) -> None:
        """Take all rows away."""
        self._splice(0, len(self.rows), [])

    def replace_last(self, row: Mark) -> None:
        """Put a mark of the outermost level in the place of the last row."""
        self._splice(len(self.rows) - 1, 1, [row])

    def add_guest(self, turn: Turn, host: Entry) -> None:
        """Add the turn of an agent below the call that it runs within."""
        host.guests = [*(host.guests or ()), turn]
        if _shown(host.iteration):
            index = self.index(host) + 1
            while index < len(self.rows) and _hangs_on(self.rows[index], host):
                index += 1
            self._splice(index, 0, [turn])

    def add_iteration(self, iteration: Iteration) -> None:
        """Add an iteration at the end of its turn."""
        turn = iteration.turn
        turn.iterations.append(iteration)
        if not turn.by_hand and turn.open and _in_sight(turn):
            self._splice(self._end(turn), 0, [iteration])

    def add(self, iteration: Iteration, added: list[Entry | Mark], before: Entry | None = None) -> None:
        """Add entries at the end of an iteration, or before one of its entries."""
        shown = _shown(iteration)
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
            if owner.open and _in_sight(owner):
                self._splice(self._end(owner), 0, [reason])
            return
        owner.reason = reason
        if _shown(owner.iteration):
            self._splice(self.index(owner) + 1, 0, [reason])

    def fold(self, group: Turn | Iteration, index: int | None = None) -> None:
        """Fold a turn or iteration away to its one row; ``index`` is its place, if that is known."""
        if group.open:
            below = len(self._below(group))
            group.open = False
            if _in_sight(group):
                start = self.index(group) + 1 if index is None else index + 1
                self._splice(start, below, [])

    def unfold(self, group: Turn | Iteration, index: int | None = None) -> None:
        """Show the rows of a turn or iteration."""
        if not group.open:
            group.open = True
            if _in_sight(group):
                start = self.index(group) + 1 if index is None else index + 1
                self._splice(start, 0, self._below(group))

    def fold_all(self, away: bool) -> None:
        """Fold all outermost turns, or unfold all that is in them."""
        rows: list[Row] = []
        for row in self.rows:
            if isinstance(row, Turn) and row.parent is None:
                row.open = not away
                if not away:
                    _unfold_within(row)
                rows += [row, *self._below(row)]
            elif isinstance(row, Mark) and row.iteration is None:
                rows.append(row)
        self._splice(0, len(self.rows), rows)

    def reveal(self, row: Entry | Turn) -> int:
        """Unfold what hides an entry or a turn; returns the index of its row."""
        hidden: list[Turn | Iteration] = []
        around = row.parent if isinstance(row, Turn) else row
        while around is not None:
            hidden += (around.iteration, around.turn)
            around = around.turn.parent
        for group in reversed(hidden):
            self.unfold(group)
        return self.index(row)

    def _below(self, group: Turn | Iteration) -> list[Row]:
        if not group.open:
            return []
        rows: list[Row] = []
        if isinstance(group, Turn):
            for iteration in group.iterations:
                if not group.by_hand:
                    rows.append(iteration)
                rows += self._below(iteration)
            if group.failure is not None:
                rows.append(group.failure)
            return rows
        for entry in group.entries:
            rows.append(entry)
            if not isinstance(entry, Entry):
                continue
            if entry.reason is not None:
                rows.append(entry.reason)
            for guest in entry.guests or ():
                rows.append(guest)
                rows += self._below(guest)
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
        while index and not ((last := self.rows[index - 1].turn) is turn or (last and last.within(turn))):
            index -= 1
        return index


def _unfold_within(turn: Turn) -> None:
    turn.open = True
    for iteration in turn.iterations:
        iteration.open = True
        for entry in iteration.entries:
            for guest in (entry.guests or ()) if isinstance(entry, Entry) else ():
                _unfold_within(guest)


def _in_sight(group: Turn | Iteration) -> bool:
    """Whether the row of a turn or iteration is not folded away."""
    if isinstance(group, Iteration):
        return group.turn.open and _in_sight(group.turn)
    return group.parent is None or _shown(group.parent.iteration)


def _shown(iteration: Iteration) -> bool:
    """Whether the entries of an iteration are not folded away."""
    return iteration.open and _in_sight(iteration)


def _hangs_on(row: Row, host: Entry) -> bool:
    """Whether a row below a call belongs to it: why it failed, or an agent that ran within it."""
    if row is host.reason:
        return True
    turn = row.turn
    while turn is not None and turn.parent is not None:
        if turn.parent is host:
            return True
        turn = turn.parent.turn
    return False
