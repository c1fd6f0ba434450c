"""One call of a batch until it is answered: what the model asked for, and what handlers made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.engine.arguments import copy_arguments
from workbench.engine.llm import ToolCall
from workbench.engine.observer import TraceEntry
from workbench.engine.pending import mend_pending
from workbench.engine.scope import CallScope
from workbench.engine.verified import equal

if TYPE_CHECKING:
    from workbench.engine.turn import Turn


class OpenCall:
    """``pending`` is what handlers see of it, and may edit: verdict, reason and arguments count."""

    __slots__ = (
        "_facts",
        "_sound",
        "call",
        "name",
        "notes",
        "original",
        "pending",
        "running",
        "scope",
        "tool",
    )

    def __init__(self, turn: Turn, call: ToolCall) -> None:
        self.call = call
        self.tool = turn.agent.tools.meant(call.name)
        self.original = copy_arguments(call.arguments)
        self.notes: TraceEntry = {}
        """What its handlers did before it has an entry."""
        self.scope: CallScope | None = None
        """The call as those see it who work in it; there from its first handler on."""
        self.running = False
        tool = self.tool
        self.name = tool.name if tool is not None else call.name
        """The tool's name for people."""
        decision = turn.agent.tools.evaluate(tool, call.arguments) if tool is not None else None
        self.pending: dict[str, Any] = {
            "name": self.name,
            "arguments": call.arguments,
            "id": call.id,
            "description": tool.description if tool is not None else "",
            "permission": decision.result.value if decision is not None else None,
            "decision": None,
            "reason": None,
            "asks_because": decision.reason if decision is not None else None,
            "decided_by": None,
            "origin": list(turn.origin),
        }
        self._facts = self._sound = dict(self.pending)

    def take(self, entry: dict[str, Any]) -> None:
        """A handler put another entry in the place of ``pending``: what it says counts."""
        if entry is not self.pending:
            self.pending.update(entry)

    def mend(self) -> str | None:
        """Make ``pending`` sound again; what a handler did wrong with it, None if nothing."""
        try:
            if self.pending == self._sound:
                return None
        except Exception:  # noqa: BLE001 - a value that a handler put there, with an __eq__ of its own
            self._sound = {}
        fault = mend_pending(self.pending, self._facts)
        self._sound = dict(self.pending)
        return fault

    def arguments(self) -> dict[str, Any]:
        """The arguments as they are now."""
        arguments: dict[str, Any] = self.pending["arguments"]
        return arguments

    def edited_by(self) -> str | None:
        """Who changed the arguments after the model gave them, None if nobody did."""
        if self.differs_from(self.original):
            return str(self.pending.get("edited_by") or "hook")
        return None

    def attribute(self, by: str) -> None:
        """Whose the verdict and the edit are that nobody is named for: ``user`` or ``hook``."""
        if self.pending.get("decision") is not None and self.pending.get("decided_by") is None:
            self.pending["decided_by"] = by
        if self.differs_from(self.original):
            self.pending.setdefault("edited_by", by)

    def differs_from(self, arguments: dict[str, Any]) -> bool:
        """Whether the arguments are others now; values that cannot be compared are."""
        return not equal(self.pending.get("arguments"), arguments)

    def verdict(self) -> bool | None:
        """True: approved. False: rejected. None: nobody decided, the policy does."""
        decision = self.pending.get("decision")
        return None if decision is None else isinstance(decision, str) and decision == "approve"
