"""Takes in what the agent tells: the panels hear of it, then the desks, and the person reads who is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from workbench.tui import events
from workbench.tui.commands import key_text_of
from workbench.tui.welcome import model_text, welcome
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp

_AGAIN: Final = "The agent is built again when you save, or with {key}; what you send waits until then."


class Reception:
    """``first`` are messages or slash commands that are sent when the agent is there. On the loop."""

    def __init__(self, app: WorkbenchApp, first: Sequence[str]) -> None:
        self._app = app
        self._first = list(first)
        self._ready: events.AgentReady | None = None
        self._told: str | None = None
        self._failed = False

    def expect(self, agent: str, model: str) -> None:
        """Say in the top line who will be there."""
        status = self._app.main.top_line.status
        status.agent, status.model = visible_line(agent), model_text(model)

    def take_in(self, batch: Sequence[events.AgentEvent]) -> None:
        """What happened since the last call, in order."""
        app = self._app
        app.tracker.apply(batch)
        app.main.apply(batch)
        for event in batch:
            match event:
                case events.AgentReady():
                    self._agent_ready(event)
                case events.AgentFailed():
                    self._agent_failed(event)
                case events.AgentAwaited(asked=True):
                    self._told = None
                case events.TurnStarted() | events.ByHandStarted() if app.tracker.stopping:
                    app.agent_thread.stop_turn()  # asked for before there was a turn to stop
                case events.TurnFinished() | events.ByHandFinished() if not event.inner:
                    app.outbox.turn_ended(event.status)
                case events.ModelChanged() if self._ready is not None:
                    self._greet(replace(self._ready, model=event.model, missing_key=event.missing_key))
                case _:
                    pass
        app.desks.take_in(batch)
        app.pulse.beat()

    def _agent_failed(self, failed: events.AgentFailed) -> None:
        """Say why there is no agent, and how there will be one; not again what was said already."""
        self._failed = True
        if failed.error != self._told:
            self._told = failed.error
            hint = f"{failed.hint} {_AGAIN.format(key=key_text_of('app.reload'))}".strip()
            if failed.choices:  # which one is meant can be said at a start only
                starts = " or ".join(f"workbench {choice}" for choice in failed.choices)
                hint = f"Quit with {key_text_of('app.quit')} and start one of them: {starts}."
            conversation = self._app.main.conversation
            conversation.add_notice("The agent could not be built", failed.error, hint, "error")
            conversation.follow = True
        self._app.outbox.invite()

    def _agent_ready(self, ready: events.AgentReady) -> None:
        self._app.garbage.keep()
        self._greet(ready)
        if self._failed:
            self._failed = False
            self._app.main.conversation.add_notice("The agent is built now")
        if problems := self._app.keymap_problems:
            entries = "An entry of your keymap is" if len(problems) == 1 else "Entries of your keymap are"
            self._app.main.conversation.add_notice(
                f"{entries} not used", "\n".join(problems), "All others hold.", "warning"
            )
        while self._first:
            self._app.outbox.send(self._first.pop(0))
        self._app.outbox.agent_ready()

    def _greet(self, ready: events.AgentReady) -> None:
        """Say who is there, in the top line and where no conversation is yet."""
        self._ready = ready
        self.expect(ready.agent, ready.model)
        self._app.main.top_line.refresh()
        self._app.main.conversation.show_welcome(*welcome(ready))
