"""The nine events of a turn, and the handlers that answer to them.

A handler is any callable that takes the agent. It is bound to an event by decorating it
(``@before_tools``) or by wrapping it (``before_tools(f, g)``); nothing is written on the function
itself, so one function may serve several events and several agents.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from opcode import opmap
from pathlib import Path
from types import CodeType, MethodType
from typing import Any, Literal, NoReturn, get_args, overload

from workbench.errors import HookError

Event = Literal[
    "after_user_input",
    "before_llm",
    "after_llm",
    "before_tools",
    "before_each_tool",
    "after_each_tool",
    "after_tools",
    "on_error",
    "on_complete",
]
EVENTS: tuple[Event, ...] = get_args(Event)

HandlerFunction = Callable[..., Any]
"""Takes the agent; what it returns is ignored, unless it is awaitable: then it is awaited."""

RENAMED: dict[str, str] = {
    "before_tool": "before_each_tool",
    "after_tool": "after_each_tool (or after_tools, once per batch)",
    "before_tool_round": "before_tools",
    "after_tool_round": "after_tools",
}
"""Names of events that people know from elsewhere, and what they are called here."""


class Handler:
    """A callable and the events that it serves. Calling it calls the function itself."""

    __name__: str

    def __init__(self, func: HandlerFunction, events: tuple[Event, ...]) -> None:
        self.func = func
        self.events = events
        functools.update_wrapper(self, func, updated=())

    def __call__(self, agent: Any) -> Any:
        return self.func(agent)

    def __get__(self, instance: object, owner: type | None = None) -> Handler:
        """A decorated method, taken from an instance, is a handler bound to that instance."""
        if instance is None:
            return self
        return Handler(MethodType(self.func, instance), self.events)

    def __repr__(self) -> str:
        return f"<{'/'.join(self.events)} handler {describe(self.func)}>"


HandlerGroup = Handler | Iterable["HandlerGroup"]
"""Handlers singly, or in lists and tuples however nested."""


def describe(func: object) -> str:
    """A handler's name for people and where its code begins: ``function (file:line)``.

    What has no Python code of its own is named with its module, or as what it is when it has no name.
    """
    if isinstance(func, Handler):
        func = func.func
    if isinstance(func, functools.partial):
        return f"partial of {describe(func.func)}"
    name, code = getattr(func, "__qualname__", None), getattr(func, "__code__", None)
    if name is not None and isinstance(code, CodeType):
        return f"{name} ({_file_name(code)}:{code.co_firstlineno})"
    if name is None:
        return f"{type(func).__module__}.{type(func).__qualname__} object"
    return f"{getattr(func, '__module__', None) or '?'}.{name}"


def raised_at(func: object, error: BaseException) -> str:
    """The same as ``describe``, with the line of the handler's file in which the error came up."""
    described, file = describe(func), ""
    tb, line = error.__traceback__, 0
    while tb is not None:
        code = tb.tb_frame.f_code
        name = f"({_file_name(code)}:"
        if name in described:
            file, line = name, tb.tb_lineno
        tb = tb.tb_next
    return f"{described[: described.rindex(file)]}{file}{line})" if file else described


def _file_name(code: CodeType) -> str:
    """The file of the code as a person names it: from the working directory on, where it lies in there."""
    path = Path(code.co_filename)
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):  # elsewhere, or the working directory is gone
        return str(path)


def _is_our_own(func: HandlerFunction) -> bool:
    while isinstance(func, functools.partial):
        func = func.func
    module = getattr(func, "__module__", None) or ""
    return module.partition(".")[0] == __name__.partition(".")[0]


def _bind(event: Event, func: object) -> Handler:
    if isinstance(func, Handler):
        events = func.events if event in func.events else (*func.events, event)
        return Handler(func.func, events)
    if not callable(func):
        raise HookError(
            f"{event} needs a callable that takes the agent, not {type(func).__name__} {func!r}",
            hint=f"Write @{event} above a function, or {event}(function).",
        )
    return Handler(func, (event,))


def _check(handler: Handler) -> None:
    """Raise HookError for a handler that cannot be called with the agent alone."""
    try:
        signature = inspect.signature(handler.func)
    except ValueError:  # a builtin without a readable signature: the call itself will tell
        return
    try:
        signature.bind(None)
    except TypeError as error:
        raise HookError(
            f"{'/'.join(handler.events)} handler {describe(handler)} cannot be called with the agent "
            f"alone: {error}",
            hint="A handler takes one argument, the agent.",
        ) from error


class EventDecorator:
    """One of the nine: ``@before_tools`` above a function, or ``before_tools(f, g)`` around some."""

    def __init__(self, event: Event, meaning: str) -> None:
        self.event = event
        self.__name__ = event
        self.__doc__ = meaning

    @overload
    def __call__(self, handler: Handler | HandlerFunction, /) -> Handler: ...
    @overload
    def __call__(
        self, first: Handler | HandlerFunction, second: Handler | HandlerFunction, /, *more: Any
    ) -> tuple[Handler, ...]: ...
    def __call__(self, *handlers: Any) -> Any:
        if not handlers:
            raise HookError(f"{self.event}() was given no handler", hint=f"Write {self.event}(function).")
        bound = tuple(_bind(self.event, handler) for handler in handlers)
        return bound[0] if len(bound) == 1 else bound

    def __repr__(self) -> str:
        return f"<hook {self.event}>"


after_user_input = EventDecorator("after_user_input", "Once per input(), after the user's message was added.")
before_llm = EventDecorator("before_llm", "Each iteration, before the model is asked.")
after_llm = EventDecorator(
    "after_llm", "Each iteration, after the answer; `current_session['llm_response']` is editable."
)
before_tools = EventDecorator(
    "before_tools", "Once per batch, before its first call; `current_session['pending_tools']` is editable."
)
before_each_tool = EventDecorator(
    "before_each_tool",
    "Before each call that may run (not for one that was rejected before); `current_session['pending_tool']` "
    "is the call. No messages here.",
)
after_each_tool = EventDecorator(
    "after_each_tool",
    "After each call, also one that was rejected and never ran; `current_session['trace'][-1]` is its entry, "
    "whose `status` tells. No messages here.",
)
after_tools = EventDecorator(
    "after_tools", "Once per batch, when every call is answered: the place to add messages."
)
on_error = EventDecorator("on_error", "When a call failed, before after_each_tool. No messages here.")
on_complete = EventDecorator("on_complete", "Once per input(), after the turn was completed and logged.")


def explain_old_name(module: str, name: str) -> NoReturn:
    """Raise for a name that ``module`` does not have; an event's old name is told the new one.

    To be called directly by a module's ``__getattr__``. An import statement gets an ImportError,
    since it would swallow an AttributeError and its text; everybody else gets an AttributeError.
    """
    if name not in RENAMED:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    text = f"{module} has no {name!r}: this event is called {RENAMED[name]}"
    asking = sys._getframe(2)
    code, at = asking.f_code, asking.f_lasti
    if code.co_name == "_handle_fromlist" or code.co_code[at] == opmap["IMPORT_FROM"]:
        raise ImportError(text, name=name)
    raise AttributeError(text)


def __getattr__(name: str) -> NoReturn:
    explain_old_name(__name__, name)


def flatten(source: object, where: str) -> Iterator[Handler]:
    """The handlers in ``source``, in order; ``where`` names the argument in errors."""
    if isinstance(source, Handler):
        _check(source)
        yield source
    elif isinstance(source, str | bytes) or not isinstance(source, Iterable):
        what = describe(source) if callable(source) else repr(source)
        raise HookError(
            f"{where}: {what} is not bound to an event",
            hint="Decorate it (@before_tools) or wrap it: before_tools(handler).",
        )
    else:
        for item in source:
            yield from flatten(item, where)


class Hooks:
    """The handlers of one agent. May be changed while it runs, from any thread.

    An event that is firing keeps the handlers it began with.
    """

    def __init__(self, plugins: object = (), on_events: object = ()) -> None:
        self._lock = threading.Lock()
        self._order: list[Handler] = [*flatten(plugins, "plugins"), *flatten(on_events, "on_events")]
        self._table: dict[str, tuple[HandlerFunction, ...]] = {}
        self.foreign: frozenset[str] = frozenset()
        """The events that somebody else's handlers serve, besides those that are a part of Workbench."""
        self._rebuild()

    def add(self, *handlers: HandlerGroup, first: bool = False) -> None:
        """Add handlers after those that are there, or before them with ``first``.

        Raises HookError for anything that is not bound to an event.
        """
        new = list(flatten(handlers, "hooks.add"))
        with self._lock:
            self._order = [*new, *self._order] if first else [*self._order, *new]
            self._rebuild()

    def remove(self, *handlers: HandlerGroup | HandlerFunction) -> bool:
        """Take out handlers, given as they were added or as the bare function; True if any was there."""
        doomed = [handler.func for handler in self._flatten_bare(handlers)]
        with self._lock:
            kept = [handler for handler in self._order if handler.func not in doomed]
            changed = len(kept) != len(self._order)
            self._order = kept
            self._rebuild()
        return changed

    def handlers(self, event: Event) -> tuple[HandlerFunction, ...]:
        """The functions that serve ``event`` now, in the order in which they run."""
        return self._table[event]

    def __iter__(self) -> Iterator[Handler]:
        return iter(tuple(self._order))

    def __len__(self) -> int:
        return len(self._order)

    def _rebuild(self) -> None:
        self._table = {
            event: tuple(handler.func for handler in self._order if event in handler.events)
            for event in EVENTS
        }
        self.foreign = frozenset(
            event for event, functions in self._table.items() if not all(map(_is_our_own, functions))
        )

    @classmethod
    def _flatten_bare(cls, source: object) -> Iterator[Handler]:
        if isinstance(source, list | tuple):
            for item in source:
                yield from cls._flatten_bare(item)
        elif isinstance(source, Handler):
            yield source
        elif callable(source):
            yield Handler(source, ())
        else:
            raise HookError(f"hooks.remove: {source!r} is not a handler")
