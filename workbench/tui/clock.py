"""The working time of a turn: what passed since it began, waits for a person cut out."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class Clock:
    """Counts working time in milliseconds from ``since`` (Unix seconds) on.

    ``waits`` are the working times at which a wait began. Agents that run within a turn share its clock:
    while a person is asked by one of them, all of it waits.
    """

    since: float
    waits: list[float] = field(default_factory=list)
    _worked: float = 0.0
    _waiting: int = 0

    def work(self, at: float) -> float:
        """Working time up to ``at`` (Unix seconds)."""
        if self._waiting:
            return self._worked
        return self._worked + max(0.0, at - self.since) * 1000

    def stop(self, at: float) -> int:
        """A person is asked; returns which of ``waits`` it falls into."""
        if not self._waiting:
            self._worked = self.work(at)
            self.waits.append(self._worked)
        self._waiting += 1
        return len(self.waits) - 1

    def leave_out(self, milliseconds: float) -> None:
        """So much of the time since then was a person's after all; nothing while somebody waits."""
        if not self._waiting:
            self.since += milliseconds / 1000

    def go_on(self, at: float) -> None:
        """The person answered; time counts again once nobody else waits."""
        self._waiting = max(0, self._waiting - 1)
        if not self._waiting:
            self.since = at
