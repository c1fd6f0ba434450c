"""The forms of ``trust=``: a word, a policy, an agent that answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from workbench.engine.xray_context import current_context
from workbench.errors import ConfigError
from workbench.registry import PermissionPolicy, PermissionRequest, ToolRegistry

if TYPE_CHECKING:
    from workbench.engine.agent import Agent

_LOOK = 0.05
"""Seconds between two looks at the stop, while the agent answers somebody else."""

_WORDS: dict[str, Callable[[], PermissionPolicy]] = {
    "open": PermissionPolicy.open,
    "careful": PermissionPolicy.careful,
    "strict": PermissionPolicy.strict,
}


def apply_trust(registry: ToolRegistry, trust: Any) -> None:
    """Set the registry's policy, and for an agent its permission handler; None leaves both as they are.

    Raises ConfigError for anything else.
    """
    from workbench.engine.agent import Agent

    if trust is None:
        return
    if isinstance(trust, PermissionPolicy):
        registry.policy = trust
    elif isinstance(trust, Agent):
        registry.policy = PermissionPolicy.careful()
        registry.permission_handler = ask_agent(trust)
    elif isinstance(trust, str) and trust in _WORDS:
        registry.policy = _WORDS[trust]()
    else:
        raise ConfigError(
            f"trust cannot be {trust!r}", hint="Give open, careful, strict, a file or an Agent."
        )


def ask_agent(agent: Agent) -> Callable[[PermissionRequest], bool]:
    """A permission handler that asks another agent; only an answer that begins with ALLOW is a yes.

    A stop of the turn that asks reaches the other agent too, and raises StopTurn.
    """

    def ask(request: PermissionRequest) -> bool:
        where = " › ".join(request.origin)
        prompt = (
            f"Another agent{f' ({where})' if where else ''} wants to call the tool {request.tool.name}: "
            f"{request.tool.description}\nArguments: {dict(request.arguments)!r}\n"
            f"It is asked because: {request.reason}.\n"
            "Answer with ALLOW or DENY as the first word, then your reason."
        )
        context = current_context()
        asking = context.scope.turn.cancel if context is not None and context.scope is not None else None
        while not agent.turn_lock.acquire(timeout=_LOOK):
            if asking is not None:
                asking.raise_if_cancelled()
        try:
            answer = agent.input(prompt)
        finally:
            agent.turn_lock.release()
        if asking is not None:
            asking.raise_if_cancelled()  # the agent was stopped with the turn: what it said is no answer
        words = answer.split()
        return bool(words) and words[0].strip(".,:;!*").upper() == "ALLOW"

    return ask
