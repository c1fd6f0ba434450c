"""Text from models and tools for people to read: what cannot be seen is shown, what could act is inert."""

from __future__ import annotations

import re
from typing import Final

_TAB: Final = "    "
_BIDI: Final = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_INVISIBLE: Final = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u2060\u2061"
    "\u2062\u2063\u2064\u206a\u206b\u206c\u206d\u206e\u206f\u3164\ufeff\uffa0"
)
# Terminals disagree about the width of these two; without them a glyph is as wide as its table says.
_JOINERS: Final = "\u200d\ufe0e\ufe0f"

_UNSAFE: Final = re.compile(
    f"[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u2028\\u2029{_BIDI}{_INVISIBLE}{_JOINERS}"
    "\\ud800-\\udfff\\U000e0000-\\U000e007f\\t\\ufff9-\\ufffb]"
)
_UNSAFE_OR_NEWLINE: Final = re.compile(_UNSAFE.pattern[:-1] + "\\n]")
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
    return _UNSAFE.sub(_escape_prose, text)


def visible_line(text: str) -> str:
    """The same in one line: newlines and tabs show as escapes too."""
    return _UNSAFE_OR_NEWLINE.sub(_escape, text)


def _escape_prose(match: re.Match[str]) -> str:
    return _TAB if match[0] == "\t" else _escape(match)


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    if char in _JOINERS:
        return ""
    short = _SHORT.get(char)
    if short is not None:
        return short
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
