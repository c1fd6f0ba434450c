"""What is out of the ordinary with a call or an answer, in a word or two, wherever it is listed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.tui.render import Span
from workbench.visible import visible_line


def made_up(data: Mapping[str, Any]) -> bool:
    """Whether a person made up what a call gave: at a pause, or in place of what it really gave."""
    return bool(data.get("made_up")) or ("original_result" in data and bool(data.get("replayed")))


def call_marks(data: Mapping[str, Any]) -> tuple[Span, ...]:
    """The words for a trace entry, as spans without blanks: a fault on purpose, a result that is none."""
    marks: list[Span] = []
    if data.get("fault"):
        marks.append((f"fault {visible_line(str(data['fault'])).partition(' ')[0]}", "warning"))
    if made_up(data):
        marks.append(("made up", "warning"))
    elif "result_edited_from" in data:
        marks.append(("result edited", "warning"))
    elif data.get("replayed"):
        marks.append(("from the record", "muted"))
    return tuple(marks)


def original_result(data: Mapping[str, Any]) -> str | None:
    """What the call really gave where that was replaced, None where it was not, or the call never ran."""
    key = "result_edited_from" if "result_edited_from" in data else "original_result"
    return str(data[key]) if key in data and data[key] is not None else None
