"""Whatever waits for a person: batches to approve, pauses, and what tools ask themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.tui.broker import ApprovalBroker, ApprovalDesk, Asked, Decide
from workbench.tui.pause import PauseRequest
from workbench.tui.questions import Questions
from workbench.tui.screens.held import HeldScreen

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.approval import ApprovalRequest
    from workbench.tui.desks import Desks


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

    def _screen(self, request: ApprovalRequest | PauseRequest, decide: Decide) -> HeldScreen:
        # they are many modules, which the app has imported by the time that anything runs
        from workbench.tui.screens.approval import ApprovalScreen
        from workbench.tui.screens.pause import PauseScreen

        palette, clock, lab = self._app.themes.palette, self._app.clock, self._desks.lab
        if isinstance(request, PauseRequest):
            return PauseScreen(request, decide, palette, lab.about, waiting=lab.waiting, clock=clock)
        return ApprovalScreen(request, decide, palette, clock=clock, editor=self._desks.editor)
