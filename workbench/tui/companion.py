"""What goes along with the bridge: parts of the app that every watched agent gets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from workbench.engine.agent import Agent
from workbench.tui.events import AgentEvent

Tell = Callable[[AgentEvent], None]
"""Passes an event of an agent on; one of an inner agent gets the name under which the screen knows it."""


class Companion(Protocol):
    """A debugger, faults: set up on an agent when it is first watched."""

    def join(self, agent: Agent, outer: Agent, tell: Tell) -> Callable[[], object]:
        """Set it up, on the agent's thread; returns what leaves the agent as it was.

        ``outer`` is the agent that the person talks to: the same one, or the one whose tool runs ``agent``.
        """
