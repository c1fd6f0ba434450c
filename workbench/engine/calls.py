"""One tool call: through the registry, off the agent's thread, to an outcome that never raises."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from workbench.engine.cancel import CancelToken
from workbench.engine.faults import describe_fault
from workbench.engine.inheritance import install as install_inheritance
from workbench.engine.jobs import Abandoned, Errand, Job, LateOutcome
from workbench.engine.llm import ToolCall
from workbench.engine.pictured import Pictured, result_text
from workbench.engine.results import looks_like_json, to_text
from workbench.engine.scope import STOPPED, CallScope, interrupted, not_run
from workbench.engine.stand_in import InPlace, StandIn
from workbench.engine.trace import ToolStatus
from workbench.engine.worker import pool
from workbench.engine.xray_context import XrayContext, enter_context, leave_context
from workbench.errors import (
    StopTurn,
    ToolArgumentsError,
    ToolDeniedError,
    ToolDisabledError,
    ToolNotFoundError,
    ToolTimeoutError,
)
from workbench.registry.texts import message_of, text_of

if TYPE_CHECKING:
    from workbench.engine.turn import Turn
    from workbench.registry import BoundCall, Tool

_PLAIN: Final = (str, int, float)
"""Values whose text is made at once, by code that is not their own."""


@dataclass(slots=True)
class Outcome:
    """How a call ended: ``text`` whole, ``timing`` in milliseconds, ``leaving`` to be raised in the end."""

    status: ToolStatus
    text: str
    timing: float = 0.0
    timestamp: float = 0.0
    extra: dict[str, Any] = field(default_factory=dict)
    leaving: BaseException | None = None


class Execution:
    """Runs one call. Used once; ``scope`` is what those inside the call see of it."""

    __slots__ = (
        "_begin",
        "_bound",
        "_cancel",
        "_captured",
        "_fault",
        "_gave_text",
        "_human_before",
        "_job",
        "_left_running",
        "_stand_in",
        "_tool",
        "_turn",
        "_waited_ms",
        "arguments",
        "call",
        "name",
        "ran",
        "scope",
        "timestamp",
        "timing",
    )

    def __init__(
        self,
        turn: Turn,
        call: ToolCall,
        tool: Tool | None,
        name: str,
        arguments: dict[str, Any],
        scope: CallScope,
        stand_in: StandIn | None = None,
    ) -> None:
        self._turn = turn
        self._cancel = turn.cancel
        self._tool = tool
        self._stand_in = stand_in
        self._captured: Any = None
        self._fault: tuple[BaseException | None, dict[str, Any]] = (None, {})
        self._job: Job | None = None
        self._left_running = False
        self._gave_text = False
        self._begin = 0.0
        self._waited_ms = 0.0
        self._bound: BoundCall | None = None
        self._human_before = 0.0
        self.call = call
        self.name = name
        self.arguments = arguments
        self.scope = scope
        self.ran = False
        self.timing = 0.0
        self.timestamp = time.time()

    # ── the two ways to run ──────────────────────────────────────────────────────────────────────

    def run(self, approved: bool | None) -> Outcome:
        """Run the call now and wait for it."""
        return self._outcome_of(lambda: self._through_registry(approved, self._hop))

    def start(self, approved: bool | None) -> None:
        """Begin the call on a worker of its own, or on the loop; ``finish()`` waits for it."""
        self._human_before = self.scope.human.seconds
        if self._tool is not None and self._tool.is_async:
            self._job = self._turn.places.task(lambda: self._through_registry_async(approved), self._errand())
        else:
            self._job = pool.start(lambda: self._through_registry(approved, self._inline), self._errand())

    def finish(self, cancel: CancelToken | None = None) -> Outcome:
        """Wait for a call that was started; ``cancel`` stands in for the turn's own token."""
        job, tool = self._job, self._tool
        assert job is not None
        if cancel is not None:
            self._cancel = cancel
        limit = tool.metadata.timeout if tool is not None else None
        human = self.scope.human.seconds - self._human_before
        left = None if limit is None else max(0.0, job.started + human + limit - time.time())
        return self._outcome_of(lambda: self._wait(job, left))

    # ── inside ───────────────────────────────────────────────────────────────────────────────────

    def _through_registry(self, approved: bool | None, runner: Callable[[BoundCall], Any]) -> Any:
        self._check_readable()
        # Whoever is asked for permission works inside the call too: an agent that judges is stopped with it.
        token = enter_context(self._context())
        try:
            return self._turn.agent.tools.call(
                self.call.name,
                self.arguments,
                approved=approved,
                call_id=self.call.id,
                origin=self.scope.origin,
                runner=self._in_place(runner),
                waiter=self._await_permission,
            )
        finally:
            leave_context(token)

    def _check_readable(self) -> None:
        call = self.call
        if call.error is not None:
            self._turn.agent.tools.note_wrong_call(call.name, call.raw_arguments, call.error)
            raise ToolArgumentsError(call.error)

    async def _through_registry_async(self, approved: bool | None) -> Any:
        """The same as a task of its own, for an async tool that runs beside others."""
        self._check_readable()
        enter_context(self._context())
        return await self._turn.agent.tools.acall(
            self.call.name,
            self.arguments,
            approved=approved,
            call_id=self.call.id,
            origin=self.scope.origin,
            runner=self._in_place(self._awaited),
        )

    def _in_place(self, runner: Callable[[BoundCall], Any]) -> Callable[[BoundCall], Any]:
        stand_in = self._stand_in

        def run(bound: BoundCall) -> Any:
            self._bound = bound
            return runner(bound if stand_in is None else InPlace(bound, stand_in))

        return run

    def _await_permission(self, answer: Awaitable[Any]) -> Any:
        return self._turn.places.wait_for(answer, f"the question whether {self.name} may run")

    def _begins(self) -> None:
        """The registry has let the call pass; a stop that came meanwhile is its last chance not to run."""
        self._cancel.raise_if_cancelled()
        install_inheritance()
        self._turn.agent.observers.tell("call_started", self._turn.agent, self.call.id)
        self.ran = True
        self.timestamp = time.time()
        self._waited_ms = self.scope.human_ms
        self._begin = time.perf_counter()

    def _hop(self, bound: BoundCall) -> Any:
        """On the agent's thread: have the bound call run where it belongs, and wait."""
        turn, tool = self._turn, bound.tool
        timeout = tool.metadata.timeout
        self._begins()
        if tool.is_async:
            return self._as_task(bound.run, timeout)
        if tool.metadata.caller_thread:
            return turn.places.on_caller_thread(lambda: self._measured(bound))
        job = pool.start(partial(self._shown, bound), self._errand())
        value = self._wait(job, timeout)
        return value if isinstance(value, str) else self._await_late(value, timeout)

    def _inline(self, bound: BoundCall) -> Any:
        """On a worker already: run the bound call here."""
        self._begins()
        value = self._shown(bound)
        return value if isinstance(value, str) else self._await_late(value, None)

    def _awaited(self, bound: BoundCall) -> Awaitable[Any]:
        """On the loop already: what is to be awaited for the bound call."""
        self._begins()
        if bound.tool.is_async:
            return self._measured_async(bound.run)
        return asyncio.to_thread(self._measured, bound)  # a newer version that is no longer async

    def _measured(self, bound: BoundCall) -> Any:
        output = self._turn.firing.output
        begin = time.perf_counter()
        try:
            try:
                if output is None:
                    return self._noted(bound.run())
                with output.bracket(self.call.id) as self._captured:
                    return self._noted(bound.run())
            finally:
                self._took((time.perf_counter() - begin) * 1000)
        except BaseException as error:
            self._look_at(error)
            raise

    def _took(self, ms: float) -> None:
        """The tool ran for so long; the registry counts it as the trace does, without a person's time."""
        self.timing = ms
        if self._bound is not None:
            self._bound.spent_ms = self._without_waits(ms)

    def _without_waits(self, ms: float) -> float:
        return max(0.0, ms - (self.scope.human_ms - self._waited_ms))

    def _noted(self, value: Any) -> Any:
        """The value; whether it was a text, its text alone may not say."""
        self._gave_text = looks_like_json(value)
        return value

    def _look_at(self, error: BaseException) -> None:
        """Where the tool ran: its exceptions and values have code of their own, which may take its time."""
        if isinstance(error, StopTurn):
            text_of(error)  # made here, and kept with it
        else:
            self._fault = (error, describe_fault(error))

    def _shown(self, bound: BoundCall) -> str | Awaitable[Any]:
        """On a worker: run it; the value as text, unless it is still to be awaited."""
        value = self._measured(bound)
        if value is None or isinstance(value, _PLAIN) or not inspect.isawaitable(value):
            return result_text(value)
        return value

    def _text_of(self, value: Any) -> str:
        """On the agent's thread: the text of a value; the value's own code may take its time elsewhere."""
        if type(value) is str or isinstance(value, Pictured):
            return value
        if value is None or isinstance(value, _PLAIN):
            return to_text(value)
        text: str = self._wait(pool.start(lambda: result_text(value), self._errand()), None)
        return text

    def _await_late(self, awaitable: Any, timeout: float | None) -> Any:
        """A plain function handed back something to wait for: that belongs to the call too."""
        return self._as_task(lambda: awaitable, timeout)

    def _as_task(self, make: Callable[[], Any], timeout: float | None) -> Any:
        job = self._turn.places.task(lambda: self._measured_async(make), self._errand())
        return self._wait(job, timeout)

    async def _measured_async(self, make: Callable[[], Any]) -> Any:
        output = self._turn.firing.output
        begin, before = time.perf_counter(), self.timing
        try:
            try:
                if output is None:
                    return self._noted(await make())
                with output.bracket(self.call.id) as self._captured:
                    return self._noted(await make())
            finally:
                self._took(before + (time.perf_counter() - begin) * 1000)
        except asyncio.CancelledError:
            if self._job is not None and self._job.left == "timeout":
                raise self._timeout("") from None
            raise
        except BaseException as error:
            self._look_at(error)
            raise

    def _wait(self, job: Job, timeout: float | None) -> Any:
        try:
            return job.wait(self._cancel, timeout, self.scope.human)
        except Abandoned as left:
            late = left.why == "timeout"
            self.scope.leave("the call ran too long" if late else self._cancel.reason or STOPPED)
            self._left_running = not left.ended
            if late:
                raise self._timeout("; it is still running" if self._left_running else "") from None
            raise
        except (KeyboardInterrupt, SystemExit):
            if job.left is not None:
                self.scope.leave(STOPPED)
            raise

    def _timeout(self, still: str) -> ToolTimeoutError:
        assert self._tool is not None
        return ToolTimeoutError(f"ran longer than its limit of {self._tool.metadata.timeout:g} s{still}")

    def _context(self) -> XrayContext:
        turn = self._turn
        first = len(turn.session["trace"])
        return XrayContext(
            turn.agent,
            turn.prompt,
            turn.messages,
            turn.session["iteration"],
            lambda: turn.recorder.tools_before(first),
            self.scope,
        )

    def _errand(self) -> Errand:
        may_end = self._tool is not None and self._tool.metadata.interruptible
        return Errand(self.name, self._turn.agent, self.call.id, self._note_late, self.scope.threads, may_end)

    def _note_late(self, late: LateOutcome) -> None:
        if isinstance(late.error, Abandoned):  # the worker waited for a part of the call that was left too
            late = replace(late, error=asyncio.CancelledError("it was cancelled"))
        self._turn.agent.note_late_result(self.call.id, late)

    # ── from what happened to an outcome ─────────────────────────────────────────────────────────

    def _outcome_of(self, work: Callable[[], Any]) -> Outcome:
        try:
            outcome = Outcome("success", self._text_of(work()))
            if self._gave_text:
                outcome.extra["result_is_text"] = True
            self._check_stopped_inside()
        except Abandoned:
            reason = self._cancel.reason or STOPPED
            outcome = Outcome("cancelled", interrupted(reason), leaving=StopTurn(reason))
        except StopTurn as stop:
            reason = text_of(stop) or STOPPED
            text = f"Stopped the turn: {reason}" if self.ran else not_run(reason)
            outcome = Outcome("cancelled", text, leaving=stop)
        except Exception as error:  # noqa: BLE001 - whatever a tool raises is the model's to read
            outcome = self._denied_by_stop(error) or self._failure(error)
        except asyncio.CancelledError as error:  # something inside the tool was cancelled, not the turn
            outcome = self._failure(error)
        except KeyboardInterrupt as error:
            outcome = Outcome("cancelled", interrupted(STOPPED), leaving=error)
        except BaseException as error:  # noqa: BLE001 - recorded first; the batch raises it again
            outcome = self._failure(error)
            outcome.leaving = error
        outcome.timing = self._without_waits(self.timing or self._elapsed())
        outcome.timestamp = self.timestamp
        written = getattr(self._captured, "text", "")
        if written:
            outcome.extra["output"] = written
        if self._left_running:
            outcome.extra["left_running"] = True
        if self.scope.nested:
            outcome.extra["nested"] = self.scope.nested
        return outcome

    def _check_stopped_inside(self) -> None:
        """What a call gave is no answer where an agent in it was stopped together with the turn."""
        if self._cancel.cancelled and any(each["status"] == "stopped" for each in self.scope.nested):
            raise Abandoned("stop", ended=True)

    def _denied_by_stop(self, error: Exception) -> Outcome | None:
        """A question that a stop cut short is no answer, whatever the one who was asked made of it."""
        if self.ran or not self._cancel.cancelled or not isinstance(error, ToolDeniedError):
            return None
        reason = self._cancel.reason or STOPPED
        return Outcome("cancelled", not_run(reason), leaving=StopTurn(reason))

    def _elapsed(self) -> float:
        return (time.perf_counter() - self._begin) * 1000 if self.ran else 0.0

    def _failure(self, error: BaseException) -> Outcome:
        seen, extra = self._fault
        if seen is not error:
            extra = describe_fault(error)
        if not self.ran:
            # The registry refused before the tool was reached: its text is made for the model. The hints
            # of the middle two are for whoever keeps the registry.
            if isinstance(error, ToolNotFoundError):
                return Outcome("not_found", message_of(error), extra=extra)
            if isinstance(error, ToolDisabledError):
                return Outcome("disabled", str(error), extra=extra)
            if isinstance(error, ToolDeniedError):
                return Outcome("rejected", str(error), extra={**extra, "decided_by": "policy"})
            if isinstance(error, ToolArgumentsError):
                return Outcome("error", message_of(error), extra=extra)
        text = f"Error executing {self.name}: {type(error).__name__}: {message_of(error)}"
        return Outcome("error", text, extra=extra)
