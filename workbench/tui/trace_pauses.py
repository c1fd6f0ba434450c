"""Pauses at breakpoints, as rows of the trace: beside the call that stood still, with a person's time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Final

from workbench.tui import events
from workbench.tui.outline import Outline
from workbench.tui.trace_records import Entry
from workbench.visible import visible_line

_DONE: Final = {
    "continue": "continued",
    "step": "stepped",
    "skip": "skipped",
    "again": "run again",
    "stop": "stopped",
}


class Pauses:
    """Puts pauses into the outline. ``serial`` numbers records, ``count`` is told of each new one."""

    def __init__(self, outline: Outline, serial: Callable[[], int], count: Callable[[Entry], object]) -> None:
        self._outline = outline
        self._serial = serial
        self._count = count
        self._open: dict[tuple[str, str], Entry] = {}

    def begin(self, event: events.PauseStarted, call: Entry) -> None:
        """The call stands still; the clock of its turn does too."""
        turn = call.turn
        pause = Entry(self._serial(), "you", call.iteration, "pause", "waiting", event.at)
        pause.detail = f"{event.when} {visible_line(event.name.rpartition('.')[2])}"
        pause.wait = turn.clock.stop(event.at)
        pause.start = pause.end = turn.work(event.at)
        call.iteration.end = max(call.iteration.end, pause.start)
        call.state, call.label = "waiting", None
        if event.when == "before":
            call.start = None
        self._open[event.agent, event.call_id] = pause
        self._count(pause)
        self._outline.add(call.iteration, [pause], before=call if event.when == "before" else _after(call))

    def end(self, event: events.PauseFinished, call: Entry | None) -> None:
        """The person has said how to go on."""
        pause = self._open.pop((event.agent, event.call_id), None)
        if pause is None:
            return
        pause.turn.clock.go_on(event.at)
        pause.ms, pause.state, pause.label = event.duration_ms, "success", None
        pause.detail = f"{pause.detail}   {_DONE.get(event.action, event.action)}"
        if call is not None and call.state == "waiting":
            call.state, call.began, call.label = "running", event.at, None
            if call.start is None:
                call.start = call.turn.work(event.at)


def _after(call: Entry) -> Entry | None:
    """The entry that follows the call and its pauses in its iteration, None if there is none."""
    entries = call.iteration.entries
    behind = entries[entries.index(call) + 1 :]
    mine = takewhile(lambda entry: not isinstance(entry, Entry) or _paused_after(entry), behind)
    return next((entry for entry in behind[len(list(mine)) :] if isinstance(entry, Entry)), None)


def _paused_after(entry: Entry) -> bool:
    return entry.kind == "you" and entry.name == "pause" and entry.detail.startswith("after ")
