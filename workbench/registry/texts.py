"""The text of an exception, which may be of a class that a tool or handler brings along."""

from __future__ import annotations

from workbench.errors import WorkbenchError


def text_of(error: BaseException) -> str:
    """What ``str(error)`` gives, or a line that says why it gives nothing; never raises itself."""
    try:
        return str(error)
    except Exception as worse:  # noqa: BLE001 - a tool's exception class is a tool's code
        return f"(its text cannot be shown: {type(worse).__name__})"


def message_of(error: BaseException) -> str:
    """The same with the error's hint, if it has one, on a line of its own."""
    text = text_of(error)
    if isinstance(error, WorkbenchError) and error.hint:
        return f"{text}\n{error.hint}" if text else error.hint
    return text
