"""Calls the handlers of a turn's events, and notes what they took and printed."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from workbench.engine.hooks import Event, HandlerFunction, describe, raised_at
from workbench.engine.observer import TraceEntry
from workbench.engine.open_tail import OpenTail
from workbench.engine.output import CapturedOutput, OutputCapture
from workbench.errors import HookError, StopTurn

if TYPE_CHECKING:
    from workbench.engine.turn import Turn


Check: TypeAlias = Callable[[HandlerFunction], None]


class Firing:
    """Fires events for one turn. How long handlers took and what they printed is noted on an entry.

    ``output`` keeps what is printed: inside a call of another agent, whoever does it there.
    """

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        parent = turn.parent
        self.output: OutputCapture | None = (parent and parent.turn.firing.output) or turn.agent.output

    def fire(
        self,
        event: Event,
        onto: TraceEntry,
        tail: OpenTail | None = None,
        check: Check | None = None,
        *,
        stoppable: bool = True,
    ) -> None:
        """Call the handlers of an event and note it on ``onto``; ``tail`` is looked at behind each.

        ``check`` is called behind each too, and raises if the handler did what it must not. An exception
        gets a note that names event and handler.
        """
        turn = self._turn
        hooks = turn.agent.hooks
        handlers = hooks.handlers(event)
        if not handlers:
            return
        recorder = turn.recorder
        captured: CapturedOutput | None = None
        waited = recorder.waited_ms
        begin = time.perf_counter()
        try:
            if event not in hooks.foreign:
                self._call_all(event, handlers, tail, check, stoppable)
            elif self.output is None:
                turn.agent.transcript.doubted = True
                self._call_all(event, handlers, tail, check, stoppable)
            else:
                turn.agent.transcript.doubted = True
                with self.output.bracket(f"hook:{event}") as captured:
                    self._call_all(event, handlers, tail, check, stoppable)
        finally:
            took = (time.perf_counter() - begin) * 1000 - (recorder.waited_ms - waited)
            onto.setdefault("hooks_ms", {})[event] = took
            if captured is not None and (text := captured.text):
                onto.setdefault("hook_output", {})[event] = text
            if "type" in onto:  # an entry, not notes for one that is still to come
                recorder.tell("entry_changed", onto)

    def fire_behind(self, entry: TraceEntry, *events: Event, tail: OpenTail | None = None) -> None:
        """Fire events whose handlers find ``entry`` at ``trace[-1]``: nothing gets behind it meanwhile."""
        recorder = self._turn.recorder
        recorder.hold()
        for event in events:
            self.fire(event, entry, tail)
        recorder.let_go()  # not after an exception: it ends the turn, which writes what was held

    def _call_all(
        self,
        event: Event,
        handlers: tuple[HandlerFunction, ...],
        tail: OpenTail | None,
        check: Check | None,
        stoppable: bool,
    ) -> None:
        turn = self._turn
        agent, cancel, session = turn.agent, turn.cancel, turn.session
        for handler in handlers:
            if stoppable and cancel.cancelled:
                cancel.raise_if_cancelled()
            messages = session.get("messages")
            try:
                returned = handler(agent)
                if returned is not None and inspect.isawaitable(returned):
                    turn.places.wait_for(returned, f"{event} handler {describe(handler)}")
                if check is not None:
                    check(handler)
            except StopTurn:
                self._put_back(messages)
                raise
            except BaseException as error:
                self._put_back(messages)
                error.add_note(f"in the {event} handler {raised_at(handler, error)}")
                raise
            if tail is not None and tail.intact:
                continue
            if not isinstance(session.get("messages"), list):
                self._refuse_messages(messages, event, handler)
            if tail is not None:
                tail.disturbed(handler)

    def _put_back(self, messages: Any) -> None:
        """If a handler left no list of messages in the session, put ``messages`` there again."""
        session = self._turn.session
        if not isinstance(session.get("messages"), list):
            session["messages"] = messages

    def _refuse_messages(self, messages: Any, event: Event, handler: HandlerFunction) -> NoReturn:
        found = self._turn.session.get("messages", "nothing")
        self._put_back(messages)
        what = found if isinstance(found, str) else type(found).__name__
        raise HookError(
            f"the {event} handler {describe(handler)} left {what} in the place of the message list",
            hint="Change current_session['messages'] in place, or put another list there.",
        )
