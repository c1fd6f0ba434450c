"""Whatever waits for a person: batches to approve, pauses, and what tools ask themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from workbench.tui import events
from workbench.tui.broker import ApprovalBroker, ApprovalDesk, Asked, Decide
from workbench.tui.pause import PauseRequest
from workbench.tui.questions import Questions
from workbench.tui.screens.held import HeldScreen

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.approval import ApprovalRequest
    from workbench.tui.desks import Desks


_RENEWED: Final = frozenset({"register", "refresh", "unregister"})


class Asking:
    """``broker`` takes the questions of hooks, ``questions`` those of ``input()`` and ``getpass()``."""

    def __init__(self, app: WorkbenchApp, desks: Desks) -> None:
        self._app = app
        self._desks = desks
        self.broker = ApprovalBroker(app.post_message)
        self._shown = ApprovalDesk(app, self.broker, self._screen)
        self.questions = Questions(app.capture, clock=app.clock)

    @property
    def waits(self) -> bool:
        """Whether a question is on the screen."""
        return isinstance(self._app.screen, HeldScreen)

    def open(self) -> None:
        """Take questions."""
        self.questions.open(self._app, self._app.action_stop)

    def close(self) -> None:
        """The app goes away: whoever waits is told to stop."""
        self._shown.close()
        self.questions.close()

    def let_go(self) -> None:
        """The turn was stopped: whoever waits for a person waits no more. From any thread."""
        self.broker.stop()
        self.questions.stop()

    def asked(self, errand: Asked) -> None:
        """A batch, or a call at a breakpoint, waits for a decision."""
        self._shown.asked(errand)

    def take_in(self, batch: Sequence[events.AgentEvent]) -> None:
        """A call that waits is judged by its tool's present code, and it is said that this is another one."""
        screen = self._shown.screen
        renewed = {
            event.tool
            for event in batch
            if isinstance(event, events.ToolsChanged) and event.change in _RENEWED and event.tool
        }
        if renewed and screen is not None:
            screen.renewed(renewed)

    def _screen(self, request: ApprovalRequest | PauseRequest, decide: Decide) -> HeldScreen:
        # they are many modules, which the app has imported by the time that anything runs
        from workbench.tui.screens.approval import ApprovalScreen
        from workbench.tui.screens.pause import PauseScreen

        palette, clock, lab = self._app.themes.palette, self._app.clock, self._desks.lab
        if isinstance(request, PauseRequest):
            return PauseScreen(request, decide, palette, lab.about, waiting=lab.waiting, clock=clock)
        return ApprovalScreen(request, decide, palette, clock=clock, editor=self._desks.editor)
