"""Turns pydantic's validation errors into words that a model can act on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from workbench.registry.json_schema import arguments_in_words, shortened
from workbench.registry.names import near_names

_ADDRESS = re.compile(r"https?://\S*pydantic\S*")
_VALID = re.compile(r"^a(n?) valid ([aeiou])?", re.IGNORECASE)
_MOST_FAULTS = 20


def explain(error: ValidationError, arguments: object, parameters: Mapping[str, Any]) -> str:
    """Each fault as ``path: expected …, got …``, then what the tool expects altogether."""
    by_place: dict[str, list[str]] = {}
    got: dict[str, str] = {}
    for each in error.errors(include_url=False):
        place = _place(each["loc"], arguments)
        phrase, shows_value = _phrase(each, parameters)
        phrases = by_place.setdefault(place, [])
        if phrase not in phrases:
            phrases.append(phrase)
        if shows_value:
            got[place] = f", got {shortened(each['input'])}"
    faults = [
        f"{place}: " * bool(place) + _joined(phrases) + got.get(place, "")
        for place, phrases in list(by_place.items())[:_MOST_FAULTS]
    ]
    if len(by_place) > _MOST_FAULTS:
        faults.append(f"and {len(by_place) - _MOST_FAULTS} more")
    text = f"{'; '.join(faults)}. Expected: {arguments_in_words(parameters)}."
    return _ADDRESS.sub("", text)


def _place(location: tuple[int | str, ...], arguments: object) -> str:
    """The path to the value that is wrong, without the names that pydantic gives to union members."""
    place = ""
    value: Any = arguments
    for index, step in enumerate(location):
        last = index == len(location) - 1
        if isinstance(step, int) and isinstance(value, (list, tuple)):
            place += f"[{step}]"
            value = value[step] if step < len(value) else None
        elif isinstance(value, Mapping) and (step in value or index == 0):
            place += f".{step}" if place else str(step)
            value = value.get(step)
        elif last and isinstance(value, Mapping) and isinstance(step, str):
            place += f".{step}" if place else step  # a key that is missing
            value = None
    return place


def _phrase(fault: ErrorDetails, parameters: Mapping[str, Any]) -> tuple[str, bool]:
    """What is wrong in words, and whether the value says more about it."""
    kind, message = fault["type"], fault["msg"]
    if kind == "missing":
        return "missing", False
    if kind == "extra_forbidden":
        near = (
            near_names(str(fault["loc"][-1]), parameters.get("properties", {}))
            if len(fault["loc"]) == 1
            else []
        )
        return "no such argument" + (f" (did you mean {near[0]}?)" if near else ""), False
    if kind in ("value_error", "assertion_error"):
        return message.partition(", ")[2] or message, True
    if kind.endswith("_parsing"):
        message = message.partition(", ")[0]
    if not message.startswith("Input should be "):
        return (message if message[1:2].isupper() else message[:1].lower() + message[1:]), True
    wanted = message.removeprefix("Input should be ")
    wanted = _VALID.sub(lambda found: ("an " + found[2]) if found[2] else "a ", wanted)
    return f"expected {wanted}", True


def _joined(phrases: list[str]) -> str:
    first, *others = phrases
    return " or ".join([first, *(each.removeprefix("expected ") for each in others)])
