"""What is shown of a call that ran again: both runs beside each other, and where they differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from workbench.tui.call_marks import call_marks
from workbench.tui.comparison import Comparison
from workbench.tui.inspector_pages import result_page
from workbench.tui.render import Span, clip, fit, time_cells
from workbench.tui.rerun import Rerun
from workbench.tui.result_diff import comparison_lines, half_of
from workbench.tui.states import GLYPHS
from workbench.tui.wrapped import Line, wrapped
from workbench.visible import visible_line

_LABEL: Final = 11
_LEAST: Final = 10
_EMPTY: Final[Line] = ()


def rerun_lines(run: Rerun, width: int) -> list[Line]:
    """The facts of both runs in columns, then what differs of arguments, result and output."""
    lines = [*_facts(run, width)]
    if run.state == "pending":
        said = "It waits for the turn to end, and runs then even when you go back."
        return [*lines, _EMPTY, *wrapped(said, width, "muted", words=True)]
    if run.data is None:
        return lines
    if run.found is None:
        ended = run.comparing == "stopped"
        said = "not compared: you ended it" if ended else "comparing …   both are long, esc ends it"
        return [*lines, _EMPTY, _head("Result", said)]
    found = run.found
    if found.arguments.told:
        lines += [_EMPTY, *_differing("Arguments", found.arguments, width)]
    lines.append(_EMPTY)
    if found.result.told:
        lines += _differing("Result", found.result, width)
    else:
        lines += _same(run.results[1], width)
    if found.output.told:
        lines += [_EMPTY, *_differing("Output", found.output, width)]
    return lines


def rerun_text(run: Rerun) -> str:
    """Both results for the clipboard, as JSON."""
    data = run.data or {}
    both = {
        "tool": run.entry.name,
        "before": {"arguments": dict(run.entry.arguments), "result": run.old.get("result")},
        "now": {"arguments": dict(run.arguments), "result": data.get("result")},
    }
    return json.dumps(both, indent=2, ensure_ascii=False, default=repr)


def _facts(run: Rerun, width: int) -> Iterator[Line]:
    old, new = run.old, run.data or {}
    now = "now, with other arguments" if run.edited else "now"
    yield _columns("", ("then", "subtle strong"), (now, "subtle strong"), width)
    yield _columns("status", _status(old), _status(new) if new else run.compared, width)
    yield _columns("time", _time(old), _time(new), width)
    yield _columns("started", _began(old), _began(new), width)
    if call_marks(old) or call_marks(new):
        yield _columns("marks", _marks(old), _marks(new), width)
    if old.get("error") or new.get("error"):
        yield _columns("error", _error(old), _error(new), width)


def _columns(label: str, left: Span, right: Span, width: int) -> Line:
    """A label and both values; on a narrow screen the first one gets what it needs at least."""
    half = half_of(width)
    room = max(half - _LABEL, _LEAST)
    first = (fit(left[0], room), left[1])
    second = (fit(right[0], width - 6 - _LABEL - room), right[1])
    return (("  " + fit(label, _LABEL), "muted"), first, ("  ", "text"), second)


def _status(data: Mapping[str, Any]) -> Span:
    status = str(data.get("status", ""))
    glyph, key = GLYPHS.get(status, ("", "text"))  # type: ignore[call-overload]  # a word from a trace
    return f"{glyph} {visible_line(status).replace('_', ' ')}", key


def _time(data: Mapping[str, Any]) -> Span:
    timing = data.get("timing")
    return (time_cells(timing).strip() if isinstance(timing, int | float) else "", "text")


def _began(data: Mapping[str, Any]) -> Span:
    began = data.get("timestamp")
    if not isinstance(began, int | float):
        return "", "text"
    return datetime.fromtimestamp(began).astimezone().strftime("%H:%M:%S"), "subtle"


def _marks(data: Mapping[str, Any]) -> Span:
    return ", ".join(word for word, _ in call_marks(data)), "warning"


def _error(data: Mapping[str, Any]) -> Span:
    if not data.get("error"):
        return ("none" if data else "", "muted")
    kind = str(data.get("error_type") or "Error")
    first = str(data["error"]).strip().partition("\n")[0]
    return visible_line(f"{kind}: {first}"), "error"


def _head(name: str, said: str) -> Line:
    return (("  " + fit(name, _LABEL), "subtle strong"), (said, "muted"))


def _differing(name: str, comparison: Comparison, width: int) -> Iterator[Line]:
    yield _head(name, comparison.told)
    yield from comparison_lines(comparison, width)


def _same(result: str, width: int) -> Iterator[Line]:
    count = len(result)
    said = f"the same, {count:,} character{'s' * (count != 1)}"
    yield _head("Result", clip(said, width - _LABEL - 4))
    yield from result_page(result, width)
