"""What pending calls would change in files, told by their tools' own code, which nobody has to wait for."""

from __future__ import annotations

import asyncio
import copy
import inspect
import logging
import threading
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from contextvars import copy_context
from typing import Any, Final
from weakref import WeakKeyDictionary

from workbench.errors import WorkbenchError
from workbench.registry import Tool, ToolRegistry
from workbench.tui.approval import Preview
from workbench.tui.diff import diff

_SOON: Final = 0.15
"""Seconds that a batch waits for its forecasts; a later one comes while the question is on the screen."""

_QUICKLY_TOLD: Final = 2_000
"""Lines in both texts of a change that can be compared without anybody noticing."""

_log = logging.getLogger("workbench.approval")


class Forecast:
    """What one call would change. Its tool tells it on a thread of its own, which may take for ever."""

    def __init__(self, tool: Tool, arguments: Mapping[str, Any]) -> None:
        self.arguments = arguments
        self._until = time.monotonic() + _SOON
        self._told: Future[Preview | None] = Future()
        if tool.metadata.caller_thread:
            self._tell(tool)
            return
        # a daemon: a preview that never ends must not keep the app from ending
        threading.Thread(
            target=copy_context().run, args=(self._tell, tool), name="approval-preview", daemon=True
        ).start()

    def _tell(self, tool: Tool) -> None:
        try:
            self._told.set_result(preview_of(tool, self.arguments))
        except WorkbenchError as error:
            _log.warning("no preview of %s: %s", tool.name, error)
            self._told.set_exception(error)

    def wait(self) -> Preview | None:
        """The change, however long it takes; None for none. Raises WorkbenchError where it cannot be told."""
        return self._told.result()

    @property
    def preview(self) -> Preview | None:
        """The change, if it is told soon."""
        try:
            return self._told.result(max(0.0, self._until - time.monotonic()))
        except (TimeoutError, WorkbenchError):
            return None

    @property
    def is_none(self) -> bool:
        """Whether it is told, and there is none."""
        return self._told.done() and self._told.exception() is None and self._told.result() is None

    @property
    def counts(self) -> tuple[int, int] | None:
        """How many lines would be added and removed, where that is quickly told."""
        preview = self.preview
        if preview is None or preview.old.count("\n") + preview.new.count("\n") > _QUICKLY_TOLD:
            return None
        found = diff(preview.old, preview.new)
        return found.added, found.removed


class Forecasts:
    """The forecasts of each registry's present batch; a call with the same arguments is asked about once."""

    def __init__(self) -> None:
        self._made: WeakKeyDictionary[ToolRegistry, dict[str, Forecast]] = WeakKeyDictionary()

    def of(self, registry: ToolRegistry, calls: Iterable[Mapping[str, Any]]) -> Mapping[str, Forecast]:
        """By call id, for pending calls whose tool can tell; all are begun before one is waited for."""
        before = self._made.get(registry, {})
        made: dict[str, Forecast] = {}
        for call in calls:
            tool, known = registry.get(call["name"]), before.get(call["id"])
            if tool is None or tool.metadata.preview is None:
                continue
            if known is None or known.arguments != call["arguments"]:
                known = Forecast(tool, copy.deepcopy(call["arguments"]))
            made[call["id"]] = known
        self._made[registry] = made
        return made

    def forget(self, registry: ToolRegistry) -> None:
        """Another batch begins: what is in the files now is asked about anew."""
        self._made.pop(registry, None)


def preview_of(tool: Tool, arguments: Mapping[str, Any]) -> Preview | None:
    """What a call would change, None where its tool does not tell. Runs the tool's own code.

    Raises WorkbenchError, with why, where that code fails or gives something else than a change.
    """
    if tool.metadata.preview is None:
        return None
    try:
        told = tool.metadata.preview(**tool.bind(copy.deepcopy(dict(arguments))).arguments)
        if inspect.iscoroutine(told):
            told = asyncio.run(told)
    except (Exception, SystemExit, asyncio.CancelledError) as error:
        # a tool's own code: without a preview the call can still be judged
        raise WorkbenchError(f"{type(error).__name__}: {error}") from error
    return None if told is None else _as_preview(told)


def _as_preview(told: object) -> Preview:
    if not isinstance(told, tuple | list) or len(told) != 3:
        raise WorkbenchError(f"its preview gave {_kind(told)}, not (path, old text, new text)")
    path, old, new = told
    texts = ["" if text is None else text for text in (old, new)]
    for which, text in zip(("old", "new"), texts, strict=True):
        if not isinstance(text, str):
            raise WorkbenchError(f"its preview gave {_kind(text)} as the {which} text")
    return Preview(str(path), *texts)


def _kind(value: object) -> str:
    size = f" of {len(value)}" if isinstance(value, tuple | list) else ""
    return f"{type(value).__name__}{size}"
