"""Waits for a person, as rows of the trace: before the calls that wait, with what became of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from workbench.tui import events
from workbench.tui.outline import Outline
from workbench.tui.trace_records import OPEN, Entry, Iteration, State

_RUN: Final = "run"
_UNDONE: Final[dict[State, str]] = {"rejected": "rejected", "cancelled": "cancelled"}
_OTHERS: Final = ("hook", "policy")
_ORDER: Final = (_RUN, *_UNDONE.values())


class Waits:
    """Puts waits into the outline.

    ``serial`` numbers records, ``count`` is told of each new one, ``calls`` are those that have not ended,
    by agent and id, ``changed`` is told of a wait that says another thing than before. ``open`` holds the
    wait of each agent that waits.
    """

    def __init__(
        self,
        outline: Outline,
        serial: Callable[[], int],
        count: Callable[[Entry], object],
        calls: Mapping[tuple[str, str], Entry],
        changed: Callable[[Entry], object],
    ) -> None:
        self.open: dict[str, Entry] = {}
        self._outline = outline
        self._serial = serial
        self._count = count
        self._calls = calls
        self._changed = changed

    def begin(self, event: events.WaitStarted, iteration: Iteration) -> None:
        """A person is asked about calls of this iteration."""
        if event.agent in self.open:
            return
        turn, count = iteration.turn, len(event.calls)
        entry = Entry(self._serial(), "you", iteration, "you", "waiting", event.at)
        entry.detail = f"{count} call{'' if count == 1 else 's'} to decide"
        entry.wait = turn.clock.stop(event.at)
        entry.start = entry.end = turn.work(event.at)
        iteration.end = max(iteration.end, entry.start)
        iteration.asked = self.open[event.agent] = entry
        self._count(entry)
        for call_id in event.calls:
            call = self._calls.get((event.agent, call_id))
            if call is not None:
                call.state = "waiting"
        first = next((call for call in calls_of(iteration) if call.state in OPEN), None)
        self._outline.add(iteration, [entry], before=first)

    def end(self, event: events.WaitFinished) -> None:
        """The person decided."""
        entry = self.open.pop(event.agent, None)
        if entry is None:
            return
        entry.turn.clock.go_on(event.at)
        entry.ms, entry.state = event.duration_ms, "success"
        entry.iteration.approved = frozenset(info.id for info in event.calls if info.decision == "approve")
        for info in event.calls:
            call = self._calls.get((event.agent, info.id))
            if call is None:
                continue
            call.arguments, call.label = info.arguments, None
            if info.decision == "reject":
                call.state = "rejected"
            elif call.state != "waiting" or info.decision == "approve":
                # what was asked and not answered goes on waiting: the turn is about to end
                call.state = "pending"
        self.tell(entry.iteration)

    def tell(self, iteration: Iteration) -> None:
        """Say in the row of a wait what the person decided, whatever became of the calls behind it."""
        wait = iteration.asked
        if wait is None or wait.state == "waiting":
            return
        counts = Counter(_verdict(call) for call in calls_of(iteration))
        wait.detail = "   ".join(f"{counts[verdict]} {verdict}" for verdict in _ORDER if counts[verdict])
        wait.label = None
        self._changed(wait)


def calls_of(iteration: Iteration) -> Iterator[Entry]:
    """The tool calls of an iteration."""
    return (entry for entry in iteration.entries if isinstance(entry, Entry) and entry.kind == "tool")


def _verdict(call: Entry) -> str:
    """What a person decided about a call of a batch; "" where somebody else did."""
    if call.call_id in call.iteration.approved:
        return _RUN
    return "" if call.data.get("decided_by") in _OTHERS else _UNDONE.get(call.state, "")
