"""One running call as those inside it see it, and the words for calls that did not end by themselves."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.engine.call_threads import CallThreads
from workbench.engine.human_time import HumanTime

if TYPE_CHECKING:
    from workbench.engine.turn import Turn

STOPPED = "stopped by the user"
FAILED = "the turn ended with an error"

_PATIENCE = 0.25
"""Seconds that agents inside a call which was left have to end, so that what they did stands in its entry."""


@dataclass(slots=True, eq=False)
class CallScope:
    """For an agent that works inside the call, or a hook or tool that waits for a person in it.

    ``nested`` collects the turns of agents that ran inside, ``turns`` are those under way; ``human_ms`` is
    the time a person took, and while ``human`` runs the call's limit does not; ``threads`` are those that
    work for the call besides its own.
    """

    turn: Turn
    tool_name: str
    call_id: str
    human_ms: float = 0.0
    human: HumanTime = field(default_factory=HumanTime)
    nested: list[dict[str, Any]] = field(default_factory=list)
    threads: CallThreads = field(default_factory=CallThreads)
    turns: list[Turn] = field(default_factory=list)

    def leave(self, reason: str) -> None:
        """Nobody waits for the call any more: stop the agents inside, and wait a moment for their ends."""
        turns = tuple(self.turns)
        for turn in turns:
            turn.cancel.cancel(reason)
        until = time.monotonic() + _PATIENCE
        for turn in turns:
            turn.ended.wait(max(0.0, until - time.monotonic()))

    @property
    def origin(self) -> tuple[str, ...]:
        """The way here from outside: agent and tool names in turn."""
        return (*self.turn.origin, self.turn.agent.name, self.tool_name)


def not_run(reason: str) -> str:
    """What the model reads of a call that was never begun."""
    return f"Not run: {_because(reason)}."


def rejected(reason: str | None, by: str = "user") -> str:
    """What the model reads of a call that was refused; ``by`` is ``user`` or ``hook``."""
    head = "Rejected by the user" if by == "user" else "Rejected"
    return f"{head}: {reason}" if reason else f"{head}."


def interrupted(reason: str) -> str:
    """What the model reads of a call that was under way: unlike the other, it may have done something."""
    return f"Interrupted: {_because(reason)} while running; it may have had effects."


def _because(reason: str) -> str:
    if reason in (STOPPED, FAILED):
        return reason
    return f"stopped ({reason.rstrip('.')})"


def sentence(reason: str) -> str:
    """A reason as a sentence of its own."""
    text = reason[:1].upper() + reason[1:]
    return text if text.endswith((".", "!", "?", "…")) else text + "."
