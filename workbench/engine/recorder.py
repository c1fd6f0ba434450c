"""Writes the trace of one turn, and tells those who watch."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Literal

from workbench.engine import trace
from workbench.engine.llm import Delta, ToolSchema
from workbench.engine.observer import TraceEntry
from workbench.engine.observers import tell_one
from workbench.engine.scope import CallScope

if TYPE_CHECKING:
    from workbench.engine.agent import Agent


class Recorder:
    """``parent`` is the call of another agent inside which this turn runs; ``waited_ms`` a person's time."""

    def __init__(self, agent: Agent, parent: CallScope | None) -> None:
        self.waited_ms = 0.0
        self._agent = agent
        self._parent = parent
        self._session: dict[str, Any] = {}
        self._first_entry = 0
        self._held: list[TraceEntry] = []
        self._holding = False

    def begin(self, session: dict[str, Any]) -> None:
        """From now on entries go into this session."""
        self._session = session
        self._first_entry = len(session["trace"])

    def record(self, entry: TraceEntry) -> None:
        """Append an entry to the trace and tell the observers."""
        if self._parent is not None:
            entry["parent_call_id"] = self._parent.call_id
        self._session["trace"].append(entry)
        self.tell("entry_added", entry)

    def note(self, kind: str, **facts: Any) -> None:
        """Record an entry of an own kind, with iteration and time."""
        now = {"iteration": self._session["iteration"], "timestamp": time.time()}
        self.record({"type": kind, **facts, **now})

    def tell(
        self,
        method: Literal["entry_added", "entry_changed", "model_asked", "stream"],
        what: TraceEntry | Delta | list[ToolSchema],
    ) -> None:
        """Tell this agent's observers, and those of the agents around it that listen to nested ones."""
        self._agent.observers.tell(method, self._agent, what)
        scope = self._parent
        while scope is not None:
            for observer in scope.turn.agent.observers:
                if observer.nested:
                    tell_one(observer, method, self._agent, what)
            scope = scope.turn.parent

    def tools_before(self, end: int) -> list[str]:
        """Names of the tools called in this turn, up to an index in the trace."""
        entries = self._session["trace"][self._first_entry : end]
        return [entry["tool_name"] for entry in entries if entry["type"] == "tool_execution"]

    @contextmanager
    def human_wait(self, what: str, scope: CallScope | None, *, at_once: bool) -> Iterator[None]:
        """Account the time inside as time in which a person thinks, here and in every turn around.

        ``at_once``: this is the turn's own thread, which may write the entry now.
        """
        begin, timestamp = time.perf_counter(), time.time()
        try:
            with ExitStack() as clocks:
                for each in self._scopes(scope):
                    clocks.enter_context(each.human.running())
                yield
        finally:
            duration = (time.perf_counter() - begin) * 1000
            self.add_wait(duration, scope)
            self._held.append(trace.human_wait(what, duration, self._session["iteration"], timestamp))
            if at_once and not self._holding:
                self.release_waits()

    def _scopes(self, scope: CallScope | None) -> Iterator[CallScope]:
        """The call that something falls in, and those around it."""
        if scope is not None:
            yield scope
        if self._parent is not None:
            yield from self._parent.turn.recorder._scopes(self._parent)

    def add_wait(self, duration: float, scope: CallScope | None) -> None:
        """Count milliseconds of waiting for this turn, for the call they fell in, and for those around."""
        self.waited_ms += duration
        if scope is not None:
            scope.human_ms += duration
        if self._parent is not None:
            self._parent.turn.recorder.add_wait(duration, self._parent)

    def hold(self) -> None:
        """From now on the last entry stays the last: waits are written at ``let_go``."""
        self._holding = True

    def let_go(self) -> None:
        """The end of ``hold``."""
        self._holding = False
        self.release_waits()

    def release_waits(self) -> None:
        """Write the waits that had to stay behind an entry, or were noted on another thread."""
        while self._held:
            self.record(self._held.pop(0))

    def release_all(self) -> None:
        """The same, and the outcomes of calls that ended late."""
        self.release_waits()
        while self._agent.late_results:
            self.record(self._agent.late_results.popleft())
