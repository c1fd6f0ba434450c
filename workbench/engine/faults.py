"""What is kept of an exception: its text, its traceback, and the frame in which it happened."""

from __future__ import annotations

import reprlib
import traceback
from typing import Any

from workbench.registry.texts import message_of

_ENGINE_FILES = ("/workbench/engine/", "/workbench/registry/")
_short = reprlib.Repr()
_short.maxlevel = 4
_short.maxstring = _short.maxother = 300
_short.maxdict = _short.maxlist = _short.maxtuple = _short.maxset = 20


def describe_fault(error: BaseException) -> dict[str, Any]:
    """Trace keys for a failed call: ``error error_type traceback`` and ``failing_frame``.

    ``failing_frame`` has ``file line function locals`` (name to shortened repr). The engine's own
    frames are left out of the traceback unless there are no others.
    """
    facts: dict[str, Any] = {"error": message_of(error), "error_type": type(error).__name__}
    tb = error.__traceback__
    while tb is not None and any(part in tb.tb_frame.f_code.co_filename for part in _ENGINE_FILES):
        tb = tb.tb_next
    try:
        facts["traceback"] = "".join(traceback.format_exception(type(error), error, tb))
    except (Exception, SystemExit) as worse:  # noqa: BLE001 - formatting calls the exception's own __str__
        facts["traceback"] = f"(cannot be shown: {type(worse).__name__})"
    if tb is not None:
        while tb.tb_next is not None:
            tb = tb.tb_next
        frame = tb.tb_frame
        facts["failing_frame"] = {
            "file": frame.f_code.co_filename,
            "line": tb.tb_lineno,
            "function": frame.f_code.co_qualname,
            "locals": {name: _show(value) for name, value in frame.f_locals.items()},
        }
    return facts


def _show(value: object) -> str:
    try:
        return _short.repr(value)
    except (Exception, SystemExit) as worse:  # noqa: BLE001 - a value's __repr__ is a tool's code
        return f"(cannot be shown: {type(worse).__name__})"
