"""What a tool starts on other threads belongs to its call.

A new thread begins with an empty context, so an agent that works there would know nothing of the agent
that runs the tool: no approval, no stop, no ``xray``. Therefore ``threading.Thread.start`` and
``ThreadPoolExecutor.submit`` hand a copy of the context on, when they are called inside a tool's call and
only then. Everywhere else they do what they always did. A pool may outlive the call: its threads get
nothing, each function that is submitted inside a call gets the context of that call.

Not reached: threads made with ``_thread`` directly, by code that is not Python, or by a pool of another
kind that is older than the call.
"""

from __future__ import annotations

import contextvars
import functools
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from workbench.engine.xray_context import current_context

_lock = threading.Lock()
_installed = False


def install() -> None:
    """Put the two in place, once for the process; it is never undone."""
    global _installed
    if _installed:
        return
    with _lock:
        if not _installed:
            threading.Thread.start = _start(threading.Thread.start)  # type: ignore[assignment, method-assign]  # the point
            ThreadPoolExecutor.submit = _submit(ThreadPoolExecutor.submit)  # type: ignore[method-assign]  # the point
            _installed = True


def _start(original: Callable[[threading.Thread], None]) -> Callable[[threading.Thread], None]:
    @functools.wraps(original)
    def start(self: threading.Thread) -> None:
        if current_context() is None:
            original(self)
            return
        context, run, before = contextvars.copy_context(), self.run, vars(self).get("run")

        def restore() -> None:
            if before is None:
                vars(self).pop("run", None)
            else:
                vars(self)["run"] = before

        def run_inside() -> None:
            try:
                _run_inside(context, run)
            finally:
                restore()

        vars(self)["run"] = run_inside
        try:
            original(self)
        except BaseException:
            restore()
            raise

    return start


def _submit(original: Callable[..., Future[Any]]) -> Callable[..., Future[Any]]:
    @functools.wraps(original)
    def submit(self: ThreadPoolExecutor, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if current_context() is None:
            return original(self, fn, *args, **kwargs)
        context = contextvars.copy_context()
        # Submitting may start a thread, which must not keep the context of this one call.
        return contextvars.Context().run(original, self, _run_inside, context, fn, *args, **kwargs)

    return submit


def _run_inside(context: contextvars.Context, func: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Run ``func`` in the context of a call, and have it known there which thread does."""
    here = context.run(current_context)
    if here is None or here.scope is None:
        return context.run(func, *args, **kwargs)
    with here.scope.threads.working():
        return context.run(func, *args, **kwargs)
