"""The text of an exception, which may be of a class that a tool or handler brings along."""

from __future__ import annotations

from workbench.errors import WorkbenchError

_TEXT = "__workbench_text__"


def text_of(error: BaseException) -> str:
    """What ``str(error)`` gives, or a line that says why it gives nothing; never raises itself.

    It is made once and kept with the error: the exception's own code may take its time, and whoever asks
    first does so where nobody has to wait for it.
    """
    kept = vars(error).get(_TEXT)
    if isinstance(kept, str):
        return kept
    try:
        text = str.__str__(str(error))  # which may be of a class with methods of its own
    except (Exception, SystemExit) as worse:  # noqa: BLE001 - a tool's exception class is a tool's code
        text = f"(its text cannot be shown: {type(worse).__name__})"
    vars(error)[_TEXT] = text
    return text


def message_of(error: BaseException) -> str:
    """The same with the error's hint, if it has one, on a line of its own."""
    text = text_of(error)
    if isinstance(error, WorkbenchError) and error.hint:
        return f"{text}\n{error.hint}" if text else error.hint
    return text
