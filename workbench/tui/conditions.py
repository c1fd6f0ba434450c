"""Conditions of breakpoints: what is wrong with one, when it can be told, and one for given arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any, Final, Literal

from workbench.engine.breakpoints import CONDITION_FUNCTIONS, CONDITION_NAMES, Breakpoint
from workbench.errors import ConfigError

_LATE: Final = frozenset({"result", "error"})
_LONGEST: Final = 200
_PLACE: Final = re.compile(r" \(<breakpoint condition>, line \d+\)$")


def fault_of(condition: str) -> str | None:
    """What is wrong with the text of a condition, None if it can be used."""
    try:
        Breakpoint(condition=condition)
    except ConfigError as error:
        said = error.message.removeprefix(f"breakpoint condition {condition!r}: ")
        return _PLACE.sub("", said)
    unknown = sorted(_read(condition) - CONDITION_NAMES - CONDITION_FUNCTIONS)
    return f"no {unknown[0]} here; there are {', '.join(sorted(CONDITION_NAMES))}" if unknown else None


def moment_of(condition: str) -> Literal["before", "after"]:
    """When it can be told whether a condition holds: after the call if it asks for what came of it."""
    return "after" if _read(condition) & _LATE else "before"


def condition_for(arguments: Mapping[str, Any]) -> str:
    """A condition that holds for calls with these arguments, as far as they can be written down briefly."""
    plain = {
        name: text
        for name, value in arguments.items()
        if isinstance(value, str | int | float | bool | None) and len(text := repr(value)) <= _LONGEST
    }
    return " and ".join(f"arguments[{name!r}] == {text}" for name, text in plain.items())


def _read(condition: str) -> set[str]:
    """The names that an expression reads and does not make itself."""
    names = [
        node for node in ast.walk(ast.parse(condition.strip(), mode="eval")) if isinstance(node, ast.Name)
    ]
    made = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return {node.id for node in names if isinstance(node.ctx, ast.Load)} - made
