"""From what a tool returned to the text that the model reads."""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import enum
import json
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.registry.texts import text_of


def to_text(value: object) -> str:
    """A string as it is, everything else as JSON where it can be, as ``str()`` where it cannot.

    Never raises an Exception: where the value's own code does, the text says so.
    """
    if isinstance(value, str):
        return value
    try:
        return _encode_any(value)
    except Exception:  # noqa: BLE001 - encoding calls the value's own methods
        try:
            return _encode_with_text_keys(value)
        except Exception:  # noqa: BLE001 - the same
            return _text_of_object(value)


def _text_of_object(value: object) -> str:
    try:
        return str(value)
    except Exception as error:  # noqa: BLE001 - the value's own __str__
        return f"({type(value).__name__} that cannot be shown: {type(error).__name__}: {text_of(error)})"


def _plain(value: Any) -> Any:
    """The JSON-like form of one object that JSON does not know."""
    if isinstance(value, enum.Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, bytes | bytearray):
        return _bytes(bytes(value))
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, Mapping):
        return _text_keys(value, 0)
    if isinstance(value, Iterable):
        return list(value)
    return str(value)


encode_json = json.JSONEncoder(ensure_ascii=False).encode
"""Plain values as JSON; made once, since an encoder costs more than a small value."""

_encode_any = json.JSONEncoder(ensure_ascii=False, default=_plain).encode


def _bytes(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return "base64:" + base64.b64encode(value).decode()


def _encode_with_text_keys(value: object) -> str:
    """For keys that are not text, and for a structure that contains itself, which this refuses."""
    return _encode_any(_text_keys(value, 0))


def _text_keys(value: Any, depth: int) -> Any:
    if depth > 200:
        raise RecursionError("nested too deeply")
    if isinstance(value, Mapping):
        return {
            key if isinstance(key, str) else str(key): _text_keys(item, depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_text_keys(item, depth + 1) for item in value]
    return value


def plain(value: object) -> Any:
    """The value in what JSON has: itself, something like it, or a text."""
    if value is None or isinstance(value, str | int | float):
        return value
    try:
        return json.loads(to_text(value))
    except ValueError:
        return to_text(value)


def shorten(text: str, limit: int | None) -> str:
    """At most ``limit`` characters: the head and the tail, and between them how much is missing."""
    if limit is None or len(text) <= limit:
        return text
    note = f"\n… {len(text)} characters in all, the middle is left out …\n"
    room = limit - len(note)
    if room <= 0:
        return text[:limit]
    tail = room // 3
    return text[: room - tail] + note + (text[-tail:] if tail else "")


def sendable(text: str) -> str:
    """The text with lone surrogates replaced, which UTF-8, and so no provider, can carry."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace") if torn(text) else text


def torn(text: str) -> bool:
    """Whether there are lone surrogates in it."""
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
