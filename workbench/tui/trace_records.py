"""The records of a trace: turns, their iterations, and what happened in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from workbench.tui.clock import Clock

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

_HOOKS: Final[Mapping[str, tuple[Sequence[str], Sequence[str]]]] = {
    "llm": (("before_llm",), ("after_llm", "before_tools")),
    "tool": (("before_each_tool",), ("on_error", "after_each_tool")),
    "you": ((), ()),
}
"""The handlers that run before and after an entry of a kind."""

FAILED: Final[frozenset[str]] = frozenset({"error", "not_found"})
NO_DATA: Final[Mapping[str, Any]] = MappingProxyType({})
"""What is known of an entry that has not ended: one for all, so that they are told by what it is."""

OPEN: Final[frozenset[str]] = frozenset({"running", "pending", "waiting"})


@dataclass(slots=True, eq=False)
class Turn:
    """One turn. Times are in milliseconds of working time: waits for a person are cut out of them.

    The turn of an agent that runs within another's call has that call as ``parent``, and its clock; it
    began at ``start`` on it. ``total`` is the working time of the whole turn once it ended; where it is not
    ``timed``, only as far as its entries go. ``open`` says whether its rows are shown. The counts hold for
    all that is below it. ``by_hand``: no turn of the conversation, but calls that a person ran; its one
    iteration has no row. ``guest_number`` is that of an agent that runs in a tool among the ``Guests``, 0
    where none is known.
    """

    serial: int
    number: int
    agent: str
    prompt: str
    clock: Clock
    start: float = 0.0
    parent: Entry | None = None
    guest: bool = False
    guest_number: int = 0
    by_hand: bool = False
    live: bool = True
    open: bool = True
    status: str = ""
    total: float = 0.0
    timed: bool = True
    model_calls: int = 0
    tool_calls: int = 0
    iterations: list[Iteration] = field(default_factory=list)
    failure: Reason | None = None

    @property
    def turn(self) -> Turn:
        """The turn itself, as every row has one."""
        return self

    @property
    def around(self) -> list[Turn]:
        """The turns around it and itself, the outermost one first."""
        return [*self.parent.turn.around, self] if self.parent is not None else [self]

    @property
    def root(self) -> Turn:
        """The outermost turn around it, whose time axis it is drawn on."""
        return self.parent.turn.root if self.parent is not None else self

    @property
    def depth(self) -> int:
        """How many calls of other agents it runs within."""
        return 0 if self.parent is None else 1 + self.parent.turn.depth

    def within(self, other: Turn) -> bool:
        """Whether this is the other turn, or runs in one of its calls."""
        return self is other or (self.parent is not None and self.parent.turn.within(other))

    def work(self, at: float) -> float:
        """Working time on its clock at ``at`` (Unix seconds)."""
        return self.clock.work(at)

    def elapsed(self, now: float) -> float:
        """The working time of the turn itself so far."""
        return self.clock.work(now) - self.start if self.live else self.total


@dataclass(slots=True, eq=False)
class Iteration:
    """One round of model call and tool calls within a turn. ``asked`` is the wait for a person in it, who
    ``approved`` the calls with these ids.
    """

    serial: int
    number: int
    turn: Turn
    start: float
    end: float
    calls: int = 0
    open: bool = True
    asked: Entry | None = None
    approved: frozenset[str] = frozenset()
    entries: list[Entry | Mark] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Entry:
    """A model call, a tool call, or a wait for a person.

    ``start``, ``first`` (first token) and ``end`` are working time of the turn in ms, None where there
    was none; ``ms`` is the time that it took, ``hooks`` that in handlers before and after it, where there
    were any. ``began`` is in Unix seconds. ``data`` is the trace entry once it ended, before that
    ``NO_DATA``. ``guests`` are the turns of agents that ran within the call. ``label`` is for the one who
    draws the entry, and emptied when it changes.
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
    data: Mapping[str, Any] = field(default_factory=lambda: NO_DATA)
    reason: Reason | None = None
    guests: list[Turn] | None = None
    label: str | None = None
    hooks: tuple[float, float] | None = None

    @property
    def turn(self) -> Turn:
        """The turn that it belongs to."""
        return self.iteration.turn

    def keep(self, data: Mapping[str, Any]) -> None:
        """It is this trace entry now."""
        self.data, self.label = data, None
        spent = data.get("hooks_ms")
        if spent:
            before, after = _HOOKS[self.kind]
            self.hooks = (
                sum([spent.get(event, 0.0) for event in before]),
                sum([spent.get(event, 0.0) for event in after]),
            )


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
    """Something that changed between calls: tools switched on or off, a new conversation.

    ``names`` are those of the tools that one action switched; ``at`` is when, in Unix seconds. ``about`` says
    what a note is about, where a later one about the same makes it needless.
    """

    serial: int
    kind: Literal["on", "off", "note"]
    names: list[str]
    detail: str = ""
    at: float = 0.0
    iteration: Iteration | None = None
    turn: Turn | None = None
    about: str = ""


def tool_calls(row: Row) -> tuple[Entry, ...]:
    """The finished tool calls that a row stands for: the call itself, or all of a turn or an iteration."""
    if isinstance(row, Turn):
        return tuple(call for iteration in row.iterations for call in tool_calls(iteration))
    if isinstance(row, Iteration):
        return tuple(call for entry in row.entries for call in tool_calls(entry))
    if isinstance(row, Entry) and row.kind == "tool" and row.data:
        return (row,)
    return ()


Row: TypeAlias = Turn | Iteration | Entry | Reason | Mark


def above(record: Row | None) -> tuple[Row, ...]:
    """What a row belongs to, the nearest first, as far as it is shown."""
    match record:
        case Iteration():
            return (record.turn,)
        case Entry() | Mark() if record.iteration is not None:
            return record.iteration, record.iteration.turn
        case Turn(parent=Entry() as call):
            return call, call.turn
    return ()
