"""What is kept of an exception: its text, its traceback, and the frames in which it happened."""

from __future__ import annotations

import itertools
import os
import reprlib
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from workbench.registry.texts import message_of, text_of

_ENGINE_FILES: Final = ("/workbench/engine/", "/workbench/registry/")
_LIBRARIES: Final = (str(Path(os.__file__).parent) + "/", "<frozen ")
_PACKAGES: Final = ("/site-packages/", "/dist-packages/")
_MOST_FRAMES: Final = 12
_MOST_PARTS: Final = 6
_MOST_LOCALS: Final = 60
_LONGEST: Final = 300

_short = reprlib.Repr()
_short.maxlevel = 4
_short.maxstring = _short.maxother = _LONGEST
_short.maxdict = _short.maxlist = _short.maxtuple = _short.maxset = 20


def describe_fault(error: BaseException) -> dict[str, Any]:
    """Trace keys for a failed call: ``error error_type traceback``, ``failing_frame`` and ``frames``.

    ``failing_frame`` has ``file line function locals`` (name to shortened repr). ``frames`` holds such frames
    in the order of the traceback, of at most 12, each with the ``error`` that came up in it: of every
    exception that led to this one the frame that raised it, and where that is a library's, before it the
    last one that is not. It is left out where it would hold the failing frame alone. The engine's own
    frames are left out of the traceback unless there are no others.
    """
    facts: dict[str, Any] = {"error": message_of(error), "error_type": type(error).__name__}
    tb = _own(error.__traceback__)
    try:
        facts["traceback"] = "".join(traceback.format_exception(type(error), error, tb))
    except (Exception, SystemExit) as worse:  # noqa: BLE001 - formatting calls the exception's own __str__
        facts["traceback"] = f"(cannot be shown: {type(worse).__name__})"
    if tb is not None:
        facts["failing_frame"] = _frame(_places(tb)[-1])
    places = list(_failing(error))
    if len(places) > _MOST_FRAMES:  # the first cause and the last consequence tell most
        places[_MOST_FRAMES // 2 : -_MOST_FRAMES // 2] = []
    if len(places) > (tb is not None):
        facts["frames"] = [
            {**_frame(place), "error": f"{type(each).__name__}: {text_of(each)}"[:_LONGEST]}
            for each, place in places
        ]
    return facts


def _own(tb: TracebackType | None) -> TracebackType | None:
    """What is below the engine's own frames."""
    while tb is not None and any(part in tb.tb_frame.f_code.co_filename for part in _ENGINE_FILES):
        tb = tb.tb_next
    return tb


def _failing(error: BaseException) -> Iterator[tuple[BaseException, TracebackType]]:
    """Each exception of the chain with the places in which it came up, in the order of the traceback."""
    for each in _chain(error):
        tb = _own(each.__traceback__)
        if tb is not None:
            yield from ((each, place) for place in _places(tb))


def _chain(error: BaseException) -> Iterator[BaseException]:
    """What led to an exception, the first cause first; each group of exceptions before what it holds."""
    seen: set[int] = set()

    def tell(link: BaseException | None) -> Iterator[BaseException]:
        line: list[BaseException] = []
        while link is not None and id(link) not in seen:
            seen.add(id(link))
            line.append(link)
            hidden = link.__suppress_context__ or link.__cause__ is not None
            link = link.__cause__ if hidden else link.__context__
        for each in reversed(line):
            yield each
            if isinstance(each, BaseExceptionGroup) and len(seen) < _MOST_FRAMES:
                for part in each.exceptions[:_MOST_PARTS]:
                    yield from tell(part)

    return tell(error)


def _places(tb: TracebackType) -> list[TracebackType]:
    """Where it was raised; before that, if it is in a library, the last place that is not."""
    mine: TracebackType | None = None
    while True:
        if not _in_library(tb.tb_frame.f_code.co_filename):
            mine = tb
        if tb.tb_next is None:
            return [tb] if mine is None or mine is tb else [mine, tb]
        tb = tb.tb_next


def _in_library(file: str) -> bool:
    return file.startswith(_LIBRARIES) or any(part in file for part in _PACKAGES)


def _frame(place: TracebackType) -> dict[str, Any]:
    frame = place.tb_frame
    values = {name: value for name, value in frame.f_locals.items() if not name.startswith("__")}
    shown = {name: _show(value) for name, value in itertools.islice(values.items(), _MOST_LOCALS)}
    told = {
        "file": frame.f_code.co_filename,
        "line": place.tb_lineno,
        "function": frame.f_code.co_qualname,
        "locals": shown,
    }
    return {**told, "more": len(values) - len(shown)} if len(values) > len(shown) else told


def _show(value: object) -> str:
    try:
        return _short.repr(value)
    except (Exception, SystemExit) as worse:  # noqa: BLE001 - a value's __repr__ is a tool's code
        return f"(cannot be shown: {type(worse).__name__})"
