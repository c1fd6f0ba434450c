"""Code as lines with syntax colours: line by line while it arrives, exactly once it is whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from workbench.tui.palette import syntax_key
from workbench.tui.render import Span
from workbench.tui.transcript.line import COPY, Line, Mark

if TYPE_CHECKING:
    from pygments.lexer import Lexer

BAR: Final[tuple[Span, ...]] = (("│ ", "rule"),)
LONG_LINE: Final = 4_096
"""A line of code is cut into joined pieces of this many characters; such a line has no colours."""

Source = tuple[str, bool]
"""A line of code, and whether it continues the line before it."""


def pieces(text: str) -> list[Source]:
    """One line as pieces of bounded length."""
    if len(text) <= LONG_LINE:
        return [(text, False)]
    return [(text[at : at + LONG_LINE], at > 0) for at in range(0, len(text), LONG_LINE)]


def head_line(info: str) -> Line:
    """The line above a block of code: its language."""
    return Line(language_of(info) or "text", key="muted", wrap="none")


def code_line(source: Source, marks: tuple[Mark, ...] = ()) -> Line:
    """One line of a block of code."""
    return Line(source[0], marks, lead=BAR, hang=BAR, wrap="cells", joined=source[1])


def language_of(info: str) -> str:
    """The first word after the fence."""
    return info.split(maxsplit=1)[0] if info.strip() else ""


def code_lines(info: str, content: str) -> list[Line]:
    """A whole block of code that stands inside other text."""
    head = head_line(info)._replace(right=COPY)
    if not content:
        return [head]
    sources = [source for text in content.removesuffix("\n").split("\n") for source in pieces(text)]
    lines = [code_line(source) for source in sources]
    for index, marks in exact_marks(info, sources):
        lines[index] = lines[index]._replace(marks=marks)
    return [head, *lines]


@cache
def _aliases() -> frozenset[str]:
    from pygments.lexers import get_all_lexers

    return frozenset(alias for _, aliases, _, _ in get_all_lexers(plugins=False) for alias in aliases)


@lru_cache(maxsize=32)
def find_lexer(info: str) -> Lexer | None:
    """The lexer for what stands after a fence; None for plain text and for what nobody knows."""
    language = language_of(info).lower()
    if not language or language not in _aliases():
        return None
    from pygments.lexers import get_lexer_by_name

    return get_lexer_by_name(language)


@lru_cache(maxsize=512)
def _key(token: Any) -> str | None:
    key = "tok:" + str(token).removeprefix("Token").removeprefix(".")
    return None if syntax_key(key) == "text" else key


class LineLexer:
    """Colours for lines as they arrive, one by one: what a lexer can know without the lines to come."""

    def __init__(self, info: str) -> None:
        from pygments.lexer import ExtendedRegexLexer, RegexLexer

        self._lexer = find_lexer(info)
        self._stack = ["root"]
        self._carries = isinstance(self._lexer, RegexLexer) and not isinstance(
            self._lexer, ExtendedRegexLexer
        )

    def marks(self, text: str, *, keep: bool = True) -> tuple[Mark, ...]:
        """The marks of the next line. ``keep=False`` looks at a line that is still growing."""
        if self._lexer is None or len(text) >= LONG_LINE:
            return ()
        stack = list(self._stack)
        marks = tuple(_marks_of(self._tokens(text + "\n", stack), len(text)))
        if keep:
            self._stack = stack
        return marks

    def _tokens(self, text: str, stack: list[str]) -> Iterable[tuple[int, Any, str]]:
        from pygments.lexer import ExtendedRegexLexer, LexerContext

        lexer: Any = self._lexer
        if not self._carries:
            return list(lexer.get_tokens_unprocessed(text))
        context = LexerContext(text, 0, stack)
        walk: Any = ExtendedRegexLexer.get_tokens_unprocessed
        try:
            return list(walk(lexer, context=context))
        except TypeError:
            # some lexers have callbacks that take no context: their lines are read one by one instead
            self._carries = False
            return list(lexer.get_tokens_unprocessed(text))
        finally:
            stack[:] = context.stack


def _marks_of(tokens: Iterable[tuple[int, Any, str]], length: int) -> Iterator[Mark]:
    for at, token, value in tokens:
        key = _key(token)
        if key is not None and at < length and value:
            yield at, min(at + len(value), length), key


def exact_marks(info: str, sources: Sequence[Source]) -> Iterator[tuple[int, tuple[Mark, ...]]]:
    """The marks of each line of a whole block, one line at a time, so that the work can be spread."""
    lexer: Any = find_lexer(info)
    if lexer is None or any(joined for _, joined in sources):
        return
    text = "".join(source + "\n" for source, _ in sources)
    index, start = 0, 0
    marks: list[Mark] = []
    for position, token, value in lexer.get_tokens_unprocessed(text):
        key, at, left = _key(token), position, value
        while left:
            end = start + len(sources[index][0])
            taken = min(len(left), end - at)
            if key is not None and taken > 0:
                marks.append((at - start, at - start + taken, key))
            if len(left) <= taken:
                break
            # the newline belongs to this line, what follows it to the next one
            left, at = left[taken + 1 :], end + 1
            yield index, tuple(marks)
            index, start, marks = index + 1, end + 1, []
            if index == len(sources):
                return
