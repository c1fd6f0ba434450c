"""The inspector's page about what went wrong: the error, its traceback, the values where it came up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.cells import cell_len

from workbench.tui.inspector_values import value_lines
from workbench.tui.render import ELLIPSIS, clip, fit
from workbench.tui.wrapped import Line, wrapped
from workbench.visible import visible, visible_line

_FRAME: Final = re.compile(r'  File "(.+)", line (\d+)(?:, in (.+))?')
_LED_TO: Final = frozenset(
    (
        "The above exception was the direct cause of the following exception:",
        "During handling of the above exception, another exception occurred:",
    )
)
_EMPTY: Final[Line] = ()

Frame = Mapping[str, Any]


def error_lines(data: Mapping[str, Any], width: int) -> list[Line]:
    """What was raised, what the model was told, and the traceback with the values in its failing frames."""
    kind = visible_line(str(data.get("error_type") or "Error"))
    message = visible(str(data["error"]))
    if "\n" in message or cell_len(message) > width - cell_len(kind) - 6:
        lines: list[Line] = [(("  " + kind, "error strong"),), *wrapped(message, width, words=True)]
    else:
        lines = [(("  " + kind, "error strong"), ("  " + message, "error"))]
    received = str(data.get("result") or "")
    if received:
        lines += _received(received, width)
    frames = failing_frames(data)
    for part in _parts(str(data.get("traceback") or "")):
        here, frames = _split(frames, part)
        lines += [_EMPTY, *_traceback(part, width), *_values(here, width, told=part)]
    return [*lines, *_values(frames, width)]


def _received(text: str, width: int) -> Iterator[Line]:
    """What the model was told, beside what it is; below it where there is little room."""
    label = "  the model received  "
    beside = width >= 3 * len(label)
    if not beside:
        yield ((label.rstrip(), "muted"),)
    indent = len(label) if beside else 4
    for number, line in enumerate(wrapped(text, width, indent=indent, words=True)):
        yield ((label, "muted"), *line[1:]) if beside and not number else line


def error_text(data: Mapping[str, Any]) -> str:
    """The traceback for the clipboard, or the error where there is none."""
    return str(data.get("traceback") or f"{data.get('error_type') or 'Error'}: {data['error']}")


def failing_frames(data: Mapping[str, Any]) -> list[Frame]:
    """The frames whose values are kept, in the order of the traceback."""
    frames = data.get("frames") or [data.get("failing_frame")]
    return [frame for frame in frames if isinstance(frame, Mapping)]


def _parts(text: str) -> Iterator[list[str]]:
    """The lines of a traceback, exception by exception."""
    part: list[str] = []
    for line in text.rstrip("\n").split("\n") if text else ():
        if line in _LED_TO and any(line.strip() for line in part):
            while not part[-1].strip():
                part.pop()
            yield part
            part = []
        part.append(line)
    if part:
        yield part


def _split(frames: Sequence[Frame], part: Sequence[str]) -> tuple[list[Frame], list[Frame]]:
    """The frames that a part of the traceback names, and the others."""
    named = {match.group(1, 2) for line in part if (match := _FRAME.fullmatch(line)) is not None}
    here = [frame for frame in frames if (str(frame.get("file")), str(frame.get("line"))) in named]
    return here, [frame for frame in frames if not any(frame is each for each in here)]


def _values(frames: Sequence[Frame], width: int, told: Sequence[str] = ()) -> Iterator[Line]:
    """The values of frames, and of which error they are, unless a line of ``told`` says it just above."""
    for frame in frames:
        values = frame.get("locals")
        if not isinstance(values, Mapping) or not values:
            continue
        where = f"  values in {visible_line(str(frame.get('function')))}, line {frame.get('line')}"
        error = str(frame.get("error") or "")
        first = error.partition("\n")[0]
        error = "" if any(first in line and line[:1] != " " for line in told) else visible_line(error)
        yield _EMPTY
        yield (where, "subtle"), ("  " + clip(error, width - cell_len(where) - 4) if error else "", "muted")
        yield from value_lines(values, width, types=False)
        if frame.get("more"):
            yield ((f"  {frame['more']:,} more are not kept", "muted"),)


def _traceback(lines: Sequence[str], width: int) -> Iterator[Line]:
    """Frames as they are told, the code of each set off, the failing line marked."""
    frames = [index for index, line in enumerate(lines) if _FRAME.fullmatch(line)]
    failing = frames[-1] + 1 if frames else -1
    for index, line in enumerate(lines):
        match = _FRAME.fullmatch(line)
        if match is not None:
            place = visible_line(f"{match[1]}:{match[2]}")
            where = f"  in {visible_line(match[3])}" if match[3] else ""
            yield ("  " + _end_of(place, width - 4 - cell_len(where)), "text"), (where, "muted")
        elif index == failing and line.startswith("    "):
            code = "▎ " + fit(clip(visible_line(line), width - 4), width - 2)
            yield (code[:1], "error on:fault"), (code[1:], "text strong on:fault")
        elif line.strip() and not line.strip("^~ "):
            yield ("  " + clip(line, width - 4), "error"), ("", "error")
        else:
            key = "subtle" if line.startswith("    ") else "muted"
            yield from wrapped(line, width, key, words=key == "muted")


def _end_of(place: str, room: int) -> str:
    """A place in at most so many cells: of one that is too long its end, with the line."""
    if cell_len(place) <= room:
        return place
    return ELLIPSIS + clip(place[::-1], max(2, room))[-2::-1]
