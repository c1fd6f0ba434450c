"""A batch of tool calls that a person decides about: the question, the answer, and the state in between."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from workbench.tui.events import CallInfo

Decision = Literal["approve", "reject"]
GrantScope = Literal["once", "session", "project"]
SWITCHED_OFF: Final = "switched off"
NO_SUCH_TOOL: Final = "no such tool"
UNFIT: Final = "arguments do not fit"
"""Why a denied call cannot run, where that is not the policy: its ``asks_because`` is one of these three."""

GRANT_SCOPES: Final[tuple[GrantScope, ...]] = ("once", "session", "project")


@dataclass(frozen=True, slots=True)
class Preview:
    """What a call would do to a file. ``old`` is empty for a new file, ``new`` for one that goes away."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """A grant that the person wants: calls of ``tool`` whose arguments match run without asking.

    ``arguments`` maps an argument's name to a glob; empty means any arguments. ``once`` holds for the
    batch on the screen only, ``session`` until the app ends, ``project`` until it is revoked.
    """

    scope: GrantScope
    tool: str
    arguments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class ApprovalRequest:
    """One batch, and what is needed to decide about it.

    ``calls`` is the whole batch: calls that the policy allows are shown as run from the start, denied ones
    as rejected for good, and so are those whose tool is switched off or not there, or whose arguments do not
    fit its schema. ``said`` is the
    assistant's text that came with the calls. ``schemas`` maps a dotted tool name to the JSON schema of its
    arguments, ``previews`` a call id to the file change; ``forecasts`` a call id to what waits for the change
    where that is not known yet, or raises WorkbenchError where it cannot be told.
    ``check`` says what is wrong with edited arguments, or None; it is called on every keystroke.
    ``preview`` makes the file change anew after an edit; it may be slow, and raises as ``forecasts`` do.
    ``covers`` says whether a grant would cover a call. ``opened`` is in Unix seconds. ``by_hand``: a person
    runs the calls, and no model receives anything.
    """

    agent: str
    model: str
    turn: int
    iteration: int
    calls: tuple[CallInfo, ...]
    said: str = ""
    schemas: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    previews: Mapping[str, Preview] = field(default_factory=dict)
    forecasts: Mapping[str, Callable[[], Preview | None]] = field(default_factory=dict, kw_only=True)
    check: Callable[[str, Mapping[str, Any]], str | None] = field(kw_only=True)
    preview: Callable[[str, Mapping[str, Any]], Preview | None] = field(kw_only=True)
    covers: Callable[[Proposal, str, Mapping[str, Any]], bool] = field(kw_only=True)
    opened: float = field(kw_only=True)
    by_hand: bool = field(default=False, kw_only=True)

    def copied(self) -> ApprovalRequest:
        """The same with a deep copy of every call's arguments, which nobody else can change."""
        calls = tuple(replace(call, arguments=copy.deepcopy(dict(call.arguments))) for call in self.calls)
        return replace(self, calls=calls)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was decided about one call. ``arguments`` only where other ones shall run than were asked for."""

    call_id: str
    decision: Decision
    reason: str | None = None
    arguments: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ApprovalResult:
    """A verdict for each call, in the batch's order. ``grants`` never holds one of scope ``once``.

    ``stop`` ends the turn; every verdict is then a rejection.
    """

    verdicts: tuple[Verdict, ...]
    grants: tuple[Proposal, ...] = ()
    stop: bool = False


@dataclass(slots=True)
class BatchRow:
    """One call and what the person has said about it. ``edited`` are arguments that replace its own."""

    call: CallInfo
    locked: bool = False
    decision: Decision | None = None
    reason: str | None = None
    edited: dict[str, Any] | None = None
    grant: Proposal | None = None

    @property
    def rejected(self) -> bool:
        """Whether the person rejects it; a locked call is refused by itself."""
        return self.decision == "reject" and not self.locked

    @property
    def arguments(self) -> Mapping[str, Any]:
        """What would run."""
        return self.call.arguments if self.edited is None else self.edited

    def verdict(self) -> Verdict:
        """The verdict as it leaves the screen; whatever has none is a rejection."""
        if self.decision == "approve" and not self.locked:
            return Verdict(self.call.id, "approve", arguments=self.edited)
        return Verdict(self.call.id, "reject", self.reason)


Rows = tuple[BatchRow, ...]

BatchState = tuple[Rows, int, int]
"""What ``Batch.restore`` takes: rows that nobody changes, the highlighted one, and how much can be undone."""


class Batch:
    """The state of a batch being decided. Nothing here runs anything; ``result`` is what is submitted.

    Whatever is decided can be undone, step by step, back to what it was at first.
    """

    def __init__(self, request: ApprovalRequest) -> None:
        self.request = request
        self.rows = [_row(call) for call in request.calls]
        self.cursor = next(iter(self.undecided), 0)
        self._steps: list[tuple[Rows, int]] = []

    @property
    def row(self) -> BatchRow:
        """The highlighted row."""
        return self.rows[self.cursor]

    @property
    def own(self) -> bool:
        """Whether a person runs this one call without a model, so that there is nothing else to decide."""
        return self.request.by_hand and len(self.rows) == 1 and not self.row.locked

    @property
    def undecided(self) -> tuple[int, ...]:
        """The rows without a verdict, by index."""
        return tuple(index for index, row in enumerate(self.rows) if row.decision is None)

    def count(self, decision: Decision) -> int:
        """How many calls have this verdict."""
        return sum(row.decision == decision for row in self.rows)

    @property
    def grants(self) -> tuple[Proposal, ...]:
        """What will be remembered: each grant once, none whose scope is this batch."""
        kept: list[Proposal] = []
        for row in self.rows:
            if row.grant is not None and row.grant.scope != "once" and row.grant not in kept:
                kept.append(row.grant)
        return tuple(kept)

    def move(self, step: int) -> None:
        """Highlight another row; stops at both ends."""
        self.go(self.cursor + step)

    def go(self, index: int) -> None:
        """Highlight the row with this index, or the nearest there is."""
        self.cursor = max(0, min(index, len(self.rows) - 1))

    def approve(self) -> bool:
        """Let the highlighted call run and go to the next undecided one; False if the policy denies it."""
        return self._decide("approve", None)

    def reject(self, reason: str | None = None) -> bool:
        """Reject the highlighted call and go on; False if the policy denies it anyway."""
        return self._decide("reject", reason or None)

    def decide_rest(self, decision: Decision) -> int:
        """Give every undecided call this verdict; says how many there were."""
        rest = self.undecided
        if rest:
            self._begin_step()
        for index in rest:
            self.rows[index].decision = decision
        return len(rest)

    def edit(self, arguments: Mapping[str, Any]) -> bool:
        """Let the highlighted call run with these arguments instead; False if the policy denies it.

        The arguments that the model sent take an earlier edit back and leave the verdict as it is.
        """
        row = self.row
        if row.locked:
            return False
        self._begin_step()
        if arguments == row.call.arguments:
            row.edited = None
            return True
        row.edited = copy.deepcopy(dict(arguments))
        self._settle("approve", None)
        return True

    def state(self) -> BatchState:
        """Every verdict as it is now, and the highlighted row."""
        return self._rows_now(), self.cursor, len(self._steps)

    def restore(self, state: BatchState) -> None:
        """Take back what was decided since."""
        rows, self.cursor, steps = state
        self.rows = [replace(row) for row in rows]
        del self._steps[steps:]

    def undo(self) -> tuple[int, ...]:
        """Take the last step back that changed anything; gives the rows that are as before, by index."""
        while self._steps:
            now, (rows, cursor) = self.rows, self._steps[-1]
            self.restore((rows, cursor, len(self._steps) - 1))
            changed = tuple(index for index, row in enumerate(self.rows) if row != now[index])
            if changed:
                return changed
        return ()

    def _rows_now(self) -> Rows:
        return tuple(replace(row) for row in self.rows)

    def _begin_step(self) -> None:
        self._steps.append((self._rows_now(), self.cursor))

    def covers_row(self, proposal: Proposal) -> bool:
        """Whether this grant would cover the highlighted call."""
        return self.request.covers(proposal, self.row.call.name, self.row.arguments)

    def covered(self, proposal: Proposal) -> tuple[int, ...]:
        """The other undecided rows that this grant would let run."""
        covers = self.request.covers
        return tuple(
            index
            for index in self.undecided
            if index != self.cursor
            and covers(proposal, self.rows[index].call.name, self.rows[index].arguments)
        )

    def remember(self, proposal: Proposal) -> bool:
        """Let the highlighted call and the undecided ones that the grant covers run, and keep the grant.

        False, and nothing changes, if the grant does not cover the highlighted call itself.
        """
        row = self.row
        if row.locked or not self.covers_row(proposal):
            return False
        self._begin_step()
        for index in self.covered(proposal):
            self.rows[index].decision = "approve"
        self._settle("approve", None)
        row.grant = proposal
        return True

    def result(self) -> ApprovalResult:
        """The answer. A call without a verdict is rejected."""
        return ApprovalResult(tuple(row.verdict() for row in self.rows), self.grants)

    def stopped(self) -> ApprovalResult:
        """The answer that rejects everything, remembers nothing and ends the turn."""
        return ApprovalResult(tuple(Verdict(row.call.id, "reject") for row in self.rows), stop=True)

    def _decide(self, decision: Decision, reason: str | None) -> bool:
        if self.row.locked:
            self._advance()
            return False
        self._begin_step()
        self._settle(decision, reason)
        return True

    def _settle(self, decision: Decision, reason: str | None) -> None:
        """Give the highlighted call this verdict, in the step that was begun, and go on."""
        row = self.row
        row.decision, row.reason = decision, reason
        # a plain verdict takes back the grant that an earlier one carried
        row.grant = None
        self._advance()

    def _advance(self) -> None:
        rest = self.undecided
        if rest:
            self.cursor = next((index for index in rest if index > self.cursor), rest[0])


def _row(call: CallInfo) -> BatchRow:
    if call.permission == "deny":
        return BatchRow(call, locked=True, decision="reject")
    if call.decision is not None:
        return BatchRow(call, decision=call.decision, reason=call.reason)
    return BatchRow(call, decision="approve" if call.permission == "allow" else None)
