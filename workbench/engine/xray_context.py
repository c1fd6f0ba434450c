"""``xray``: what a tool can see of the agent that runs it.

The context lives in a ContextVar that is set in the copy of the context in which a call runs. So it is
right under threads, async tools and nested agents, and is gone when the call ends.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextvars import ContextVar, Token
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, overload

from workbench.engine.llm import Message
from workbench.engine.observer import TraceEntry

if TYPE_CHECKING:
    from workbench.engine.agent import Agent
    from workbench.engine.scope import CallScope

_MARK = "__workbench_xray__"
AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class XrayMark:
    """What ``@xray`` notes on a function. ``trace``: draw the trace after each call of this tool."""

    trace: bool = True


@dataclass(slots=True)
class XrayContext:
    """What one call can see. ``scope`` is the engine's own link to the call, None when injected by hand."""

    agent: Agent
    user_prompt: str | None
    messages: Sequence[Message]
    iteration: int | None
    previous_tools: Callable[[], list[str]]
    scope: CallScope | None = None


@dataclass(frozen=True, slots=True)
class TraceView:
    """What ``xray.trace()`` draws: the entries of the turn so far. Times are in milliseconds.

    ``automatic``: drawn because a tool is marked with ``@xray``, not because somebody called ``trace()``.
    ``running`` is the tool that is on its way while this is drawn, if any.
    """

    agent: Agent
    task: str
    iteration: int
    entries: tuple[TraceEntry, ...]
    running: str | None = None
    automatic: bool = False

    @property
    def tools(self) -> tuple[TraceEntry, ...]:
        """The calls among the entries."""
        return tuple(entry for entry in self.entries if entry["type"] == "tool_execution")

    @property
    def tools_ms(self) -> float:
        """Execution time of all calls together."""
        return float(sum(entry["timing"] for entry in self.tools))

    @property
    def llm_ms(self) -> float:
        """Time spent in the model."""
        return float(sum(e["duration_ms"] for e in self.entries if e["type"] == "llm_call"))

    @property
    def waited_ms(self) -> float:
        """Time spent waiting for a person."""
        return float(sum(e["duration_ms"] for e in self.entries if e["type"] == "human_wait"))


TraceDrawer = Callable[[TraceView], None]
"""Whoever can draw a trace; attached to an agent as ``agent.trace_drawer``."""


_current: ContextVar[XrayContext | None] = ContextVar("workbench_xray", default=None)


def current_context() -> XrayContext | None:
    """The context of the call that runs here, or None."""
    return _current.get()


def enter_context(context: XrayContext) -> Token[XrayContext | None]:
    """Make ``context`` current; the token is for ``leave_context``, which a copied context does not need."""
    return _current.set(context)


def leave_context(token: Token[XrayContext | None]) -> None:
    """Make current again what was before."""
    _current.reset(token)


def inject_xray_context(
    agent: Agent,
    user_prompt: str,
    messages: Sequence[Message],
    iteration: int,
    previous_tools: Sequence[str] = (),
) -> None:
    """Give ``xray`` a context by hand, for a tool that is called without an agent loop (in a test, say).

    It holds for this thread or task until ``clear_xray_context()``.
    """
    names = list(previous_tools)
    _current.set(XrayContext(agent, user_prompt, messages, iteration, lambda: list(names)))


def clear_xray_context() -> None:
    """Take the context of this thread or task away again."""
    _current.set(None)


def xray_mark(func: object) -> XrayMark | None:
    """What ``@xray`` noted on this function, None if it is not decorated."""
    mark = getattr(func, _MARK, None)
    return mark if isinstance(mark, XrayMark) else None


class Xray:
    """Decorator and window in one; outside of a call everything is empty.

    ``@xray`` above a tool draws the trace after each of its calls (where something can draw it) and
    lets breakpoints find it; ``@xray(trace=False)`` does only the latter.
    """

    @overload
    def __call__(self, func: AnyFunction, /) -> AnyFunction: ...
    @overload
    def __call__(self, /, *, trace: bool = True) -> Callable[[AnyFunction], AnyFunction]: ...
    def __call__(self, func: Any = None, /, *, trace: bool = True) -> Any:
        def mark(target: AnyFunction) -> AnyFunction:
            setattr(target, _MARK, XrayMark(trace))
            return target

        return mark if func is None else mark(func)

    @property
    def agent(self) -> Agent | None:
        """The agent that runs the tool."""
        context = _current.get()
        return context.agent if context else None

    @property
    def task(self) -> str | None:
        """The user's prompt of this turn."""
        return self.user_prompt

    @property
    def user_prompt(self) -> str | None:
        """The user's prompt of this turn."""
        context = _current.get()
        return context.user_prompt if context else None

    @property
    def iteration(self) -> int | None:
        """Which round of the loop this is, counted from 1."""
        context = _current.get()
        return context.iteration if context else None

    @property
    def messages(self) -> list[Message]:
        """The conversation so far, as a new list."""
        context = _current.get()
        return list(context.messages) if context else []

    @property
    def previous_tools(self) -> list[str]:
        """Names of the tools that were called before in this turn, in order."""
        context = _current.get()
        return context.previous_tools() if context else []

    def trace(self) -> None:
        """Draw the calls of this turn so far with their times."""
        context = _current.get()
        if context is None:
            sys.stdout.write("xray.trace(): no tool is running here, so there is nothing to show.\n")
            return
        running = context.scope.tool_name if context.scope else None
        draw(view_of(context.agent, running=running))

    def __repr__(self) -> str:
        context = _current.get()
        if context is None:
            return "<xray: no tool is running here>"
        return (
            f"<xray agent={context.agent.name!r} task={context.user_prompt!r} iteration={context.iteration} "
            f"messages={len(context.messages)} previous_tools={context.previous_tools()}>"
        )


def view_of(agent: Agent, *, running: str | None = None, automatic: bool = False) -> TraceView:
    """The current turn of ``agent`` as something to draw."""
    session = agent.current_session or {}
    trace: list[TraceEntry] = session.get("trace", [])
    start = len(trace)
    while start and trace[start - 1]["type"] != "user_input":
        start -= 1
    return TraceView(
        agent,
        session.get("user_prompt", ""),
        session.get("iteration", 0),
        tuple(trace[start:]),
        running,
        automatic,
    )


def draw(view: TraceView) -> None:
    """Draw with what is attached to the agent, or as plain lines on standard output."""
    drawer = view.agent.trace_drawer
    if drawer is not None:
        drawer(view)
        return
    lines = [f"{view.agent.name}: {view.task}"]
    for number, entry in enumerate(view.tools, 1):
        arguments = ", ".join(f"{key}={value!r}" for key, value in entry["arguments"].items())
        lines.append(
            f"  {number}. {entry['tool_name']}({arguments})  {entry['status']}  {entry['timing']:.1f} ms"
        )
    if view.running:
        lines.append(f"  {len(view.tools) + 1}. {view.running}  running")
    calls = len(view.tools)
    lines.append(
        f"  {calls} call{'' if calls == 1 else 's'} {view.tools_ms:.1f} ms, model {view.llm_ms:.1f} ms, "
        f"iteration {view.iteration}"
    )
    sys.stdout.write("\n".join(lines) + "\n")


xray = Xray()
