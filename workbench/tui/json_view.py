"""Arguments and schemas as lines for people: complete, coloured, with long texts as blocks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from rich.cells import cell_len, set_cell_size

from workbench.tui.line_view import Line, Mark, Marks
from workbench.tui.render import Span
from workbench.tui.words import count_words
from workbench.visible import visible, visible_line

_TOKEN: Final = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*"(?=:))|(?P<string>"(?:[^"\\]|\\.)*")'
    r"|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<word>\b(?:true|false|null)\b)"
)
_KEYS: Final = {
    "key": "subtle",
    "string": "tok:Literal.String",
    "number": "tok:Literal.Number",
    "word": "tok:Keyword",
}
# colouring what is longer would cost more than it tells
_COLOUR_LIMIT: Final = 4_096
_EDGE: Final = 2
_GAP: Final = 2
_NAME_LIMIT: Final = 16
_MOST_LINES: Final = 5_000
_PACKED_WIDTH: Final = 100


def json_text(value: Any) -> str:
    """Indented JSON; what JSON cannot hold shows as its ``repr``."""
    try:
        return json.dumps(value, indent=2, ensure_ascii=False, default=repr)
    except (TypeError, ValueError):
        return repr(value)


def editable_text(value: Any) -> str:
    """Indented JSON to be edited: what cannot be seen is written as a JSON escape, so that it stays.

    Where that would be thousands of lines, values share them.
    """
    text = json_text(value)
    if text.count("\n") > _MOST_LINES:
        text = "\n".join(_packed(text.split("\n")))
    if visible_line(text.replace("\n", "")) == text.replace("\n", ""):
        return text
    return "".join(_json_escape(char) for char in text)


def _packed(lines: Iterable[str]) -> Iterator[str]:
    """Lines of indented JSON, those put together that only hold values of one list or object."""
    row = ""
    for line in lines:
        bare = line.lstrip(" ")
        single = not bare.startswith(("]", "}")) and not bare.endswith(("[", "{"))
        if row and single and len(row) + len(bare) < _PACKED_WIDTH:
            row += " " + bare
            continue
        if row:
            yield row
        row = line if single else ""
        if not single:
            yield line
    if row:
        yield row


def json_lines(value: Any, *, key: str = "text") -> list[Line]:
    """A JSON value, indented and coloured."""
    return [_coloured(text, _EDGE, key) for text in visible(json_text(value)).split("\n")]


def argument_lines(arguments: Mapping[str, Any], *, key: str = "text") -> list[Line]:
    """A call's arguments, one below the other; a text of several lines is a block with a bar on its left.

    Values stand beside their names; beneath one that is so long that it would leave them no room.
    What cannot be seen shows as an escape: in a block these stand out by their colour.
    """
    names = [visible_line(str(raw)) for raw in arguments]
    wide = max((cells for name in names if (cells := cell_len(name)) <= _NAME_LIMIT), default=0)
    lines: list[Line] = []
    for name, value in zip(names, arguments.values(), strict=True):
        if isinstance(value, str) and "\n" in value.rstrip("\n"):
            lines += _block(name, wide, value, key)
        else:
            lines += _value(name, wide, value, key)
    return lines


def _value(name: str, wide: int, value: Any, key: str) -> list[Line]:
    above, prefix, hang = _named(name, wide)
    first, *rest = visible(json_text(value)).split("\n")
    return [
        *above,
        _coloured(first, hang, key)._replace(prefix=prefix),
        *(_coloured(text, hang, key) for text in rest),
    ]


def _named(name: str, wide: int) -> tuple[list[Line], tuple[Span, ...], int]:
    """Where a name stands: lines of its own, or before its value; and how far the value is set in."""
    if cell_len(name) > _NAME_LIMIT:
        return [Line(name, "subtle")], (), _EDGE + _GAP
    hang = _EDGE + wide + _GAP
    return [], ((" " * _EDGE, "muted"), (set_cell_size(name, hang - _EDGE), "subtle")), hang


def _block(name: str, wide: int, value: str, key: str) -> list[Line]:
    texts = value.split("\n")
    closed = texts[-1] == ""
    if closed:
        texts.pop()
    above, prefix, hang = _named(name, wide)
    head = f"{count_words(len(texts), 'line')}, {count_words(len(value), 'character')}" + (
        "" if closed else ", no newline at the end"
    )
    bar = ((" " * (_EDGE + _GAP), "muted"), ("│ ", "rule"))
    whole = "".join(texts)
    if visible_line(whole) == whole:
        lines = [Line(text, key, _EDGE + _GAP + 2, bar) for text in texts]
    else:
        lines = [_block_line(text, bar, key) for text in texts]
    return [*above, Line(head, "muted", hang, prefix), *lines]


def _block_line(raw: str, bar: tuple[Span, ...], key: str) -> Line:
    text = visible_line(raw)
    marks = () if text == raw or len(raw) > _COLOUR_LIMIT else _escapes(raw)
    return Line(text, key, _EDGE + _GAP + 2, bar, marks)


def _escapes(raw: str) -> Marks:
    marks: list[Mark] = []
    at = 0
    for char in raw:
        shown = visible_line(char)
        if shown and shown != char:
            marks.append(Mark(at, at + len(shown), "warning"))
        at += len(shown)
    return tuple(marks)


def _coloured(text: str, hang: int, key: str) -> Line:
    return Line(text, key, hang, marks=_json_marks if key == "text" else ())


def _json_marks(text: str) -> Marks:
    if len(text) > _COLOUR_LIMIT:
        return ()
    return tuple(
        Mark(match.start(), match.end(), _KEYS[match.lastgroup])
        for match in _TOKEN.finditer(text)
        if match.lastgroup is not None
    )


def _json_escape(char: str) -> str:
    if char == "\n" or visible_line(char) == char:
        return char
    return json.dumps(char)[1:-1]
