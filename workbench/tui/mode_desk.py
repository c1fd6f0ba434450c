"""The mode of approval: going through the modes by key, and saying which one holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from textual.app import App

from workbench.engine.agent import Agent
from workbench.registry import PermissionPolicy
from workbench.tui import events
from workbench.tui.approval_mode import ApprovalModes, Mode, mode_of
from workbench.tui.background import Background
from workbench.tui.commands import key_text_of
from workbench.tui.desk import Doers

CONFIRM_SECONDS: Final = 3
"""How long the first press towards a mode that asks nothing waits for the second."""

_TELLS: Final[dict[Mode, str]] = {
    "strict": "Every call asks from now on.",
    "careful": "Calls that do more than read ask from now on.",
    "open": "No call asks from now on. What a rule denies stays denied.",
    "custom": "Your own rules decide from now on.",
}


class ModeDesk:
    """Sets the policy for the batches to come; learns what holds from the registry like everybody else.

    ``show`` is told the mode that holds now; ``note`` each change of it, with a sentence for people.
    ``clock`` gives seconds.
    """

    def __init__(
        self,
        app: App[Any],
        background: Background,
        *,
        agent: Callable[[], Agent | None],
        show: Callable[[Mode], None],
        note: Callable[[Mode, str], None],
        clock: Callable[[], float],
    ) -> None:
        self._app = app
        self._background = background
        self._agent = agent
        self._show = show
        self._note = note
        self._clock = clock
        self._modes: ApprovalModes | None = None
        self._mode: Mode | None = None
        self._asked: float | None = None

    def doers(self) -> Doers:
        """The key that goes to the next mode."""
        return {"app.approval_mode": self._next}

    def take_in(self, batch: Sequence[events.AgentEvent]) -> None:
        """The agent is there, or its policy is another one now."""
        for event in batch:
            if event.inner:
                continue
            if isinstance(event, events.AgentReady):
                self._ready()
            elif isinstance(event, events.ToolsChanged) and "policy" in event.metadata.get("fields", ()):
                self._changed()

    def _ready(self) -> None:
        agent = self._agent()
        if agent is not None:
            self._modes = ApprovalModes(agent.tools.policy)
            self._mode = mode_of(agent.tools.policy)
            self._show(self._mode)

    def _changed(self) -> None:
        agent = self._agent()
        if agent is None or (mode := mode_of(agent.tools.policy)) == self._mode:
            return
        self._mode = mode
        self._show(mode)
        self._note(mode, _TELLS[mode])

    def _next(self, _: str) -> None:
        agent = self._agent()
        if agent is None or self._modes is None or self._mode is None:
            return
        mode = self._modes.after(self._mode)
        if mode == "open":
            now = self._clock()
            if self._asked is None:
                self._asked = now
                self._app.notify(
                    f"Press {key_text_of('app.approval_mode')} again to let every call run without asking; "
                    "later, the key goes on to the next mode.",
                    title="Ask nothing?",
                    severity="warning",
                    markup=False,
                    timeout=CONFIRM_SECONDS,
                )
                return
            if now - self._asked >= CONFIRM_SECONDS:
                mode = self._modes.after(mode)
        self._asked = None
        self._background.do("set the mode of approval", partial(_set, agent, self._modes.policy(mode)))


def _set(agent: Agent, policy: PermissionPolicy) -> None:
    agent.tools.policy = policy
