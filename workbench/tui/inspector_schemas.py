"""The inspector's page about the tools that a request offered: their schemas, cost, and what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from rich.cells import cell_len

from workbench.engine.request_log import Sent
from workbench.registry.json_schema import estimated_tokens
from workbench.tui.json_view import json_text
from workbench.tui.render import Span, clip, fit
from workbench.tui.result_diff import result_lines
from workbench.tui.wrapped import Line, wrapped
from workbench.visible import visible_line

Change = Literal["", "new", "changed", "gone"]

_SIGNS: Final[dict[Change, Span]] = {
    "": (" ", "muted"),
    "new": ("+", "success"),
    "changed": ("±", "accent"),
    "gone": ("−", "error"),
}
_COST: Final = 8


@dataclass(frozen=True, slots=True)
class Offered:
    """A schema of a request, or one that the request before had (``gone``); ``tokens`` is about its cost."""

    name: str
    schema: Mapping[str, Any]
    tokens: int
    change: Change
    before: Mapping[str, Any] | None = None


def offered(sent: Sent) -> list[Offered]:
    """The schemas of a request in its order, then those that are gone since the request before."""
    before = {_name(schema): schema for schema in sent.tools_before}
    first = not sent.new_from
    found: list[Offered] = []
    for schema in sent.tools:
        old = before.pop(_name(schema), None)
        change: Change = "" if first or old == schema else "new" if old is None else "changed"
        kept = old if change == "changed" else None
        found.append(Offered(_name(schema), schema, estimated_tokens(schema), change, kept))
    gone = [Offered(name, schema, estimated_tokens(schema), "gone") for name, schema in before.items()]
    return found + gone


def schemas_count(tools: Sequence[Offered]) -> str:
    """How many schemas, and how many of them are new, changed or gone."""
    counts = [(sign, sum(tool.change == change for tool in tools)) for change, (sign, _) in _SIGNS.items()]
    told = [f"{sign}{count}" for sign, count in counts[1:] if count]
    return " ".join([str(sum(tool.change != "gone" for tool in tools)), *told])


def schema_lines(tools: Sequence[Offered], width: int) -> list[Line]:
    """Names and costs in columns; below, what is different in those that changed."""
    lines: list[Line] = [*wrapped(_summary(tools), width, "subtle", words=True), ()]
    wide = min(max((cell_len(tool.name) for tool in tools), default=0), max(8, width // 2))
    for tool in tools:
        sign, key = _SIGNS[tool.change]
        room = width - 2 - 2 - wide - 2 - _COST - 2
        said = visible_line(str(_function(tool.schema).get("description", "")).partition("\n")[0])
        name_key = "muted" if tool.change == "gone" else "text"
        lines.append(
            (
                ("  ", "muted"),
                (sign + " ", key),
                (fit(tool.name, wide), name_key),
                ("  " + fit(clip(said, room), max(0, room)), "muted"),
                (fit(f"{tool.tokens:,}", _COST, right=True), "muted" if tool.change == "gone" else "text"),
            )
        )
    for tool in tools:
        if tool.before is not None:
            lines += [(), ((f"  {tool.name}, then and now", "subtle strong"),)]
            lines += result_lines(json_text(tool.before), json_text(tool.schema), width)
    return lines


def _summary(tools: Sequence[Offered]) -> str:
    here = [tool for tool in tools if tool.change != "gone"]
    cost = sum(tool.tokens for tool in here)
    said = f"{len(here)} schema{'s' * (len(here) != 1)}, about {cost:,} tokens"
    told = [(change, sum(tool.change == change for tool in tools)) for change in ("new", "changed", "gone")]
    changes = ", ".join(f"{count} {change}" for change, count in told if count)
    return f"{said}; since the request before: {changes}" if changes else said


def _function(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    function = schema.get("function", schema)
    return function if isinstance(function, Mapping) else {}


def _name(schema: Mapping[str, Any]) -> str:
    return visible_line(str(_function(schema).get("name", "")))
