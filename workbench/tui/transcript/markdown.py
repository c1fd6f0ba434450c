"""Markdown to lines. The parser is loaded when the first text arrives, not with the screen."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from workbench.tui.render import Span
from workbench.tui.transcript.code import code_lines
from workbench.tui.transcript.inline import InlineWriter
from workbench.tui.transcript.line import PROSE_WIDTH, Line
from workbench.tui.transcript.table import Align, Table

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Environment = MutableMapping[str, Any]
"""What markdown-it keeps for one message: its link definitions."""

Head = tuple[list[Line], list[Align]]
"""The cells of a table's head, and how each column is aligned."""

_BULLET: Final = "•"
_QUOTE_BAR: Final[Span] = ("▏ ", "muted")


@cache
def parser() -> MarkdownIt:
    """The one parser. HTML is not interpreted: a tag is text like any other."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def warm() -> None:
    """Load what the first answer needs, from any thread, so that it need not wait for it."""
    render("**x**\n\n```python\nx\n```", PROSE_WIDTH)


def _parse(source: str, env: Environment | None) -> list[Token]:
    # a copy: a definition that is only half there would hold for ever
    known = {} if env is None else dict(env.get("references", {}))
    return parser().parse(source, {"references": known})


@dataclass(slots=True)
class _Frame:
    """A container around the lines: what is painted before its first line, and before all others."""

    lead: tuple[Span, ...]
    hang: tuple[Span, ...]
    key: str | None = None
    fresh: bool = True


@dataclass(slots=True)
class _Walk:
    """The state of one rendering. ``lists`` holds the next number of each open list, None for bullets."""

    area: int
    lines: list[Line] = field(default_factory=list)
    frames: list[_Frame] = field(default_factory=list)
    lists: list[int | None] = field(default_factory=list)
    fixed: bool = False

    def emit(self, line: Line) -> None:
        """Add a line inside all open containers; a container's own mark is painted once."""
        for frame in reversed(self.frames):
            line = line.inside(frame.lead if frame.fresh else frame.hang, frame.hang)
            frame.fresh = False
        self.lines.append(line)

    def begin(self) -> None:
        """A block begins: one blank row before it, unless its container has just begun."""
        if self.lines and not any(frame.fresh for frame in self.frames):
            self.emit(Line(""))

    @property
    def key(self) -> str:
        """The style of plain text here."""
        return next((frame.key for frame in reversed(self.frames) if frame.key), "text")

    @property
    def room(self) -> int:
        """The cells that the containers leave."""
        taken = sum(len(text) for frame in self.frames for text, _ in frame.hang)
        return max(self.area - taken, 1)


def render(
    source: str, width: int, *, env: Environment | None = None, first_number: int | None = None
) -> tuple[list[Line], bool]:
    """The lines of a piece of Markdown, and whether they hold for this width only.

    ``first_number`` overrides the number of the first ordered list: a long list comes in several pieces.
    """
    walk = _Walk(width)
    tokens = _parse(source, env)
    if first_number is not None and tokens and tokens[0].type == "ordered_list_open":
        tokens[0].attrs["start"] = first_number
    _walk_blocks(walk, tokens)
    return walk.lines, walk.fixed


def codes(source: str, env: Environment | None = None) -> list[str]:
    """Each block of code in a piece of Markdown, without its last newline."""
    tokens = _parse(source, env)
    return [each.content.removesuffix("\n") for each in tokens if each.type in ("fence", "code_block")]


def _walk_blocks(walk: _Walk, tokens: Sequence[Token]) -> None:
    stream = iter(enumerate(tokens))
    for at, token in stream:
        kind = token.type
        if kind in ("paragraph_open", "heading_open"):
            _text_block(walk, token, tokens[at + 1])
        elif kind in ("bullet_list_open", "ordered_list_open"):
            _open_list(walk, token)
        elif kind in ("bullet_list_close", "ordered_list_close"):
            walk.lists.pop()
        elif kind == "list_item_open":
            _open_item(walk)
        elif kind == "list_item_close":
            _close_frame(walk)
        elif kind == "blockquote_open":
            walk.begin()
            walk.frames.append(_Frame((_QUOTE_BAR,), (_QUOTE_BAR,), "subtle"))
        elif kind == "blockquote_close":
            _close_frame(walk)
        elif kind in ("fence", "code_block"):
            walk.begin()
            for line in code_lines(token.info, token.content):
                walk.emit(line)
        elif kind == "hr":
            walk.begin()
            walk.emit(Line("─" * min(walk.room, PROSE_WIDTH), key="rule", wrap="none"))
            walk.fixed = True
        elif kind == "table_open":
            _table(walk, stream)


def _text_block(walk: _Walk, opening: Token, inline: Token) -> None:
    heading = opening.type == "heading_open"
    # items of a list stand close together; only a second paragraph of one item is set apart
    walk.begin()
    key = ("text strong" if opening.tag in ("h1", "h2") else "subtle strong") if heading else walk.key
    for line in InlineWriter(key).lines(inline.children or []):
        walk.emit(line)


def _open_list(walk: _Walk, token: Token) -> None:
    if not walk.lists:
        walk.begin()
    ordered = token.type == "ordered_list_open"
    walk.lists.append(int(token.attrs.get("start", 1)) if ordered else None)


def _open_item(walk: _Walk) -> None:
    number = walk.lists[-1]
    mark = f"{_BULLET} " if number is None else f"{number}. "
    if number is not None:
        walk.lists[-1] = number + 1
    walk.frames.append(_Frame(((mark, "subtle"),), ((" " * len(mark), "text"),)))


def _close_frame(walk: _Walk) -> None:
    if walk.frames[-1].fresh:
        # an empty item or quote still shows its mark
        walk.emit(Line(""))
    walk.frames.pop()


def _table(walk: _Walk, stream: Iterator[tuple[int, Token]]) -> None:
    walk.begin()
    walk.fixed = True
    head, aligns, rows = read_table(token for _, token in stream)
    table = Table(head, aligns)
    for row in rows:
        table.add(row)
    table.layout(walk.room)
    for line in table.lines:
        walk.emit(line)


def read_table(stream: Iterator[Token]) -> tuple[list[Line], list[Align], list[list[Line]]]:
    """Head, alignments and rows of the table whose opening token was just taken from the stream."""
    head: list[Line] = []
    aligns: list[Align] = []
    rows: list[list[Line]] = []
    for token in stream:
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "th_open":
            aligns.append(_align(str(token.attrs.get("style", ""))))
        elif token.type == "inline":
            rows[-1].append(InlineWriter().lines(token.children or [])[0])
    if rows:
        head = rows.pop(0)
    return head, aligns, rows


def _align(style: str) -> Align:
    if style.endswith("right"):
        return "right"
    return "center" if style.endswith("center") else "left"


def table_row(head: str, row: str, env: Environment | None = None) -> list[Line] | None:
    """The cells of one more row of a table with this head (two lines), None where the row ends it."""
    tokens = _parse(f"{head}\n{row}", env)
    _, _, rows = read_table(iter(tokens[1:]))
    ended = len(rows) != 1 or tokens[-1].type != "table_close"
    return None if ended else rows[0]


def read_head(source: str, env: Environment | None = None) -> Head | None:
    """Head cells and alignments, where these two lines begin a table."""
    tokens = _parse(source, env)
    if not tokens or tokens[0].type != "table_open":
        return None
    cells, aligns, _ = read_table(iter(tokens[1:]))
    return cells, aligns
