"""Tool calls, times and counts as short lines for a terminal; text from models and tools is never markup."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from workbench.engine.llm import TokenUsage
from workbench.engine.observer import TraceEntry
from workbench.visible import visible_line

MUTED: Final = "dim"

_STATES: Final = {
    "success": ("✓", "green"),
    "error": ("✗", "red"),
    "not_found": ("✗", "red"),
    "disabled": ("⊘", "yellow"),
    "rejected": ("⊘", "yellow"),
    "cancelled": ("–", MUTED),
    "incomplete": ("–", "yellow"),
    "stopped": ("–", "yellow"),
    "interrupted": ("–", "yellow"),
}
_LONGEST_TEXT: Final = 2_000  # characters looked at; a line of a terminal shows far fewer


def stderr_console() -> Console:
    """A console on whatever ``sys.stderr`` is at the time; it interprets nothing in what it prints."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def state(status: str) -> Text:
    """The glyph of a status in its colour; each glyph also differs in shape."""
    glyph, style = _STATES.get(status, ("·", MUTED))
    return Text(glyph, style)


def call_line(entry: TraceEntry, width: int) -> Text:
    """``✓ add  a=2, b=3   3 ms``, not wider than ``width`` cells: the arguments give way."""
    status = str(entry.get("status", ""))
    line = Text.assemble(state(status), " ", (plain(str(entry.get("tool_name", "?"))), "bold"))
    end = f"   {duration(entry['timing'])}" if status in {"success", "error"} and "timing" in entry else ""
    end = end or f"   {status.replace('_', ' ')}"
    if entry.get("edited_from") is not None:
        end = f"   edited{end}"
    given = arguments(entry.get("arguments") or {})
    if given:
        room = max(8, width - line.cell_len - len(end) - 2)
        text = Text(f"  {given}", MUTED)
        text.truncate(room + 2, overflow="ellipsis")
        line.append_text(text)
    line.append(end, MUTED)
    line.no_wrap = True
    return line


def reason(entry: TraceEntry) -> str:
    """Why a call did not succeed, in one line; empty if it did."""
    if entry.get("status") == "success":
        return ""
    said = entry.get("error")
    if said:
        kind = entry.get("error_type")
        said = f"{kind}: {said}" if kind else said
    return plain(" ".join(str(said or entry.get("result") or "")[:_LONGEST_TEXT].split("\n")))


def arguments(values: Mapping[str, Any]) -> str:
    """``a=2, name='x'``; texts in quotes, everything safe to print."""
    return plain(", ".join(f"{name}={_value(value)}" for name, value in values.items()))


def plain(text: str) -> str:
    """One line that cannot act on the terminal."""
    return visible_line(text[:_LONGEST_TEXT])


def duration(milliseconds: float) -> str:
    """``3 ms``, ``1.31 s``, ``2 min 5 s``."""
    if milliseconds < 0.95:
        return f"{milliseconds:.1f} ms"
    if milliseconds < 999.5:
        return f"{milliseconds:.0f} ms"
    seconds = milliseconds / 1000
    if seconds < 59.995:
        return f"{seconds:.2f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60} s"


def tokens(usage: TokenUsage | Mapping[str, Any] | None) -> int:
    """Input and output tokens; also of a usage that was read back from a file."""
    if usage is None:
        return 0
    if isinstance(usage, TokenUsage):
        return usage.total_tokens
    return int(usage.get("input_tokens", 0)) + int(usage.get("output_tokens", 0))


def cost(usage: TokenUsage | Mapping[str, Any] | None) -> float | None:
    """US dollars, None where the price is not known."""
    if usage is None:
        return None
    return usage.cost if isinstance(usage, TokenUsage) else usage.get("cost")


def money(dollars: float | None) -> str:
    """``$0.0123``, or that nobody knows."""
    return "cost unknown" if dollars is None else f"${dollars:.4f}"


def count(number: int, noun: str) -> str:
    """``1 call``, ``2 calls``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _value(value: Any) -> str:
    if isinstance(value, str):
        return repr(value[:_LONGEST_TEXT])
    return (
        json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, dict | list) else repr(value)
    )
