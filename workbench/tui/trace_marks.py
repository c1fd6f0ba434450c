"""What changes between calls, as rows of the trace: tools switched, a new conversation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from workbench.tui import events
from workbench.tui.outline import Outline
from workbench.tui.trace_records import Mark, Turn
from workbench.visible import visible_line

TOGETHER: Final = 0.1
"""Seconds within which tools switched the same way, for the same reason, are one action."""


class Marks:
    """Puts marks into the outline; ``serial`` numbers records."""

    def __init__(self, outline: Outline, serial: Callable[[], int]) -> None:
        self._outline = outline
        self._serial = serial
        self._last: Mark | None = None

    def switched(self, event: events.ToolsChanged, turn: Turn | None) -> None:
        """A tool was switched on or off, during ``turn`` if one runs; others change nothing here."""
        if event.tool is None or event.change not in ("enable", "disable"):
            return
        mark = Mark(self._serial(), "on" if event.change == "enable" else "off", [visible_line(event.tool)])
        mark.detail, mark.at = _who_and_why(event), event.at
        last = self._last
        if last is not None and _one_action(last, mark):
            last.names += [name for name in mark.names if name not in last.names]
            last.at = mark.at
            return
        self._last = mark
        if turn is not None and turn.iterations:
            mark.iteration, mark.turn = turn.iterations[-1], turn
            self._outline.add(mark.iteration, [mark])
        else:
            self._outline.append(mark)

    def end_row(self) -> None:
        """What is switched next is an action of its own."""
        self._last = None

    def note(self, text: str, about: str = "") -> None:
        """Something that holds for all that comes after it.

        One ``about`` the same thing as the row right above it takes that row's place.
        """
        self.end_row()
        mark = Mark(self._serial(), "note", [text], about=about)
        last = self._outline.rows[-1] if self._outline.rows else None
        if about and isinstance(last, Mark) and last.about == about:
            self._outline.replace_last(mark)
        else:
            self._outline.append(mark)


def _who_and_why(event: events.ToolsChanged) -> str:
    reason = visible_line(event.reason or "").removeprefix("switched off ")
    if not event.by:
        return reason
    who = "by you" if event.by == "user" else f"by {event.by}"
    return who if event.by == "user" or not reason else f"{who}: {reason}"


def _one_action(last: Mark, mark: Mark) -> bool:
    return (last.kind, last.detail) == (mark.kind, mark.detail) and mark.at - last.at <= TOGETHER
