"""The records of a trace: turns, their iterations, and what happened in each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

Kind = Literal["llm", "you", "tool"]
State = Literal[
    "running",
    "pending",
    "waiting",
    "success",
    "error",
    "not_found",
    "rejected",
    "cancelled",
    "denied",
    "disabled",
]

FAILED: Final[frozenset[str]] = frozenset({"error", "not_found"})
OPEN: Final[frozenset[str]] = frozenset({"running", "pending", "waiting"})


@dataclass(slots=True, eq=False)
class Turn:
    """One turn. Times are in milliseconds of working time: waits for a person are cut out of them.

    ``guest`` is the turn of an agent that runs within another's. ``waits`` are the working times at which
    a wait began. ``total`` is the working time of the whole turn once it ended. ``open`` says whether its
    rows are shown.
    """

    serial: int
    number: int
    agent: str
    prompt: str
    started: float
    guest: bool = False
    live: bool = True
    open: bool = True
    status: str = ""
    total: float = 0.0
    model_calls: int = 0
    tool_calls: int = 0
    iterations: list[Iteration] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    failure: Reason | None = None
    _worked: float = 0.0
    _since: float = 0.0
    _waiting: bool = False

    @property
    def turn(self) -> Turn:
        """The turn itself, as every row has one."""
        return self

    def work(self, at: float) -> float:
        """Working time from the start of the turn to ``at`` (Unix seconds)."""
        if self._waiting:
            return self._worked
        return self._worked + max(0.0, at - self._since) * 1000

    def stop_clock(self, at: float) -> None:
        """A person is asked."""
        self._worked, self._waiting = self.work(at), True
        self.waits.append(self._worked)

    def start_clock(self, at: float) -> None:
        """The work begins, or goes on."""
        self._waiting, self._since = False, at


@dataclass(slots=True, eq=False)
class Iteration:
    """One round of model call and tool calls within a turn."""

    serial: int
    number: int
    turn: Turn
    start: float
    end: float
    calls: int = 0
    open: bool = True
    entries: list[Entry | Mark] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Entry:
    """A model call, a tool call, or a wait for a person.

    ``start``, ``first`` (first token) and ``end`` are working time of the turn in ms, None where there
    was none; ``ms`` is the time that it took. ``began`` is in Unix seconds. ``data`` is the trace entry
    once it ended. ``label`` is for the one who draws the entry, and emptied when it changes.
    """

    serial: int
    kind: Kind
    iteration: Iteration
    name: str
    state: State
    began: float
    call_id: str = ""
    start: float | None = None
    first: float | None = None
    end: float | None = None
    ms: float | None = None
    detail: str = ""
    wait: int = -1
    arguments: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    reason: Reason | None = None
    label: str | None = None

    @property
    def turn(self) -> Turn:
        """The turn that it belongs to."""
        return self.iteration.turn


@dataclass(slots=True, eq=False)
class Reason:
    """Why something failed: a row of its own below it."""

    serial: int
    owner: Turn | Entry
    text: str

    @property
    def turn(self) -> Turn:
        """The turn that it belongs to."""
        return self.owner.turn


@dataclass(slots=True, eq=False)
class Mark:
    """Something that changed between calls: a tool switched on or off, a new conversation."""

    serial: int
    kind: Literal["on", "off", "note"]
    name: str
    detail: str = ""
    iteration: Iteration | None = None
    turn: Turn | None = None


Row: TypeAlias = Turn | Iteration | Entry | Reason | Mark
