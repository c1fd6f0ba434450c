"""Inline Markdown to text with style keys: emphasis, code, links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from workbench.tui.transcript.line import Line, Mark

if TYPE_CHECKING:
    from markdown_it.token import Token

CODE_KEY: Final = "subtle on:raised"
LINK_KEY: Final = "accent underline"
_URL: Final = re.compile(r"https?://[^\s<>\"'`]+[^\s<>\"'`.,;:!?)\]}*_]")


@dataclass(slots=True)
class _Text:
    """One logical line being put together."""

    parts: list[str] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    links: list[Mark] = field(default_factory=list)
    length: int = 0

    def add(self, text: str, key: str | None) -> None:
        if not text:
            return
        if key is not None:
            if self.marks and self.marks[-1][1] == self.length and self.marks[-1][2] == key:
                self.marks[-1] = (self.marks[-1][0], self.length + len(text), key)
            else:
                self.marks.append((self.length, self.length + len(text), key))
        self.parts.append(text)
        self.length += len(text)


class InlineWriter:
    """Turns the children of one inline token into lines; a hard break begins the next line."""

    def __init__(self, key: str = "text") -> None:
        self._key = key
        self._lines = [_Text()]
        self._strong = self._underline = self._strike = 0
        self._link: str | None = None
        self._link_start = 0

    def lines(self, tokens: Sequence[Token]) -> list[Line]:
        """The lines for the tokens."""
        for token in tokens:
            self._token(token)
        return [
            Line("".join(line.parts), tuple(line.marks), self._key, links=tuple(line.links))
            for line in self._lines
        ]

    def _token(self, token: Token) -> None:
        kind = token.type
        if kind == "text":
            self._text(token.content)
        elif kind == "code_inline":
            self._lines[-1].add(token.content, CODE_KEY)
        elif kind == "softbreak":
            self._lines[-1].add(" ", self._style())
        elif kind == "hardbreak":
            self._lines.append(_Text())
            self._link_start = 0
        elif kind == "link_open":
            self._link = str(token.attrs.get("href", ""))
            self._link_start = self._lines[-1].length
        elif kind == "link_close":
            self._end_link()
        elif kind == "image":
            self._image(token)
        elif kind in _NESTING:
            name, change = _NESTING[kind]
            setattr(self, name, getattr(self, name) + change)
        else:
            self._text(token.content)

    def _style(self) -> str | None:
        if self._link is not None:
            return LINK_KEY
        words = [self._key]
        if self._strong and "strong" not in self._key:
            words.append("strong")
        if self._underline:
            words.append("underline")
        if self._strike:
            words.append("strike")
        return " ".join(words) if len(words) > 1 else None

    def _text(self, text: str) -> None:
        line, style = self._lines[-1], self._style()
        if self._link is not None or "://" not in text:
            line.add(text, style)
            return
        at = 0
        for match in _URL.finditer(text):
            line.add(text[at : match.start()], style)
            line.links.append((line.length, line.length + len(match[0]), match[0]))
            line.add(match[0], LINK_KEY)
            at = match.end()
        line.add(text[at:], style)

    def _end_link(self) -> None:
        line, target = self._lines[-1], self._link or ""
        self._link = None
        if line.length == self._link_start:
            line.add(target, LINK_KEY)
        line.links.append((self._link_start, line.length, target))
        shown = "".join(line.parts)[self._link_start :]
        if target not in (shown, "mailto:" + shown, shown + "/"):
            # where a link leads is never hidden behind its words
            line.add(f" ({target})", "muted")

    def _image(self, token: Token) -> None:
        source = str(token.attrs.get("src", ""))
        line = self._lines[-1]
        start = line.length
        line.add(token.content or source, LINK_KEY)
        line.links.append((start, line.length, source))
        if token.content:
            line.add(f" ({source})", "muted")


_NESTING: Final[dict[str, tuple[str, int]]] = {
    "strong_open": ("_strong", 1),
    "strong_close": ("_strong", -1),
    "em_open": ("_underline", 1),
    "em_close": ("_underline", -1),
    "s_open": ("_strike", 1),
    "s_close": ("_strike", -1),
}
