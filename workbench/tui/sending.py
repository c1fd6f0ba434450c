"""What becomes of a message that was sent: a turn on the agent's thread, with the tools as they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from workbench.engine.agent import Agent
    from workbench.tui.agent_thread import AgentThread
    from workbench.tui.prompt_area import PromptArea


class Upkeep(Protocol):
    """Whoever keeps the tools as they are on disk."""

    def check(self) -> None:
        """Take in what was saved since; just before a turn, on the agent's thread."""

    def reload(self) -> None:
        """Import everything again."""

    def close(self) -> None:
        """The app ends."""


class Sending:
    """``begun`` is told of each turn that was asked for. ``upkeep`` is set once there are tools."""

    def __init__(self, thread: AgentThread, begun: Callable[[], object]) -> None:
        self._thread = thread
        self._begun = begun
        self._seen: dict[str, str] = {}
        """What the person saw of messages that hold a folded paste."""
        self.upkeep: Upkeep | None = None

    def note(self, message: PromptArea.Sent) -> None:
        """Remember how a message looked that is sent now, or later."""
        self._seen.pop(message.text, None)
        if message.seen != message.text:
            self._seen[message.text] = message.seen

    def begin(self, text: str) -> None:
        """Have a turn with this message."""
        self._thread.do(partial(self._turn, text, self._seen.pop(text, text)))
        self._begun()

    def check_tools(self) -> None:
        """Take in what was saved since. On the agent's thread."""
        if self.upkeep is not None:
            self.upkeep.check()

    def _turn(self, text: str, seen: str, agent: Agent) -> None:
        self.check_tools()
        from workbench.tui.attachments import with_attachments

        prepared = with_attachments(text, Path.cwd(), seen)
        agent.input(prepared.text, images=prepared.images)
