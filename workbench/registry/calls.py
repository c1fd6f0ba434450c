"""The one path that every call takes: find, validate, permit, run, count, tell."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from typing import Any, TypeAlias

from workbench.errors import StopTurn, ToolArgumentsError, ToolDisabledError
from workbench.registry.changes import ChangeEventType
from workbench.registry.emitter import Emitter
from workbench.registry.gate import Gate
from workbench.registry.loops import run_privately
from workbench.registry.snapshot import Snapshot
from workbench.registry.statistics import StatisticsBook
from workbench.registry.tool import BoundCall, arguments_from

Runner: TypeAlias = Callable[[BoundCall], Any]
"""Runs a bound call and gives its value, in whatever way the caller wants it run."""


class CallPath:
    """Runs calls against the snapshot that is current when they start."""

    def __init__(self, gate: Gate, emitter: Emitter, statistics: StatisticsBook) -> None:
        self._gate = gate
        self._emitter = emitter
        self._statistics = statistics

    def call(
        self,
        snapshot: Snapshot,
        name: str,
        arguments: object,
        approved: bool | None,
        call_id: str | None,
        origin: tuple[str, ...],
        runner: Runner | None,
    ) -> Any:
        """The value of the call; see `ToolRegistry.call`."""
        bound = self._bind(snapshot, name, arguments)
        request = self._gate.check(bound, approved, call_id, origin)
        if request is not None:
            self._gate.ask(request)
        started = time.perf_counter()
        try:
            value = _run(bound) if runner is None else runner(bound)
        except BaseException as error:
            self._ended(bound, started, error, call_id)
            raise
        self._statistics.ran(bound.tool.name, (time.perf_counter() - started) * 1000.0, failed=False)
        return value

    async def acall(
        self,
        snapshot: Snapshot,
        name: str,
        arguments: object,
        approved: bool | None,
        call_id: str | None,
        origin: tuple[str, ...],
        runner: Runner | None,
    ) -> Any:
        """As `call`, on the caller's loop; without a runner, tools that are not async run on a thread."""
        bound = self._bind(snapshot, name, arguments)
        request = self._gate.check(bound, approved, call_id, origin)
        if request is not None:
            await self._gate.ask_async(request)
        started = time.perf_counter()
        try:
            value = await _run_async(bound) if runner is None else runner(bound)
            if runner is not None and inspect.isawaitable(value):
                value = await value
        except BaseException as error:
            self._ended(bound, started, error, call_id)
            raise
        self._statistics.ran(bound.tool.name, (time.perf_counter() - started) * 1000.0, failed=False)
        return value

    def _bind(self, snapshot: Snapshot, name: str, arguments: object) -> BoundCall:
        tool = snapshot.meant(name) or snapshot.resolve(name)
        if tool.name in snapshot.disabled:
            reason = snapshot.disabled[tool.name]
            raise ToolDisabledError(
                f"{tool.name} is switched off" + (f": {reason}" if reason else ""),
                hint=f"Switch it on: registry.enable({tool.name!r}).",
            )
        if tool.name in snapshot.held:
            raise ToolDisabledError(f"{tool.name} is still being registered")
        try:
            return tool.bind(arguments_from(arguments, tool.parameters))
        except ToolArgumentsError:
            self._statistics.invalid(tool.name)
            raise

    def _ended(self, bound: BoundCall, started: float, error: BaseException, call_id: str | None) -> None:
        """Note a run that raised. A stop or an interrupt is nobody's fault, so it is no error of the tool."""
        failed = isinstance(error, Exception) and not isinstance(error, StopTurn)
        name = bound.tool.name
        duration_ms = (time.perf_counter() - started) * 1000.0
        self._statistics.ran(name, duration_ms, failed=failed)
        if failed:
            self._emitter.publish(
                ChangeEventType.TOOL_ERROR,
                name,
                str(error),
                exception_type=type(error).__name__,
                exception=error,
                call_id=call_id,
                duration_ms=duration_ms,
            )
            self._emitter.deliver()


def _run(bound: BoundCall) -> Any:
    value = bound.run()
    if bound.tool.is_async or inspect.iscoroutine(value):
        return run_privately(value)
    return value


async def _run_async(bound: BoundCall) -> Any:
    if bound.tool.is_async or bound.tool.metadata.caller_thread:
        value = bound.run()
    else:
        value = await asyncio.to_thread(bound.run)
    return await value if inspect.isawaitable(value) else value
