"""The arguments of a call, read from the JSON text in which models send them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

DEEPEST = 100
"""Levels of lists and objects inside each other that arguments may have."""

_CONTAINERS = (dict, list, tuple)


class ArgumentsUnreadable(ValueError):
    """Arguments that are not one JSON object; the text says why."""


class NotAnObject(ArgumentsUnreadable):
    """They are JSON, but another value: ``value``."""

    def __init__(self, value: Any) -> None:
        super().__init__(f"they are a JSON {_json_kind(value)}, not an object")
        self.value = value


def read_arguments(raw: str) -> dict[str, Any]:
    """The arguments in ``raw``.

    Raises ``ArgumentsUnreadable``, a ``ValueError`` that says what is wrong and where, or its kind
    ``NotAnObject``; numbers that JSON does not have and deep nesting are wrong too. Forgives what providers
    are known to send: nothing at all, an object inside a JSON string, an empty object before the real one,
    the same object twice.
    """
    if not raw.strip():
        return {}
    try:
        values = list(_values(raw))
    except json.JSONDecodeError as error:
        raise ArgumentsUnreadable(f"{error.msg} at character {error.pos + 1} of {len(raw)}") from error
    except RecursionError as error:
        raise ArgumentsUnreadable(_TOO_DEEP) from error
    except ArgumentsUnreadable:
        raise
    except ValueError as error:  # a whole number with more digits than Python reads
        raise ArgumentsUnreadable("a number has too many digits; send a smaller one, or a text") from error
    for each in values:
        check_values(each)
    value = values[-1]
    if any(other not in ({}, value) for other in values):
        raise ArgumentsUnreadable("there is more than one JSON value")
    if isinstance(value, str) and value.lstrip().startswith("{"):
        return read_arguments(value)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise NotAnObject(value)
    return value


def check_values(value: Any) -> None:
    """Raise ``ArgumentsUnreadable`` for NaN or an infinite number anywhere in it, and for deep nesting."""
    level: list[Any] = [value if isinstance(value, _CONTAINERS) else (value,)]
    for _ in range(DEEPEST):
        below: dict[int, Any] = {}  # by identity: what came from elsewhere than JSON may contain itself
        for container in level:
            for each in container.values() if isinstance(container, dict) else container:
                if isinstance(each, _CONTAINERS):
                    below[id(each)] = each
                elif isinstance(each, float) and not math.isfinite(each):
                    raise ArgumentsUnreadable(_not_json(json.dumps(each)))
        if not below:
            return
        level = list(below.values())
    raise ArgumentsUnreadable(_TOO_DEEP)


_TOO_DEEP = f"they are nested too deeply, {DEEPEST} levels are the most"


def _not_json(name: str) -> str:
    return f"{name} is not a number in JSON; send a finite number, a text or null"


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ArgumentsUnreadable(f"{digits[:40]} is too large for a number; send a smaller one, or a text")
    return number


def _values(raw: str) -> Iterator[Any]:
    position = len(raw) - len(raw.lstrip())
    while position < len(raw):
        value, position = _decoder.raw_decode(raw, position)
        yield value
        position += len(raw[position:]) - len(raw[position:].lstrip())


def _refuse_constant(name: str) -> Any:
    raise ArgumentsUnreadable(_not_json(name))


_decoder = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)


def _json_kind(value: Any) -> str:
    if isinstance(value, list):
        return "list"
    return "text" if isinstance(value, str) else "number" if not isinstance(value, bool) else "boolean"
