"""Text from models and tools for people to read: what cannot be seen is shown, what could act is inert."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_TAB: Final = "    "
_BIDI: Final = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_INVISIBLE: Final = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)

_UNSAFE: Final = re.compile(
    f"[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u2028\\u2029{_BIDI}{_INVISIBLE}\\ud800-\\udfff\\t]"
)
# In prose a pictograph may carry these. Terminals disagree about the width of what comes of it, so it is
# shown without them, as wide as its table says.
_DRESSED: Final = re.compile(
    "(?<=[\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff0-9#*])[\u200d\ufe0e\ufe0f]+"
)
_UNSAFE_OR_NEWLINE: Final = re.compile(_UNSAFE.pattern[:-1] + "\\n]")
_KEPT: Final = "\t\u200c\u200d\ufe0e\ufe0f"
_SHORT: Final = {
    "\n": "\\n",
    "\t": "\\t",
    "\r": "\\r",
    "\x1b": "\\e",
    "\x00": "\\0",
    "\x07": "\\a",
    "\x08": "\\b",
}


def visible(text: str) -> str:
    """Text of several lines, safe to paint: newlines stay, tabs become blanks, the rest shows as escapes."""
    text = text.replace("\r\n", "\n")
    return _UNSAFE.sub(_escape_prose, _DRESSED.sub("", text))


def visible_line(text: str) -> str:
    """The same in one line: newlines and tabs show as escapes too."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE_OR_NEWLINE.sub(_escape, text)


def written(text: str) -> str:
    """Text of several lines for a document: also tabs stay, and what joins or dresses signs of a script."""
    return _UNSAFE.sub(
        lambda match: match[0] if match[0] in _KEPT else _escape(match), text.replace("\r\n", "\n")
    )


def in_place(text: str) -> str:
    """The same text, character for character: newlines and tabs stay, all else that could act is a sign."""
    return _UNSAFE.sub(_sign, text)


def pointed_at(line: str, start: int, end: int | None = None, *, width: int = 40) -> str:
    """Two lines: ``line``, or the part of it that fits in ``width`` cells, and carets below a place in it.

    The place is the characters from ``start`` to before ``end``, or the one at ``start``.
    """
    end = max(start + 1, end or 0)
    before, marked, after = map(visible, (line[:start], line[start:end], line[end:]))
    marked = _cut(marked, width // 2)
    room = width - max(1, _cells(marked))
    lead = min(_cells(before), max(room - _cells(after), room * 2 // 3))
    before, after = _cut(before[::-1], lead)[::-1], _cut(after, room - lead)
    return f"{before}{marked}{after}\n{' ' * _cells(before)}{'^' * max(1, _cells(marked))}"


def _cut(text: str, cells: int) -> str:
    """The beginning of ``text`` that fits in ``cells``, with a sign where something is missing."""
    if _cells(text) <= cells:
        return text
    kept = text[: max(0, cells - 1)]
    while _cells(kept) > cells - 1:
        kept = kept[:-1]
    return f"{kept}…"


def _cells(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )


def as_left(text: str) -> str:
    """Output as a terminal would have left it: a carriage return begins its line again, as progress does."""
    if "\r" not in text:
        return text
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)


def _sign(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return "\t" if code == 0x09 else chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def _escape_prose(match: re.Match[str]) -> str:
    return _TAB if match[0] == "\t" else _escape(match)


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    short = _SHORT.get(char)
    if short is not None:
        return short
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
