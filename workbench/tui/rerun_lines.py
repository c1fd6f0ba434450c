"""What is shown of a call that ran again: both runs beside each other, and where they differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from workbench.tui.inspector_pages import result_page
from workbench.tui.render import Span, clip, fit, time_cells
from workbench.tui.rerun import Rerun
from workbench.tui.result_diff import difference, half_of, result_lines
from workbench.tui.states import GLYPHS
from workbench.tui.wrapped import Line
from workbench.visible import as_left, visible_line

_LABEL: Final = 11
_LEAST: Final = 10
_EMPTY: Final[Line] = ()


def rerun_lines(run: Rerun, width: int) -> list[Line]:
    """The facts of both runs in columns, then what differs of arguments, result and output."""
    lines = [*_facts(run, width)]
    if run.edited:
        before, now = _json(run.entry.arguments), _json(run.arguments)
        lines += [_EMPTY, _head("Arguments", difference(before, now)), *result_lines(before, now, width)]
    if run.data is None:
        return lines
    lines += [_EMPTY, *_result(run, run.data, width)]
    before, now = (as_left(str(data.get("output") or "")) for data in (run.old, run.data))
    if before != now:
        lines += [_EMPTY, _head("Output", difference(before, now)), *result_lines(before, now, width)]
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


def _error(data: Mapping[str, Any]) -> Span:
    if not data.get("error"):
        return ("none" if data else "", "muted")
    kind = str(data.get("error_type") or "Error")
    first = str(data["error"]).strip().partition("\n")[0]
    return visible_line(f"{kind}: {first}"), "error"


def _head(name: str, said: str) -> Line:
    return (("  " + fit(name, _LABEL), "subtle strong"), (said, "muted"))


def _result(run: Rerun, new: Mapping[str, Any], width: int) -> Iterator[Line]:
    before, now = str(run.old.get("result", "")), str(new.get("result", ""))
    told = difference(before, now)
    if told:
        yield _head("Result", told)
        yield from result_lines(before, now, width)
        return
    yield _head(
        "Result", clip(f"the same, {len(now):,} character{'s' * (len(now) != 1)}", width - _LABEL - 4)
    )
    yield from result_page(now, width)


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), indent=2, ensure_ascii=False, default=repr)
