"""The one path that every call takes: find, validate, permit, run, count, tell."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from time import perf_counter
from types import CoroutineType
from typing import Any, TypeAlias

from workbench.errors import StopTurn, ToolArgumentsError, ToolDisabledError
from workbench.registry.changes import ChangeEventType
from workbench.registry.emitter import Emitter
from workbench.registry.gate import Gate, Waiter
from workbench.registry.snapshot import Snapshot
from workbench.registry.statistics import StatisticsBook
from workbench.registry.texts import text_of
from workbench.registry.tool import BoundCall, Tool, arguments_from

Runner: TypeAlias = Callable[[BoundCall], Any]
"""Runs a bound call and gives its value, in whatever way the caller wants it run."""


class CallPath:
    """Runs calls against the snapshot that is current when they start."""

    def __init__(self, gate: Gate, emitter: Emitter, statistics: StatisticsBook) -> None:
        self._gate = gate
        self._emitter = emitter
        self._statistics = statistics

    def bind(self, snapshot: Snapshot, name: str, arguments: object) -> BoundCall:
        """The call with validated arguments; raises the errors of one that cannot run."""
        tool = snapshot.tools.get(name) or snapshot.meant(name) or snapshot.resolve(name)
        if tool.name in snapshot.disabled or tool.name in snapshot.held:
            raise _not_now(tool, snapshot)
        try:
            return tool.bind(
                arguments if arguments.__class__ is dict else arguments_from(arguments, tool.parameters)
            )
        except ToolArgumentsError as error:
            self._statistics.invalid(tool.name, arguments, error.message)
            raise

    def run(self, bound: BoundCall, call_id: str | None, runner: Runner | None, waiter: Waiter) -> Any:
        """The value of a call that may run; see `ToolRegistry.call`."""
        started = perf_counter()
        try:
            value = bound.run() if runner is None else runner(bound)
            if runner is None and (bound.tool.is_async or isinstance(value, CoroutineType)):
                value = waiter(value)
        except BaseException as error:
            self._failed(bound.tool.name, _spent(bound, started), error, call_id)
            raise
        self._statistics.ran(bound.tool.name, _spent(bound, started))
        return value

    async def arun(self, bound: BoundCall, call_id: str | None, runner: Runner | None) -> Any:
        """As `run`, on the caller's loop; without a runner, tools that are not async run on a thread."""
        started = perf_counter()
        try:
            if runner is not None:
                value = runner(bound)
            elif bound.tool.is_async or bound.tool.metadata.caller_thread:
                value = bound.run()
            else:
                value = await asyncio.to_thread(bound.run)
            if inspect.isawaitable(value):
                value = await value
        except BaseException as error:
            self._failed(bound.tool.name, _spent(bound, started), error, call_id)
            raise
        self._statistics.ran(bound.tool.name, _spent(bound, started))
        return value

    def _failed(self, name: str, duration_ms: float, error: BaseException, call_id: str | None) -> None:
        """Note a run that raised. A stop or an interrupt is nobody's fault, so it is no error of the tool."""
        failed = isinstance(error, Exception) and not isinstance(error, StopTurn)
        self._statistics.ran(name, duration_ms, failed=failed)
        if failed:
            self._emitter.publish(
                ChangeEventType.TOOL_ERROR,
                name,
                text_of(error),
                exception_type=type(error).__name__,
                exception=error,
                call_id=call_id,
                duration_ms=duration_ms,
            )


def _spent(bound: BoundCall, started: float) -> float:
    """Milliseconds of a run, of which its runner may know better."""
    return bound.spent_ms if bound.spent_ms is not None else (perf_counter() - started) * 1000.0


def _not_now(tool: Tool, snapshot: Snapshot) -> ToolDisabledError:
    if tool.name not in snapshot.disabled:
        return ToolDisabledError(f"{tool.name} is still being registered")
    reason = snapshot.disabled[tool.name]
    return ToolDisabledError(
        f"{tool.name} is switched off" + (f": {reason}" if reason else ""),
        hint=f"Switch it on: registry.enable({tool.name!r}).",
    )
