"""Carries questions from agent threads to the screen, and the answers back."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from textual.app import App
from textual.message import Message

from workbench.engine.cancel import CancelToken
from workbench.engine.scope import STOPPED
from workbench.errors import StopTurn
from workbench.tui.approval import ApprovalRequest, ApprovalResult, Verdict
from workbench.tui.do import Errand
from workbench.tui.screens.held import HeldScreen

if TYPE_CHECKING:
    from workbench.engine.breakpoints import Resume
    from workbench.tui.pause import PauseRequest

Question: TypeAlias = "ApprovalRequest | PauseRequest"
Answer: TypeAlias = "ApprovalResult | Resume"

Decide = Callable[[Any], None]
"""How a screen answers, with what fits its question; None says that it went away without an answer."""


@dataclass(frozen=True, slots=True, eq=False)
class Pending:
    """One open question: the request as it is shown, and the future that decides it."""

    request: Question
    future: Future[Any] = field(default_factory=Future)


class Asked(Errand):
    """An agent waits for an answer."""

    def __init__(self, pending: Pending) -> None:
        super().__init__()
        self.pending = pending


class ApprovalBroker:
    """Where agent threads wait for a person. The future decides; a screen is only a view of it.

    ``post`` hands a message to the app from any thread and says whether the app took it.
    """

    def __init__(self, post: Callable[[Message], bool]) -> None:
        self._post = post
        self._lock = threading.Lock()
        self._pending: list[Pending] = []
        self._closed = False

    @property
    def pending(self) -> tuple[Question, ...]:
        """The questions that are open now, oldest first."""
        return tuple(pending.request for pending in self._pending)

    def ask(self, request: ApprovalRequest, cancel: CancelToken | None = None) -> ApprovalResult:
        """Block the calling thread until a person has decided. Raises StopTurn when stopped or closed.

        ``cancel`` is the stop of the turn that asks: it ends this question and no other.
        What is approved is what was shown: if the batch's arguments were changed meanwhile, the verdict
        carries the ones that the person saw.
        """
        shown = request.copied()
        return _as_shown(self._wait_for(shown, cancel), shown, request)

    def pause(self, request: PauseRequest, cancel: CancelToken | None = None) -> Resume:
        """The same at a breakpoint: block until a person has said how to go on."""
        resume: Resume = self._wait_for(request, cancel)
        return resume

    def _wait_for(self, question: Question, cancel: CancelToken | None) -> Any:
        pending = Pending(question)
        with self._lock:
            if self._closed:
                raise StopTurn("the app is closed", hint="Open Workbench again and send the message again.")
            self._pending.append(pending)
        forget = cancel.on_cancel(lambda: _end(pending, cancel.reason)) if cancel is not None else None
        try:
            if not self._post(Asked(pending)):
                raise StopTurn("the app is closing")
            return pending.future.result()
        finally:
            if forget is not None:
                forget()
            with self._lock:
                self._pending.remove(pending)

    def answer(self, pending: Pending, result: Answer | None) -> None:
        """Decide a question; the first answer holds. None means that it was left without one."""
        try:
            if result is None:
                pending.future.set_exception(StopTurn("the question was closed without an answer"))
            else:
                pending.future.set_result(result)
        except InvalidStateError:
            # somebody else was first, and that answer holds
            return

    def stop(self, reason: str = STOPPED) -> None:
        """End every open question; each waiting thread gets StopTurn."""
        with self._lock:
            waiting = tuple(self._pending)
        for pending in waiting:
            _end(pending, reason)

    def close(self) -> None:
        """End every open question, and refuse all later ones."""
        with self._lock:
            self._closed = True
        self.stop("the app is closing")


class ApprovalDesk:
    """The app's side: shows one question at a time, and closes its screen however it was decided.

    Call ``asked`` for each ``Asked`` message and ``close`` when the app is unmounted.
    """

    def __init__(
        self,
        app: App[Any],
        broker: ApprovalBroker,
        make_screen: Callable[[Any, Decide], HeldScreen],
    ) -> None:
        self._app = app
        self._broker = broker
        self._make_screen = make_screen
        self._queue: deque[Pending] = deque()
        self.screen: HeldScreen | None = None

    def asked(self, message: Asked) -> None:
        """Show the question now, or after those that came before it."""
        self._queue.append(message.pending)
        self._show_next()

    def close(self) -> None:
        """The app goes away: whoever waits is told to stop."""
        self._queue.clear()
        self._broker.close()

    def _show_next(self) -> None:
        while self.screen is None and self._queue:
            pending = self._queue.popleft()
            if not pending.future.done():
                self._show(pending)

    def _show(self, pending: Pending) -> None:
        def decide(result: Answer | None) -> None:
            self._broker.answer(pending, result)

        screen = self.screen = self._make_screen(pending.request, decide)
        self._app.push_screen(screen)
        pending.future.add_done_callback(
            lambda future: self._app.call_later(self._take_away, screen, future.exception())
        )

    def _take_away(self, screen: HeldScreen, ended: BaseException | None) -> None:
        if ended is not None:
            screen.withdrawn(str(ended))
        screen.finish()
        self.screen = None
        self._show_next()


def _end(pending: Pending, reason: str | None) -> None:
    """Give a question up; one that was answered in this very moment stays answered."""
    with suppress(InvalidStateError):
        pending.future.set_exception(StopTurn(reason or STOPPED))


def _as_shown(result: ApprovalResult, shown: ApprovalRequest, now: ApprovalRequest) -> ApprovalResult:
    verdicts: list[Verdict] = []
    for verdict, seen, current in zip(result.verdicts, shown.calls, now.calls, strict=True):
        changed = verdict.arguments is None and dict(current.arguments) != dict(seen.arguments)
        if changed and verdict.decision == "approve":
            verdicts.append(replace(verdict, arguments=seen.arguments))
        else:
            verdicts.append(verdict)
    return replace(result, verdicts=tuple(verdicts))
