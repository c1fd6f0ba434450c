"""One turn: from the user's prompt through the iterations to the answer."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from workbench.engine import trace
from workbench.engine.batch import Batch
from workbench.engine.begun import BegunTurn
from workbench.engine.cancel import CancelToken
from workbench.engine.content import content_of
from workbench.engine.firing import Firing
from workbench.engine.images import Image
from workbench.engine.llm import LLMResponse, Message, TokenUsage
from workbench.engine.model_call import ModelCall
from workbench.engine.observer import TraceEntry, TurnStatus, TurnSummary
from workbench.engine.places import Places
from workbench.engine.recorder import Recorder
from workbench.engine.results import plain, sendable
from workbench.engine.scope import STOPPED, CallScope, sentence
from workbench.engine.transcript import repair_messages
from workbench.engine.watched import WatchedDict, watched
from workbench.engine.xray_context import current_context
from workbench.errors import HookError, StopTurn, TranscriptError
from workbench.registry.texts import text_of

if TYPE_CHECKING:
    from workbench.engine.agent import Agent


class Turn:
    """Runs one prompt. ``loop`` is the caller's event loop when it came through ``ainput()``.

    ``begun`` is the first part of a turn that goes on from a record, ``images`` go with the prompt.
    """

    def __init__(
        self,
        agent: Agent,
        prompt: str,
        max_iterations: int,
        loop: asyncio.AbstractEventLoop | None = None,
        begun: BegunTurn | None = None,
        images: Sequence[Image] = (),
    ) -> None:
        self.agent = agent
        self.prompt = sendable(prompt)
        self.max_iterations = max_iterations
        self._begun = begun
        self._images = images
        self.cancel = CancelToken()
        self.places = Places(loop, agent.loop_thread, self.cancel, agent)
        self.started = time.time()
        self.usage = TokenUsage()
        self.tools_called: list[str] = []
        self.llm_entry: TraceEntry | None = None
        self.notes: TraceEntry = {}
        """What the handlers did whose entry is still to come."""
        self.scope: CallScope | None = None
        """The call that is about to run or runs, while its hooks are called on this thread."""
        context = current_context()
        self.parent = context.scope if context is not None else None
        self.origin: tuple[str, ...] = self.parent.origin if self.parent else ()
        self.ended = threading.Event()
        """Set when everything about the turn is over, its report included."""
        self.thread_id: int | None = None
        self.session: dict[str, Any] = {}
        """The agent's, from the moment on at which the turn begins."""
        self._user_entry: TraceEntry = {}
        self._begin_clock = time.perf_counter()
        self.recorder = Recorder(agent, self.parent)
        self.firing = Firing(self)

    @property
    def stop_reason(self) -> str:
        """Why the turn was stopped, in words for people."""
        return self.cancel.reason or STOPPED

    @property
    def messages(self) -> list[Message]:
        """The session's message list as it is now; handlers may have put another one there."""
        messages: list[Message] = self.session["messages"]
        return messages

    # ── the course of a turn ─────────────────────────────────────────────────────────────────────

    def run(self) -> str:
        """The answer. Whatever leaves here, the transcript is sendable and the turn was reported.

        Inside a call of another agent it is known there, and stopped with it.
        """
        self.thread_id = threading.get_ident()
        parent = self.parent
        if parent is None:
            return self._live()
        forget = parent.turn.cancel.on_cancel(lambda: self.cancel.cancel(parent.turn.stop_reason))
        parent.turns.append(self)
        try:
            return self._live()
        finally:
            forget()
            parent.turns.remove(self)

    def _live(self) -> str:
        try:
            self._begin()
            result, status = self._iterate()
        except StopTurn as stop:
            result, status = sentence(text_of(stop) or STOPPED), "stopped"
            self.recorder.note("stop", reason=text_of(stop) or STOPPED)
        except BaseException as error:
            self._finish("", "error", error)
            raise
        self._finish(result, status, None)
        if status != "stopped":
            self._complete()
        return result

    def _begin(self) -> None:
        agent = self.agent
        self.session = session = agent.open_session()
        self.recorder.begin(session)
        self.recorder.release_all()
        agent.transcript.doubted = True  # whatever happened between the turns
        session["turn"] += 1
        session["iteration"] = 0
        session["user_prompt"] = self.prompt
        self.mend()
        content = watched(content_of(self.prompt, self._images))
        session["messages"].append(WatchedDict(role="user", content=content))
        named = [image.facts for image in self._images]
        self._user_entry = trace.user_input(session["turn"], self.prompt, self.started, named)
        self.recorder.record(self._user_entry)
        agent.observers.tell("turn_started", agent, self.prompt)
        self.firing.fire("after_user_input", self._user_entry)
        if self._begun is not None:
            self._take_up(self._begun)

    def _take_up(self, begun: BegunTurn) -> None:
        """Put the part that is over in place, as if it had been lived here."""
        self.session["iteration"] = begun.iterations
        self.messages.extend(begun.new_messages())
        self.mend()
        for entry in begun.new_entries():
            if entry["type"] == "tool_execution" and entry["status"] in trace.CALLED:
                self.tools_called.append(entry["tool_name"])
            self.recorder.record(entry)

    def _iterate(self) -> tuple[str, TurnStatus]:
        over = self.session["iteration"]
        for iteration in range(over + 1, over + self.max_iterations + 1):
            self.session["iteration"] = iteration
            response = self._ask()
            if not response.tool_calls:
                self._append_answer(response)
                return response.content or "", "success"
            Batch(self, response).run()
            self.recorder.release_all()
        return f"Task incomplete: Maximum {self.max_iterations} iterations reached.", "incomplete"

    def _ask(self) -> LLMResponse:
        self.firing.fire("before_llm", self.notes)
        self.cancel.raise_if_cancelled()
        self.mend()
        call = ModelCall(self)
        response = call.run()
        entry = self.llm_entry
        assert entry is not None
        self.session["llm_response"] = response
        try:
            self.firing.fire_behind(entry, "after_llm")
            edited = self.session.get("llm_response", response)
        finally:
            self.session.pop("llm_response", None)
        self.cancel.raise_if_cancelled()
        if not isinstance(edited, LLMResponse):
            raise HookError(
                f"an after_llm handler put {type(edited).__name__} in the place of the response",
                hint="Change the LLMResponse in current_session['llm_response'], or put another one there.",
            )
        return call.settle_calls(edited)

    def _append_answer(self, response: LLMResponse) -> None:
        message: Message = WatchedDict(role="assistant", content=sendable(response.content or ""))
        if response.extra:
            message.update(
                (key, watched(value)) for key, value in response.extra.items() if key not in message
            )
        if message["content"] or len(message) > 2:
            self.messages.append(message)

    def _complete(self) -> None:
        try:
            self.firing.fire("on_complete", self.llm_entry or self._user_entry, stoppable=False)
        except StopTurn:
            return
        finally:
            self.mend()

    def _finish(self, result: str, status: TurnStatus, error: BaseException | None) -> None:
        """Report the turn, however it ended."""
        if not self.session:
            return
        self._settle_notes()
        self.recorder.release_all()
        self.mend()
        agent = self.agent
        agent.last_status = status
        messages, entries, replaces = agent.unreported.take(self.session, agent.transcript.take_rewritten())
        summary = TurnSummary(
            turn=self.session["turn"],
            input=self.prompt,
            model=agent.model,
            started=self.started,
            duration_ms=(time.perf_counter() - self._begin_clock) * 1000,
            waited_ms=self.recorder.waited_ms,
            status=status,
            result=result,
            usage=self.usage,
            iterations=self.session["iteration"],
            tools_called=tuple(self.tools_called),
            messages=messages,
            trace=entries,
            error=error,
            extra={"origin": self.origin} if self.origin else {},
            replaces=replaces,
        )
        if self.parent is not None:
            self.parent.nested.append(
                {"agent": agent.name, "status": status, "result": result, "trace": list(entries)}
            )
        agent.observers.tell("turn_finished", agent, summary)

    def _settle_notes(self) -> None:
        """No entry came any more for what handlers did: it stands on the last one."""
        entry = self.llm_entry or self._user_entry
        if self.notes:
            for kind, by_event in self.notes.items():
                entry[kind] = {**entry.get(kind, {}), **by_event}
            self.recorder.tell("entry_changed", entry)
        self.notes = {}

    # ── trace and transcript ─────────────────────────────────────────────────────────────────────

    def human_wait(self, what: str, inside: CallScope | None = None) -> AbstractContextManager[None]:
        """Account the time inside as a person's; ``inside`` is the running call that waits, if one does."""
        return self.recorder.human_wait(what, inside or self.scope, at_once=inside is None)

    def mend(self) -> None:
        """Make sure that the transcript is sendable; a repair is an entry in the trace."""
        messages = self.messages
        try:
            self.agent.transcript.check(messages)
        except TranscriptError as error:
            repairs = [
                {"what": repair.what, "message": plain(repair.message)}
                for repair in repair_messages(messages)
            ]
            self.recorder.note("transcript_repair", violation=str(error), repairs=repairs)
            self.agent.transcript.check(messages)
