"""``input()`` and ``getpass()`` in tools and hooks: a question on the screen for the thread that waits."""

from __future__ import annotations

import builtins
import getpass
import io
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from types import CodeType
from typing import TYPE_CHECKING, Any, TextIO

from textual.app import App

from workbench.console.stream_capture import StreamCapture
from workbench.engine.cancel import CancelToken
from workbench.engine.scope import STOPPED
from workbench.engine.xray_context import xray
from workbench.errors import StopTurn
from workbench.tui.screens.question import QuestionScreen, QuestionText, Reply

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


@dataclass(frozen=True, slots=True, eq=False)
class _Pending:
    """One thread that waits. The future decides; a screen is only a view of it."""

    text: QuestionText
    answer: Future[str] = field(default_factory=Future)


class Questions:
    """Where threads wait for a line from the person.

    Between ``open`` and ``close`` it stands behind ``input()``, ``getpass.getpass()`` and ``sys.stdin``.
    One question is shown at a time, in the order in which they came. What a terminal would show, the
    prompt and the answer, is added to what the call wrote; a masked answer is not.
    """

    def __init__(self, capture: StreamCapture, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._capture = capture
        self._clock = clock
        self._lock = threading.Lock()
        self._pending: list[_Pending] = []
        self._queue: deque[_Pending] = deque()
        self._app: App[Any] | None = None
        self._on_stop: Callable[[], None] = _nothing
        self._app_thread = 0
        self._pid = os.getpid()
        self._doors = _Doors(self)
        self.screen: QuestionScreen | None = None

    @property
    def waiting(self) -> int:
        """How many threads wait for an answer now."""
        return len(self._pending)

    def open(self, app: App[Any], on_stop: Callable[[], None]) -> None:
        """Serve questions on this app's screen; for ``on_mount``. ``on_stop`` stops the running turn."""
        with self._lock:
            self._app = app
        self._on_stop = on_stop
        self._app_thread = threading.get_ident()
        self._doors.open()

    def close(self) -> None:
        """The app goes away: whoever waits or asks later gets StopTurn; for ``on_unmount``."""
        self._doors.close()
        self._queue.clear()
        with self._lock:
            self._app = None
        self.stop("the app is closing")

    def stop(self, reason: str = STOPPED) -> None:
        """End every open question: each waiting thread gets StopTurn. From any thread."""
        with self._lock:
            waiting = tuple(self._pending)
        for pending in waiting:
            _settle(pending, StopTurn(reason))

    def ask(self, prompt: str, *, masked: bool = False) -> str:
        """The line that the person gives, without its end. Blocks the calling thread.

        Raises EOFError when the person ends the input, StopTurn when the turn is stopped or the app
        closes, RuntimeError on the app's own thread, which would wait for itself.
        """
        if os.getpid() != self._pid:
            raise EOFError("a forked process has no screen to ask on")
        if threading.get_ident() == self._app_thread:
            raise RuntimeError("input() on the screen's own thread would stop the screen; ask from a tool")
        context, _, begun = self._capture.recent().rpartition("\n")
        pending = _Pending(QuestionText(begun + prompt, context, masked))
        self._capture.write(prompt)
        shown = ""
        try:
            with _as_human_time():
                answer = self._wait(pending)
            shown = "" if masked else answer
        finally:
            self._capture.write(shown + "\n")
        return answer

    def _wait(self, pending: _Pending) -> str:
        with self._lock:
            app = self._app
            if app is None:
                raise StopTurn("the app is closed")
            self._pending.append(pending)
        agent = xray.agent
        cancel = agent.cancel if agent is not None else None
        forget = _nothing if cancel is None else cancel.on_cancel(partial(_give_up, pending, cancel))
        try:
            if not app.call_later(self._arrived, pending):
                raise StopTurn("the app is closing")
            return pending.answer.result()
        finally:
            forget()
            with self._lock:
                self._pending.remove(pending)

    def _arrived(self, pending: _Pending) -> None:
        self._queue.append(pending)
        self._show_next()

    def _show_next(self) -> None:
        while self.screen is None and self._queue:
            pending = self._queue.popleft()
            if not pending.answer.done():
                self._show(pending)

    def _show(self, pending: _Pending) -> None:
        app = self._app
        if app is None:
            return

        def take(reply: Reply) -> None:
            if reply.kind == "answer":
                _settle(pending, reply.text)
            elif reply.kind == "end":
                _settle(pending, EOFError("the person gave no more input"))
            elif reply.kind == "gone":
                _settle(pending, StopTurn("the question was closed without an answer"))
            elif _settle(pending, StopTurn(STOPPED)):
                self._on_stop()

        screen = self.screen = QuestionScreen(pending.text, take, clock=self._clock)
        app.push_screen(screen)
        app.bell()
        pending.answer.add_done_callback(lambda _: app.call_later(self._take_away, screen))

    def _take_away(self, screen: QuestionScreen) -> None:
        screen.finish()
        self.screen = None
        self._show_next()


def _give_up(pending: _Pending, cancel: CancelToken) -> None:
    """The turn that asks is stopped."""
    _settle(pending, StopTurn(cancel.reason or STOPPED))


def _settle(pending: _Pending, outcome: str | Exception) -> bool:
    """Decide the question; False if it was decided before, and then that holds."""
    try:
        if isinstance(outcome, str):
            pending.answer.set_result(outcome)
        else:
            pending.answer.set_exception(outcome)
    except InvalidStateError:
        return False
    return True


class _Lines(io.RawIOBase):
    """What ``sys.stdin`` reads from: each read is one question, one line."""

    name = "<stdin>"

    def __init__(self, questions: Questions) -> None:
        self._questions = questions
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        if not self._rest:
            try:
                self._rest = self._questions.ask("").encode("utf-8", "surrogateescape") + b"\n"
            except EOFError:
                return 0
        view = memoryview(buffer).cast("B")
        size = min(len(view), len(self._rest))
        view[:size], self._rest = self._rest[:size], self._rest[size:]
        return size

    def isatty(self) -> bool:
        return False

    def fileno(self) -> int:
        return 0

    def close(self) -> None:
        """Stays open: it belongs to every tool."""


_asking: Questions | None = None
"""Who answers ``getpass()``: its replaced code has no other way to know."""


class _Doors:
    """The three ways in which Python code asks, and what stood there before."""

    def __init__(self, questions: Questions) -> None:
        self._questions = questions
        self._stdin: TextIO = io.TextIOWrapper(
            io.BufferedReader(_Lines(questions)), encoding="utf-8", errors="surrogateescape"
        )
        self._before: tuple[Callable[..., str], TextIO, CodeType] | None = None

    def open(self) -> None:
        global _asking
        if self._before is not None:
            return
        # the code, not the name: others have imported the function by its name long ago
        self._before = (builtins.input, sys.stdin, getpass.getpass.__code__)
        builtins.input = self._input
        sys.stdin = self._stdin
        getpass.getpass.__code__ = _getpass.__code__
        _asking = self._questions

    def close(self) -> None:
        global _asking
        if self._before is None:
            return
        before, self._before = self._before, None
        if builtins.input == self._input:
            builtins.input = before[0]
        if sys.stdin is self._stdin:
            sys.stdin = before[1]
        getpass.getpass.__code__ = before[2]
        _asking = None

    def _input(self, prompt: object = "", /) -> str:
        return self._questions.ask(str(prompt))


def _getpass(prompt: str = "Password: ", stream: TextIO | None = None) -> str:
    # runs with the names of the getpass module, so it brings its own
    from workbench.tui.questions import ask_secret

    return ask_secret(prompt, stream)


def ask_secret(prompt: str, stream: TextIO | None = None) -> str:
    """What ``getpass.getpass`` does while an app is open. ``stream`` has no meaning there."""
    del stream
    questions = _asking
    if questions is None:
        raise StopTurn("the app is closed")
    return questions.ask(str(prompt), masked=True)


def _as_human_time() -> AbstractContextManager[None]:
    """Inside a tool, the time until the answer is the person's, not the tool's."""
    agent = xray.agent
    return nullcontext() if agent is None else agent.human_wait("a question")


def _nothing() -> None:
    """There is no turn to stop."""
