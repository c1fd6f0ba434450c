"""Pausing before or after a call: what to pause on, and the port through which somebody looks.

Without a debugger attached to the agent nothing ever pauses.
"""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from workbench.engine.xray_context import XrayContext
from workbench.errors import ConfigError
from workbench.registry.texts import text_of

if TYPE_CHECKING:
    from workbench.engine.agent import Agent

When = Literal["before", "after"]
Action = Literal["continue", "step", "skip", "again", "stop"]

_FUNCTIONS = {
    function.__name__: function
    for function in (
        abs,
        all,
        any,
        bool,
        dict,
        float,
        int,
        isinstance,
        len,
        list,
        max,
        min,
        set,
        sorted,
        str,
        sum,
    )
}

CONDITION_FUNCTIONS: Final = frozenset(_FUNCTIONS)
"""What a condition may call."""

CONDITION_NAMES: Final = frozenset({"arguments", "name", "iteration", "result", "error"})
"""What a condition is told of a call."""


@dataclass(frozen=True)
class Breakpoint:
    """What to pause on.

    ``tool`` is a name or glob. ``on_error`` pauses only after calls that failed, ``xray_only`` only for
    tools marked with ``@xray``. ``condition`` is a Python expression over ``arguments``, ``name``,
    ``iteration``, ``result`` and ``error``. ``result`` is what the call gave: where that is told as JSON its
    value, such as a dict, else the text. A condition that cannot be evaluated for a call does not hold.
    Raises ConfigError for a condition that is no expression.
    """

    tool: str = "*"
    when: When = "before"
    on_error: bool = False
    xray_only: bool = False
    condition: str | None = None
    enabled: bool = True
    _code: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.condition is not None:
            try:
                code = compile(self.condition, "<breakpoint condition>", "eval")
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:  # nested too deeply
                raise ConfigError(
                    f"breakpoint condition {self.condition!r}: {error}",
                    hint="Write an expression such as arguments['path'].startswith('/etc').",
                ) from error
            object.__setattr__(self, "_code", code)

    def matches(self, pause: Pause) -> bool:
        """Whether this pause is wanted. Raises what its condition raises."""
        if not self.enabled or not fnmatch.fnmatchcase(pause.tool_name, self.tool):
            return False
        if self.xray_only and not pause.marked:
            return False
        if self.on_error:
            return pause.when == "after" and pause.error is not None and self._holds(pause)
        return pause.when == self.when and self._holds(pause)

    def _holds(self, pause: Pause) -> bool:
        if self._code is None:
            return True
        names = {
            "arguments": pause.arguments,
            "name": pause.tool_name,
            "iteration": pause.iteration,
            "result": _value(pause.result),
            "error": pause.error,
        }
        # The expression is the developer's own, as the tools are; the bare names only keep it readable.
        return bool(eval(self._code, {"__builtins__": _FUNCTIONS, **names}))  # noqa: S307 - see above


def _value(result: str | None) -> Any:
    """What a result's text stands for, where that is JSON."""
    if result is None:
        return None
    try:
        return json.loads(result)
    except (ValueError, RecursionError):
        return result


@dataclass
class Pause:
    """Where a turn stands still. ``result`` and ``error`` are texts, set after the call.

    ``details`` holds what the call's trace entry is going to say besides, as far as it is known: after the
    call ``status``, ``timing``, ``timestamp``, what it printed, and for an error its traceback.
    """

    agent: Agent
    when: When
    tool_name: str
    call_id: str
    arguments: dict[str, Any]
    iteration: int
    context: XrayContext
    marked: bool = False
    result: str | None = None
    error: str | None = None
    breakpoint: Breakpoint | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Resume:
    """How to go on.

    ``continue`` and ``step`` (pause at the next call too) go on with ``arguments`` (before) or ``result``
    (after) in place of the call's own where given; ``skip`` answers with ``result`` instead of running;
    ``again`` runs the call once more, with ``arguments`` if given; ``stop`` ends the turn, and inside a tool
    of another agent that one's too.
    """

    action: Action = "continue"
    arguments: Mapping[str, Any] | None = None
    result: str | None = None


class Debugger(Protocol):
    """Whoever shows a pause to a person and waits for the answer."""

    def pause(self, pause: Pause) -> Resume:
        """Called on the agent's thread; the turn stands still until it returns. May raise StopTurn."""
        ...


class Breakpoints:
    """The breakpoints of one agent. ``step`` pauses at everything until the debugger goes on without it."""

    def __init__(self) -> None:
        self.step = False
        self.on_failure: Callable[[Breakpoint, str], object] | None = None
        """Told once of each breakpoint whose condition could not be evaluated, and what it raised."""
        self._items: tuple[Breakpoint, ...] = ()
        self._failures: dict[Breakpoint, str] = {}

    def add(self, breakpoint_: Breakpoint) -> Breakpoint:
        """Add one, and return it; the same one twice is there once."""
        if breakpoint_ not in self._items:
            self._items = (*self._items, breakpoint_)
        return breakpoint_

    def remove(self, breakpoint_: Breakpoint) -> bool:
        """Take one out; True if it was there."""
        there = breakpoint_ in self._items
        self._keep(tuple(item for item in self._items if item != breakpoint_))
        return there

    def replace(self, old: Breakpoint, new: Breakpoint) -> bool:
        """Put ``new`` in the place of ``old``; True if that was there."""
        there = old in self._items
        if new != old and new in self._items:
            self.remove(old)
        else:
            self._keep(tuple(new if item == old else item for item in self._items))
        return there

    def clear(self) -> None:
        """Take out all, and leave step mode."""
        self._keep(())
        self.step = False

    def find(self, pause: Pause) -> Breakpoint | None:
        """The first that wants this pause; one that fails does not want it."""
        for item in self._items:
            try:
                if item.matches(pause):
                    return item
            except Exception as error:  # noqa: BLE001 - an expression that does not fit this call does not hold
                self._failed(item, error)
        return None

    def failure(self, breakpoint_: Breakpoint) -> str:
        """What its condition raised at first, such as ``KeyError 'path'``; empty if it never did."""
        return self._failures.get(breakpoint_, "")

    def _keep(self, items: tuple[Breakpoint, ...]) -> None:
        self._items = items
        self._failures = {item: said for item, said in self._failures.items() if item in items}

    def _failed(self, item: Breakpoint, error: Exception) -> None:
        if item in self._failures:
            return
        said = f"{type(error).__name__} {text_of(error)}".rstrip()
        self._failures = {**self._failures, item: said}
        if self.on_failure is not None:
            self.on_failure(item, said)

    def wants(self, pause: Pause) -> bool:
        """Whether to pause; notes on the pause which breakpoint wanted it."""
        pause.breakpoint = self.find(pause)
        return self.step or pause.breakpoint is not None

    def __bool__(self) -> bool:
        return self.step or bool(self._items)

    def __iter__(self) -> Iterator[Breakpoint]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)
