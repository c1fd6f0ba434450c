"""The calls of one answer: verdicts, runs, and an answer to every call whatever happens."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

from workbench.engine import trace
from workbench.engine.arguments import arguments_text, copy_arguments, edit_note, plain_arguments
from workbench.engine.calls import Execution, Outcome
from workbench.engine.cancel import CancelToken
from workbench.engine.content import content_of
from workbench.engine.hooks import HandlerFunction, describe
from workbench.engine.llm import LLMResponse, Message, ToolCall
from workbench.engine.observer import TraceEntry
from workbench.engine.open_call import OpenCall
from workbench.engine.open_tail import OpenTail
from workbench.engine.pausing import run_with_pauses
from workbench.engine.pictured import apart
from workbench.engine.results import kept_whole, sendable, shorten
from workbench.engine.scope import FAILED, STOPPED, CallScope, interrupted, not_run, rejected
from workbench.engine.transcript import safe_tool_name
from workbench.engine.watched import WatchedDict, WatchedList, watched
from workbench.engine.xray_context import view_of, xray_mark
from workbench.errors import HookError, StopTurn, ToolRejected
from workbench.registry.texts import text_of

if TYPE_CHECKING:
    from workbench.engine.turn import Turn


class Batch:
    """Runs the calls of ``response``. When ``run`` is left, in whatever way, each call is answered."""

    def __init__(self, turn: Turn, response: LLMResponse) -> None:
        self._turn = turn
        assert turn.llm_entry is not None
        self._asked_by = turn.llm_entry
        self._tail = OpenTail(turn.session, assistant_message(response))
        self._calls = [OpenCall(turn, call) for call in response.tool_calls]
        self._waited_ms = 0.0

    @property
    def _next(self) -> int:
        """The first call that is not answered."""
        return self._tail.answered

    def run(self) -> None:
        """Raises what hooks raise, StopTurn at a stop, and MessageOrderError for misplaced messages."""
        turn = self._turn
        session = turn.session
        session["pending_tools"] = [call.pending for call in self._calls]
        try:
            self._tail.open()
            try:
                turn.agent.observers.tell("batch_started", turn.agent)
                self._decide()
                self._run_calls()
            except StopTurn as stop:
                self._answer_rest(text_of(stop) or turn.stop_reason)
                raise
            except KeyboardInterrupt:
                self._answer_rest(STOPPED)
                raise
            except BaseException:
                self._answer_rest(FAILED)
                raise
            finally:
                self._tail.close()
            turn.firing.fire("after_tools", self._asked_by)
        finally:
            session.pop("pending_tools", None)

    # ── verdicts ─────────────────────────────────────────────────────────────────────────────────

    def _decide(self) -> None:
        refused = self._ask_hooks()
        self._tail.strict = True
        if refused is not None:
            for call in self._calls:
                call.pending.update(decision="reject", reason=text_of(refused), decided_by="hook")

    def _ask_hooks(self) -> ToolRejected | None:
        self._waited_ms = self._turn.recorder.waited_ms
        try:
            self._turn.firing.fire("before_tools", self._asked_by, self._tail, self._take_up_all)
        except ToolRejected as rejection:
            return rejection
        return None

    def _take_up_all(self, handler: HandlerFunction) -> None:
        """Take over what a before_tools handler did to the list; a call that it took out does not run.

        What it decided while a person was waited for is that person's verdict, otherwise its own.
        """
        session, by = self._turn.session, self._decider()
        listed: Any = session.get("pending_tools") or []
        if not isinstance(listed, list | tuple):
            session["pending_tools"] = [call.pending for call in self._calls]
            raise _misused(handler, f"left {type(listed).__name__} in the place of pending_tools")
        by_id = {call.call.id: call for call in self._calls}
        own = {id(call.pending): call for call in self._calls}
        listed_calls: dict[OpenCall, None] = {}
        fault = None
        for entry in listed:
            call = own.get(id(entry)) or _named(entry, by_id)
            if call is None:
                fault = fault or f"put {type(entry).__name__} of no call among the pending tools"
            else:
                call.take(entry)
                listed_calls[call] = None
        kept = [call.pending for call in listed_calls]
        same = [id(entry) for entry in listed] == [id(entry) for entry in kept]
        if not same or listed is not session.get("pending_tools"):
            session["pending_tools"] = kept
        for call in self._calls:
            wrong = call.mend()
            if wrong is not None:
                fault = fault or f"left a pending call that cannot be used: {wrong}"
            if call not in listed_calls:
                taken_out = {"reason": "a hook took it out of the batch", "decided_by": "hook"}
                call.pending.update(decision="reject", **taken_out)
            call.attribute(by)
        if fault is not None:
            raise _misused(handler, fault)

    def _decider(self) -> str:
        """Who speaks in what the last handler left: a person, if one was waited for in it."""
        before, self._waited_ms = self._waited_ms, self._turn.recorder.waited_ms
        return "user" if self._waited_ms > before else "hook"

    def _take_up(self, call: OpenCall, handler: HandlerFunction) -> None:
        """Take over what a before_each_tool handler did to its call."""
        session = self._turn.session
        entry = session.get("pending_tool", call.pending)
        session["pending_tool"] = call.pending
        if not isinstance(entry, dict):
            raise _misused(handler, f"left {type(entry).__name__} in the place of pending_tool")
        call.take(entry)
        wrong = call.mend()
        if wrong is not None:
            raise _misused(handler, f"left a pending call that cannot be used: {wrong}")
        call.attribute(self._decider())

    # ── running ──────────────────────────────────────────────────────────────────────────────────

    def _run_calls(self) -> None:
        while self._next < len(self._calls):
            self._turn.cancel.raise_if_cancelled()
            group = self._parallel_group()
            if len(group) > 1:
                self._run_group(group)
            else:
                self._run_one(self._calls[self._next])

    def _run_one(self, call: OpenCall) -> None:
        rejection = self._before(call)
        if rejection is not None:
            self._answer(call, rejection)
            return
        if self._may_pause:
            outcome = run_with_pauses(self._turn, call, self._execution)
        else:
            execution = self._execution(call)
            call.running = True
            outcome = execution.run(call.verdict())
        self._answer(call, outcome)

    @property
    def _may_pause(self) -> bool:
        return self._turn.agent.debugger is not None and bool(self._turn.agent.breakpoints)

    def _parallel_group(self) -> list[OpenCall]:
        """The calls from here on that may run at the same time: marked for it, and not waiting for a yes."""
        group: list[OpenCall] = []
        if self._may_pause:
            return group
        for at in range(self._next, len(self._calls)):
            call = self._calls[at]
            tool = call.tool
            if tool is None or not tool.metadata.parallel_safe or tool.metadata.caller_thread:
                break
            if call.verdict() is not True and (
                call.verdict() is False or call.pending.get("permission") != "allow"
            ):
                break
            group.append(call)
        return group

    def _run_group(self, group: list[OpenCall]) -> None:
        started: list[tuple[OpenCall, Execution | Outcome]] = []
        first = self._next
        try:
            for call in group:
                rejection = self._before(call)
                if rejection is None:
                    execution = self._execution(call)
                    call.running = True
                    execution.start(call.verdict())
                    started.append((call, execution))
                else:
                    started.append((call, rejection))
            for call, state in started:
                self._answer(call, state.finish() if isinstance(state, Execution) else state)
        except BaseException as error:
            left = started[self._next - first :]
            self._leave_group(left, text_of(error) if isinstance(error, StopTurn) else FAILED)
            raise

    def _leave_group(self, started: list[tuple[OpenCall, Execution | Outcome]], reason: str) -> None:
        """Take what has ended by now, and leave the rest."""
        leave = CancelToken()
        leave.cancel(reason or STOPPED)
        for call, state in started:
            self._write(call, state.finish(leave) if isinstance(state, Execution) else state)

    def _before(self, call: OpenCall) -> Outcome | None:
        """Call the before_each_tool handlers; an outcome if the call shall not run."""
        turn = self._turn
        wrong = call.mend()
        if wrong is not None:
            raise HookError(f"a handler of an earlier call left one that cannot be used: {wrong}", hint=_HINT)
        if call.verdict() is False:
            return self._rejection(call)
        call.scope = turn.scope = CallScope(turn, call.name, call.call.id)
        turn.session["pending_tool"] = call.pending
        self._waited_ms = turn.recorder.waited_ms
        try:
            turn.firing.fire("before_each_tool", call.notes, self._tail, partial(self._take_up, call))
        except ToolRejected as rejection:
            call.pending.update(decision="reject", reason=text_of(rejection), decided_by="hook")
        finally:
            turn.session.pop("pending_tool", None)
            turn.scope = None
        return self._rejection(call) if call.verdict() is False else None

    def _execution(self, call: OpenCall) -> Execution:
        turn, scope = self._turn, call.scope
        assert scope is not None
        if call.running:  # again: what happened inside the first time is not this time's
            scope = call.scope = CallScope(turn, call.name, call.call.id, scope.human_ms)
        arguments = copy_arguments(call.arguments())
        stand_in = call.pending.get("stand_in")
        return Execution(turn, call.call, call.tool, call.name, arguments, scope, stand_in)

    @staticmethod
    def _rejection(call: OpenCall) -> Outcome:
        by = call.pending.get("decided_by") or "hook"
        text = rejected(call.pending.get("reason"), by)
        return Outcome("rejected", text, timestamp=time.time(), extra={"decided_by": by})

    # ── answering ────────────────────────────────────────────────────────────────────────────────

    def _answer(self, call: OpenCall, outcome: Outcome) -> None:
        """Record the outcome and answer the call; then the handlers; then raise what must leave."""
        turn = self._turn
        entry = self._write(call, outcome)
        if outcome.leaving is not None:
            raise outcome.leaving
        if outcome.status in ("error", "not_found", "disabled"):
            turn.firing.fire_behind(entry, "on_error", "after_each_tool", tail=self._tail)
        else:
            turn.firing.fire_behind(entry, "after_each_tool", tail=self._tail)
        mark = xray_mark(call.tool.func) if call.tool is not None else None
        if mark is not None and mark.trace and turn.agent.trace_drawer is not None and not turn.agent.quiet:
            turn.agent.trace_drawer(view_of(turn.agent, automatic=True))

    def _write(self, call: OpenCall, outcome: Outcome) -> TraceEntry:
        turn = self._turn
        turn.recorder.release_waits()
        call.mend()
        arguments = plain_arguments(call.arguments())
        edited_by = call.edited_by()
        text, told, images = apart(outcome.text)
        limit = call.tool.metadata.max_result if call.tool is not None else None
        kept: dict[str, str] = {}
        content = sendable(told)
        if limit is not None and len(content) > limit:
            whereabouts, kept = kept_whole(turn.agent.keep_result, call.name, text)
            content = shorten(content, limit, whereabouts)
        if edited_by and outcome.status not in ("rejected", "cancelled"):
            content = f"{edit_note(edited_by, arguments)}\n{content}"
        entry = trace.tool_execution(
            tool_name=call.name,
            arguments=arguments,
            call_id=call.call.id,
            result=text,
            status=outcome.status,
            timing=outcome.timing,
            iteration=turn.session["iteration"],
            timestamp=outcome.timestamp or time.time(),
        )
        if edited_by:
            entry["edited_from"] = plain_arguments(call.original)
            entry["edited_by"] = edited_by
        entry.update(outcome.extra)
        entry.update(kept)
        if call.scope is not None and call.scope.human_ms:
            entry["human_ms"] = call.scope.human_ms
        entry.update(call.notes)
        for key, value in plain_arguments(call.pending.get("marks")).items():
            entry.setdefault(key, value)
        if outcome.status in trace.CALLED or (outcome.status == "cancelled" and call.running):
            turn.tools_called.append(call.name)
        answer = watched(content_of(sendable(content), images))
        at = self._next
        try:
            self._tail.answer(WatchedDict(role="tool", tool_call_id=call.call.id, content=answer))
            call.running = False
        finally:
            if self._next > at:  # an interrupt must not part the answer from its entry
                turn.recorder.record(entry)
        return entry

    def _answer_rest(self, reason: str) -> None:
        """Answer what is still open; a call that was on its way may have had effects, and that is said."""
        for call in self._calls[self._next :]:
            text = interrupted(reason) if call.running else not_run(reason)
            outcome = Outcome("cancelled", text, timestamp=time.time())
            self._write(call, outcome)


def _named(entry: object, calls: dict[str, OpenCall]) -> OpenCall | None:
    """The call of an entry that a handler put in the place of ours."""
    call_id = entry.get("id") if isinstance(entry, dict) else None
    return calls.get(call_id) if isinstance(call_id, str) else None


_HINT = (
    "Edit decision, reason and arguments of the entries in current_session['pending_tools'], or take "
    "entries out of the list."
)


def _misused(handler: HandlerFunction, what: str) -> HookError:
    return HookError(f"{describe(handler)} {what}", hint=_HINT)


def assistant_message(response: LLMResponse) -> Message:
    """The model's answer with its calls as a message; provider fields go back as they came."""
    message: Message = WatchedDict(
        role="assistant",
        content=sendable(response.content or ""),
        tool_calls=WatchedList([_message_call(call) for call in response.tool_calls]),
    )
    if response.extra:
        message.update((key, watched(value)) for key, value in response.extra.items() if key not in message)
    return message


def _message_call(call: ToolCall) -> WatchedDict:
    function = WatchedDict(name=safe_tool_name(call.name), arguments=arguments_text(call.arguments))
    function.vouched = function["arguments"]
    made = WatchedDict(id=call.id, type="function", function=function)
    return WatchedDict({**watched(call.extra), **made}) if call.extra else made
