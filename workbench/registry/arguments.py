"""The arguments of a call, read from the JSON text in which models send them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


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
    ``NotAnObject``. Forgives what
    providers are known to send: nothing at all, an object inside a JSON string, an empty object before
    the real one, the same object twice.
    """
    if not raw.strip():
        return {}
    try:
        values = list(_values(raw))
    except json.JSONDecodeError as error:
        raise ArgumentsUnreadable(f"{error.msg} at character {error.pos + 1} of {len(raw)}") from error
    except RecursionError as error:
        raise ArgumentsUnreadable("they are nested too deeply") from error
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


def _values(raw: str) -> Iterator[Any]:
    decoder = json.JSONDecoder(parse_constant=_refuse_constant)
    position = len(raw) - len(raw.lstrip())
    while position < len(raw):
        value, position = decoder.raw_decode(raw, position)
        yield value
        position += len(raw[position:]) - len(raw[position:].lstrip())


def _refuse_constant(name: str) -> Any:
    raise ArgumentsUnreadable(f"{name} is not JSON")


def _json_kind(value: Any) -> str:
    if isinstance(value, list):
        return "list"
    return "text" if isinstance(value, str) else "number" if not isinstance(value, bool) else "boolean"
