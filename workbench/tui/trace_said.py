"""What the trace says where it has nothing to show, or a key has nothing to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from workbench.tui.commands import commands
from workbench.tui.render import Span, clip
from workbench.tui.trace_records import OPEN, Entry, Row

EMPTY: tuple[Span, ...] = (
    ("No turns yet.", "subtle"),
    ("Model calls, tools and your waits show here.", "muted"),
)
_NOTHING: tuple[Span, ...] = (
    ("Nothing fits the filter: esc here shows everything again.", "subtle"),
    ("Fields are tool: status: kind: agent: turn:, times >200ms <1s, anything else is looked for.", "muted"),
)
_COMMANDS: Final = frozenset(row.slash for row in commands("app") if row.slash)


def whole_parts(parts: Sequence[str], room: int) -> str:
    """As many parts as fit into so many cells; only the first one is ever cut."""
    text = clip(parts[0], room)
    for part in parts[1:]:
        if cell_len(f"{text}  {part}") > room:
            break
        text += f"  {part}"
    return text


def nothing_for(text: str) -> tuple[Span, ...]:
    """What to say while nothing fits; who writes a slash command here is told where it belongs."""
    word = text.removeprefix("/")
    if word not in _COMMANDS:
        return _NOTHING
    return (_NOTHING[0], (f"For the command /{word}: esc, then type it in the prompt.", "muted"))


def why_closed(record: Row) -> tuple[str, str]:
    """Why there is nothing more to show of a row that is no group."""
    if isinstance(record, Entry) and record.kind != "you" and record.state in OPEN:
        return f"{record.name} has not ended yet", "All of it can be read once it has."
    what = "A wait" if isinstance(record, Entry) and record.kind == "you" else "A mark"
    if isinstance(record, Entry) and record.kind != "you":
        return f"{record.name} did not run", "The turn ended before it; there is no more to read of it."
    return f"{what} is all in its row", "Enter shows model calls and tool calls."
