"""From what a tool returned to the text that the model reads."""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import enum
import json
import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from workbench.registry.texts import text_of

logger = logging.getLogger(__name__)

MOST_ITEMS = 10_000
"""How many items are taken, in all, from the iterables in one value: they may be endless."""

_DEEPEST = 200

ResultKeeper: TypeAlias = Callable[[str, str], str]
"""Keeps the whole of a result that is too long for the model: given the tool's name and the text, it says
where that is now, or raises OSError."""


def to_text(value: object) -> str:
    """A string as it is, everything else as JSON where it can be, as ``str()`` where it cannot.

    Never raises an Exception: where the value's own code does, the text says so. Numbers that JSON does not
    have become texts. Of something endless, or merely very long, a beginning is taken, and that is said.
    """
    if isinstance(value, str):
        return value if type(value) is str else str.__str__(value)  # its class may have methods of its own
    if isinstance(value, float) and not math.isfinite(value):
        return _number_as_text(value)
    try:
        return encode_json(value)
    except Exception:  # noqa: BLE001 - a value that JSON does not know, or one that contains itself
        plainer = _Plainer()
    try:
        return plainer.encode(value)
    except Exception as error:  # noqa: BLE001 - encoding calls the value's own methods
        # what an iterator would have given is lost, and its own text says nothing of that
        return _not_shown(value, error) if isinstance(value, Iterator) else _text_of_object(value)


def looks_like_json(value: object) -> bool:
    """Whether a value is a text that begins as JSON does, so that its text alone does not say what it was."""
    return isinstance(value, str) and value[:64].lstrip()[:1] in {*'{["-0123456789tfn'}


def _text_of_object(value: object) -> str:
    try:
        return str.__str__(str(value))
    except Exception as error:  # noqa: BLE001 - the value's own __str__
        return _not_shown(value, error)


def _not_shown(value: object, error: Exception) -> str:
    return f"({type(value).__name__} that cannot be shown: {type(error).__name__}: {text_of(error)})"


def _json_encoder() -> Callable[[object], str]:
    standard = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return standard.encode
    as_text = json.encoder.encode_basestring
    chunks = make(None, standard.default, as_text, None, ": ", ", ", False, False, False)
    return lambda value: "".join(chunks(value, 0))


encode_json = _json_encoder()
"""Plain values as JSON; raises TypeError, ValueError or RecursionError for others.

As ``json.dumps`` does it, but for the C encoder that it makes anew each time, which costs more than a small
value does.
"""


class _Plainer:
    """Turns one value into what JSON has, all the way down."""

    def __init__(self) -> None:
        self._left = MOST_ITEMS
        """How many more items are taken from what may be endless."""

    def encode(self, value: object) -> str:
        """The JSON text; raises what the value's own code raises, and RecursionError for deep nesting."""
        return encode_json(self.plain(value, 0))

    def plain(self, value: Any, depth: int) -> Any:
        """The value in dicts, lists, texts and numbers."""
        if value is None or isinstance(value, str | int):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else _number_as_text(value)
        if depth > _DEEPEST:
            raise RecursionError("nested too deeply")
        if isinstance(value, Mapping):
            return {
                key if isinstance(key, str) else str(key): self.plain(item, depth + 1)
                for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.plain(item, depth + 1) for item in value]
        if isinstance(value, set | frozenset):
            return _in_order([self.plain(item, depth + 1) for item in value])
        return self.plain(self._simpler(value), depth + 1)

    def _simpler(self, value: Any) -> Any:
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
        return self._some_of(value) if isinstance(value, Iterable) else str(value)

    def _some_of(self, value: Iterable[Any]) -> list[Any]:
        items: list[Any] = []
        for item in value:
            if self._left <= 0:
                items.append(f"… and more: only the first {MOST_ITEMS:,} items were taken")
                break
            self._left -= 1
            items.append(item)
        return items


def _in_order(items: list[Any]) -> list[Any]:
    """The items of a set, which come in another order in each process, in one that stays."""
    try:
        return sorted(items)
    except TypeError:
        return sorted(items, key=json.dumps)


def _number_as_text(value: float) -> str:
    return json.dumps(value)


def _bytes(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return "base64:" + base64.b64encode(value).decode()


def plain(value: object) -> Any:
    """The value in what JSON has: itself, something like it, or a text."""
    if value is None or isinstance(value, str | int):
        return value
    text = to_text(value)
    try:
        return json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return text


def shorten(text: str, limit: int | None, whereabouts: str = "") -> str:
    """At most ``limit`` characters: the head and the tail, and between them how much is missing.

    ``whereabouts`` says what became of the whole, where that leaves half of the room for the text.
    """
    if limit is None or len(text) <= limit:
        return text
    note = f"\n… {len(text):,} characters in all, the middle is left out{{}} …\n"
    long, short = note.format(f"; {whereabouts}"), note.format("")
    note = long if whereabouts and len(long) <= limit // 2 else short
    room = limit - len(note)
    if room <= 0:
        return text[:limit]
    tail = room // 3
    return text[: room - tail] + note + (text[-tail:] if tail else "")


def kept_whole(keeper: ResultKeeper | None, tool: str, text: str) -> tuple[str, dict[str, str]]:
    """What became of a result that is too long, in words for the model, and as facts for the trace."""
    if keeper is None:
        return "", {}
    try:
        place = keeper(tool, text)
    except OSError as error:
        logger.warning("a result of %s was not kept: %s", tool, error)
        reason = error.strerror or str(error)
        return f"the whole could not be kept ({reason})", {"result_file_error": reason}
    return f"the whole is in {place}", {"result_file": place}


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
