"""One call of a batch until it is answered: what the model asked for, and what handlers made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.engine.arguments import copy_arguments
from workbench.engine.llm import ToolCall
from workbench.engine.observer import TraceEntry
from workbench.engine.scope import CallScope
from workbench.engine.verified import equal
from workbench.errors import HookError

if TYPE_CHECKING:
    from workbench.engine.turn import Turn


class OpenCall:
    """``pending`` is what handlers see of it, and may edit: verdict, reason and arguments count."""

    __slots__ = ("call", "name", "notes", "original", "pending", "running", "scope", "tool")

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

    def arguments(self) -> dict[str, Any]:
        """The arguments as they are now; raises HookError if a handler left something else there."""
        arguments = self.pending.get("arguments")
        if not isinstance(arguments, dict):
            raise HookError(f"the arguments of {self.name} are {type(arguments).__name__}, not a dict")
        return arguments

    def edited_by(self) -> str | None:
        """Who changed the arguments after the model gave them, None if nobody did."""
        if self.differs_from(self.original):
            return str(self.pending.get("edited_by") or "user")
        return None

    def differs_from(self, arguments: dict[str, Any]) -> bool:
        """Whether the arguments are others now; values that cannot be compared are."""
        return not equal(self.pending.get("arguments"), arguments)

    def verdict(self) -> bool | None:
        """True: approved. False: rejected. None: nobody decided, the policy does."""
        decision = self.pending.get("decision")
        if decision is None:
            return None
        if decision == "approve":
            return True
        if decision == "reject":
            return False
        raise HookError(
            f"the decision on {self.name} is {decision!r}",
            hint="A decision is 'approve', 'reject' or None.",
        )
