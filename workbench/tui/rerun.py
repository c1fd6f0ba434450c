"""Calls that a person runs; of one that runs again also what it was, and how the two compare."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from workbench.tui.comparison import Comparison
from workbench.visible import as_left

if TYPE_CHECKING:
    from workbench.tui.trace_records import Entry

State = Literal["pending", "running", "ended"]
Comparing = Literal["not yet", "now", "stopped"]


@dataclass(frozen=True, slots=True)
class Compared:
    """How both runs of a call differ in what they were given, in what they gave and in what they printed."""

    arguments: Comparison
    result: Comparison
    output: Comparison


@dataclass(slots=True, eq=False)
class HandRun:
    """A call of a tool that a person runs; ``call_id`` is empty before it was begun.

    ``data`` is its trace entry once it ended; None for one that never came to an end of its own. ``guest`` is
    the number of the agent inside a tool that runs it, 0 for the agent that the person talks to. It runs
    since ``began``, in Unix seconds.
    """

    tool: str
    arguments: Mapping[str, Any]
    call_id: str = ""
    state: State = "pending"
    data: Mapping[str, Any] | None = None
    guest: int = 0
    began: float = 0.0

    @property
    def again_of(self) -> str | None:
        """The id of the traced call that it runs again."""
        return None


@dataclass(slots=True, eq=False)
class Rerun(HandRun):
    """``entry``, a call of the trace, runs again.

    ``found`` is how the two runs differ once that is known; ``comparing`` says whether that is being found
    out.
    """

    entry: Entry = field(kw_only=True)
    found: Compared | None = None
    comparing: Comparing = "not yet"

    @classmethod
    def of(cls, entry: Entry, arguments: Mapping[str, Any] | None = None, guest: int = 0) -> Rerun:
        """The call with its own arguments, or with others."""
        given = entry.arguments if arguments is None else arguments
        return cls(str(entry.data["tool_name"]), given, entry=entry, guest=guest)

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
        if now != before and self.data.get("fault"):
            return f"{now}, by the fault".replace("_", " "), "warning"
        if now != before:
            key = "error" if now in ("error", "not_found") else "success" if now == "success" else "warning"
            return f"{before} → {now}".replace("_", " "), key
        if self.results[0] == self.results[1]:
            return "the same", "muted"
        if self.found is None:
            return ("not compared", "muted") if self.comparing == "stopped" else ("comparing …", "accent")
        return self.found.result.told, "accent"

    @property
    def changed(self) -> bool:
        """Whether it ended, and otherwise than before."""
        if self.data is None:
            return False
        return self.old.get("status") != self.data.get("status") or self.results[0] != self.results[1]

    @property
    def results(self) -> tuple[str, str]:
        """What it gave before, and what it gives now."""
        return str(self.old.get("result", "")), str((self.data or {}).get("result", ""))

    @property
    def outputs(self) -> tuple[str, str]:
        """What it printed before, and now, as a terminal would have left it."""
        before, now = (as_left(str(data.get("output") or "")) for data in (self.old, self.data or {}))
        return before, now

    @property
    def given(self) -> tuple[str, str]:
        """The arguments before, and now, as JSON; both empty where they are the same."""
        if not self.edited:
            return "", ""
        before, now = (
            json.dumps(dict(value), indent=2, ensure_ascii=False, default=repr)
            for value in (self.entry.arguments, self.arguments)
        )
        return before, now
