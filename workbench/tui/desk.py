"""What an object has that does some of the app's commands, so that the app itself need not know them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from workbench.tui import events

Doers = Mapping[str, Callable[[str], object]]
"""What to do for the id of a command; it gets what stood behind the slash word, ``""`` without."""


class Desk(Protocol):
    """One concern of the app: its commands, and the facts from the agent that it follows."""

    def doers(self) -> Doers:
        """The commands of the table that it does, by id."""

    def take_in(self, batch: Sequence[events.AgentEvent]) -> None:
        """What happened since the last call, in order; the panels have been told already."""
