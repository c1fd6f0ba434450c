"""What a paused call has to say, as lines for people and facts beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from workbench.tui.json_view import argument_lines
from workbench.tui.line_view import Line
from workbench.tui.pause import PauseRequest
from workbench.tui.render import fit
from workbench.visible import visible, visible_line

_LONGEST: Final = 200_000
_LABEL: Final = 10


def page_lines(request: PauseRequest, arguments: Mapping[str, Any], *, narrow: bool) -> list[Line]:
    """What came of the call, its arguments as they are now, the context; narrow: the facts too."""
    lines: list[Line] = []
    if request.error is not None:
        lines += [_head("Error"), *_text(request.error, "error"), Line()]
    elif request.result is not None:
        size = f"{len(request.result):,} characters"
        lines += [_head("Result", size), *_text(request.result), Line()]
    lines.append(_head("Arguments", "edited by you" if arguments != request.arguments else ""))
    lines += argument_lines(arguments) or [Line("None.", "muted")]
    lines += [Line(), _head("Context")]
    facts = [*_place(request), *(_call(request) if narrow else ())]
    lines += [_fact(label, value) for label, value in facts if value]
    return lines


def facts(request: PauseRequest) -> list[tuple[str, list[tuple[str, str]]]]:
    """Sections of labels and values for the column beside the page."""
    return [("Call", _call(request))]


def _call(request: PauseRequest) -> list[tuple[str, str]]:
    after = "failed" if request.error is not None else "ran"
    return [
        ("state", "has not run yet" if request.when == "before" else after),
        ("turn", str(request.turn)),
        ("iteration", str(request.iteration)),
        ("id", visible_line(request.call_id)),
    ]


def _place(request: PauseRequest) -> list[tuple[str, str]]:
    return [
        ("paused", visible_line(request.because)),
        ("agent", visible_line(request.agent)),
        ("task", visible_line(request.task)),
        ("before it", ", ".join(map(visible_line, request.previous)) or "no tool in this turn"),
    ]


def _head(title: str, note: str = "") -> Line:
    prefix = (("  ", "muted"), (title, "text strong"), ("  ", "muted"))
    return Line(note, "muted", 2 + len(title) + 2, prefix)


def _fact(label: str, value: str) -> Line:
    prefix = (("  ", "muted"), (fit(label, _LABEL) + "  ", "muted"))
    return Line(value, "text", 2 + _LABEL + 2, prefix, words=True)


def _text(text: str, key: str = "text") -> Iterator[Line]:
    for line in visible(text[:_LONGEST]).split("\n"):
        yield Line(line, key)
    if len(text) > _LONGEST:
        yield Line(f"{len(text) - _LONGEST:,} more characters are not shown here", "muted")
