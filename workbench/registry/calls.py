"""The one path that every call takes: find, validate, permit, run, count, tell."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, NamedTuple, TypeAlias

from workbench.errors import StopTurn, ToolArgumentsError, ToolDisabledError
from workbench.registry.changes import ChangeEventType
from workbench.registry.emitter import Emitter
from workbench.registry.gate import Gate, Waiter
from workbench.registry.snapshot import Snapshot
from workbench.registry.statistics import StatisticsBook
from workbench.registry.texts import text_of
from workbench.registry.tool import BoundCall, arguments_from

Runner: TypeAlias = Callable[[BoundCall], Any]
"""Runs a bound call and gives its value, in whatever way the caller wants it run."""


class Order(NamedTuple):
    """A call as it is asked for; see `ToolRegistry.call`."""

    name: str
    arguments: object
    approved: bool | None
    call_id: str | None
    origin: tuple[str, ...]


class CallPath:
    """Runs calls against the snapshot that is current when they start."""

    def __init__(self, gate: Gate, emitter: Emitter, statistics: StatisticsBook) -> None:
        self._gate = gate
        self._emitter = emitter
        self._statistics = statistics

    def call(self, snapshot: Snapshot, order: Order, runner: Runner | None, waiter: Waiter) -> Any:
        """The value of the call; see `ToolRegistry.call`."""
        bound = self._bind(snapshot, order)
        request = self._gate.check(bound, order.approved, order.call_id, order.origin)
        if request is not None:
            self._gate.ask(request, waiter)
        with _Run(self, bound, order.call_id):
            return _run(bound, waiter) if runner is None else runner(bound)

    async def acall(self, snapshot: Snapshot, order: Order, runner: Runner | None) -> Any:
        """As `call`, on the caller's loop; without a runner, tools that are not async run on a thread."""
        bound = self._bind(snapshot, order)
        request = self._gate.check(bound, order.approved, order.call_id, order.origin)
        if request is not None:
            await self._gate.ask_async(request)
        with _Run(self, bound, order.call_id):
            value = await _run_async(bound) if runner is None else runner(bound)
            return await value if inspect.isawaitable(value) else value

    def _bind(self, snapshot: Snapshot, order: Order) -> BoundCall:
        tool = snapshot.meant(order.name) or snapshot.resolve(order.name)
        if tool.name in snapshot.disabled:
            reason = snapshot.disabled[tool.name]
            raise ToolDisabledError(
                f"{tool.name} is switched off" + (f": {reason}" if reason else ""),
                hint=f"Switch it on: registry.enable({tool.name!r}).",
            )
        if tool.name in snapshot.held:
            raise ToolDisabledError(f"{tool.name} is still being registered")
        try:
            return tool.bind(arguments_from(order.arguments, tool.parameters))
        except ToolArgumentsError as error:
            self._statistics.invalid(tool.name, order.arguments, error.message)
            raise

    def ended(self, name: str, duration_ms: float, error: BaseException | None, call_id: str | None) -> None:
        """Note a run. A stop or an interrupt is nobody's fault, so it is no error of the tool."""
        failed = isinstance(error, Exception) and not isinstance(error, StopTurn)
        self._statistics.ran(name, duration_ms, failed=failed)
        if failed and error is not None:
            self._emitter.publish(
                ChangeEventType.TOOL_ERROR,
                name,
                text_of(error),
                exception_type=type(error).__name__,
                exception=error,
                call_id=call_id,
                duration_ms=duration_ms,
            )
            self._emitter.deliver()


class _Run:
    """The time in which a bound call runs; leaving it notes how it ended."""

    __slots__ = ("_bound", "_call_id", "_path", "_started")

    def __init__(self, path: CallPath, bound: BoundCall, call_id: str | None) -> None:
        self._path = path
        self._bound = bound
        self._call_id = call_id
        self._started = time.perf_counter()

    def __enter__(self) -> None:
        self._started = time.perf_counter()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        duration_ms = (time.perf_counter() - self._started) * 1000.0
        self._path.ended(self._bound.tool.name, duration_ms, error, self._call_id)


def _run(bound: BoundCall, waiter: Waiter) -> Any:
    value = bound.run()
    if bound.tool.is_async or inspect.iscoroutine(value):
        return waiter(value)
    return value


async def _run_async(bound: BoundCall) -> Any:
    if bound.tool.is_async or bound.tool.metadata.caller_thread:
        value = bound.run()
    else:
        value = await asyncio.to_thread(bound.run)
    return await value if inspect.isawaitable(value) else value
