"""Calls that a person runs; of one that runs again also what it was, and how the two compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from workbench.tui.result_diff import difference

if TYPE_CHECKING:
    from workbench.tui.trace_records import Entry

State = Literal["pending", "running", "ended"]


@dataclass(slots=True, eq=False)
class HandRun:
    """A call of a tool that a person runs; ``call_id`` is empty before it was begun.

    ``data`` is its trace entry once it ended; None for one that never came to an end of its own.
    """

    tool: str
    arguments: Mapping[str, Any]
    call_id: str = ""
    state: State = "pending"
    data: Mapping[str, Any] | None = None

    @property
    def again_of(self) -> str | None:
        """The id of the traced call that it runs again."""
        return None


@dataclass(slots=True, eq=False)
class Rerun(HandRun):
    """``entry``, a call of the trace, runs again."""

    entry: Entry = field(kw_only=True)

    @classmethod
    def of(cls, entry: Entry, arguments: Mapping[str, Any] | None = None) -> Rerun:
        """The call with its own arguments, or with others."""
        given = entry.arguments if arguments is None else arguments
        return cls(str(entry.data["tool_name"]), given, entry=entry)

    @property
    def again_of(self) -> str | None:
        """The id of the traced call that it runs again."""
        return self.entry.call_id

    @property
    def old(self) -> Mapping[str, Any]:
        """The trace entry of the first run."""
        return self.entry.data

    @property
    def edited(self) -> bool:
        """Whether it runs with other arguments than before."""
        return dict(self.arguments) != dict(self.entry.arguments)

    @property
    def compared(self) -> tuple[str, str]:
        """How the new run compares, in a few words, and their style key."""
        if self.data is None:
            waits = {"pending": ("waits", "muted"), "running": ("running", "accent")}
            return waits.get(self.state, ("did not run", "muted"))
        before, now = str(self.old.get("status", "")), str(self.data.get("status", ""))
        if now != before:
            key = "error" if now in ("error", "not_found") else "success" if now == "success" else "warning"
            return f"{before} → {now}".replace("_", " "), key
        told = difference(str(self.old.get("result", "")), str(self.data.get("result", "")))
        return (told, "accent") if told else ("the same", "muted")

    @property
    def changed(self) -> bool:
        """Whether it ended, and otherwise than before."""
        return self.data is not None and self.compared[0] != "the same"
