"""A call to begin with: of a tool that is there, only reads and takes plain values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from workbench.registry import PermissionResult, Tool, ToolRegistry, ToolTag

_NUMBERS: Final = frozenset({"integer", "number"})
_SCALARS: Final = _NUMBERS | {"boolean", "string"}
_MADE_UP: Final = "hello"
_PARTICULAR: Final = re.compile(r"path|file|folder|dir|url|uri|link|host|key|token|id$|name$", re.IGNORECASE)
"""Texts of these names mean something that is there, so that a made-up one could only fail."""


def trial_call(registry: ToolRegistry) -> str:
    """Such a call as a person writes it, ``add(a=2, b=3)``; empty where no tool makes one.

    A tool that needs no made-up text is preferred, else the first.
    """
    calls = [values for tool in registry if (values := _values(registry, tool)) is not None]
    best = min(calls, key=lambda call: _MADE_UP in call[1].values(), default=None)
    if best is None:
        return ""
    tool, arguments = best
    short = tool.name.rpartition(".")[2]
    name = short if registry.meant(short) is tool else tool.name
    return f"{name}({', '.join(f'{key}={_written(value)}' for key, value in arguments.items())})"


def _values(registry: ToolRegistry, tool: Tool) -> tuple[Tool, dict[str, Any]] | None:
    """The tool with a value for each argument that it needs, if it needs some and can be tried."""
    needed = tool.parameters.get("required") or ()
    if not needed or ToolTag.READ_ONLY not in tool.metadata.tags or not registry.is_enabled(tool.name):
        return None
    found: dict[str, Any] = {}
    for at, name in enumerate(needed):
        value = _value(name, tool.parameters["properties"].get(name) or {}, at)
        if value is None:
            return None
        found[name] = value
    return (tool, found) if registry.evaluate(tool, found).result is PermissionResult.ALLOW else None


def _value(name: str, schema: Mapping[str, Any], at: int) -> bool | int | float | str | None:
    """A value for the argument at this place; None where only a person knows one."""
    said = [schema.get("const"), *_listed(schema.get("enum")), *_listed(schema.get("examples"))]
    plain = next((value for value in said if isinstance(value, bool | int | float | str)), None)
    if plain is not None:
        return plain
    kinds = {kind for each in _listed(schema.get("anyOf")) or [schema] for kind in _kinds(each)}
    if not kinds <= _SCALARS:
        return None
    if kinds & _NUMBERS:
        return _within(2 + at, schema)
    if "boolean" in kinds:
        return True
    strict = schema.keys() & {"format", "pattern", "minLength", "maxLength"}
    return None if strict or _PARTICULAR.search(name) else _MADE_UP


def _within(number: int, schema: Mapping[str, Any]) -> int | None:
    """The number, if the schema lets it be."""
    low, high = schema.get("minimum", number), schema.get("maximum", number)
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return None
    fits = low <= number <= high and schema.keys().isdisjoint(
        {"exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
    )
    return number if fits else None


def _kinds(schema: object) -> list[str]:
    """What a value may be; a schema from elsewhere may say anything."""
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    return [str(each) for each in kind] if isinstance(kind, list) else [str(kind)]


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _written(value: float | str) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
