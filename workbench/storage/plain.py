"""Any value as plain JSON data with its secrets covered, and plain data as text for the files."""

from __future__ import annotations

import json
import math
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Final

from workbench.engine.llm import TokenUsage
from workbench.storage.secret_settings import covered_value

Mask = Callable[[str], str]

_DEEPEST: Final = 200
_LONGEST_INT_BITS: Final = 10_000
_foreign = reprlib.Repr()  # its repr of an object never raises
_foreign.maxother = 10_000


def to_plain(value: Any, mask: Mask, depth: int = 0) -> Any:
    """``value`` as dicts, lists, strings, numbers, booleans and None; every string went through ``mask``.

    A ``TokenUsage`` or another dataclass becomes a mapping, an enum its value, anything unknown its
    ``repr``. Containers nested deeper than 200 levels are replaced by a remark.
    """
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, str):
        return mask(str(value))
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        # Python itself refuses to read such a number back from decimal text.
        return hex(value) if value.bit_length() > _LONGEST_INT_BITS else int(value)
    if depth >= _DEEPEST:
        return f"(nested deeper than {_DEEPEST} levels)"
    if isinstance(value, TokenUsage):
        return usage_mapping(value)
    if isinstance(value, Mapping):
        return {_key(key, mask): _setting(key, item, mask, depth + 1) for key, item in value.items()}
    if isinstance(value, Sequence | AbstractSet) and not isinstance(value, bytes | bytearray | memoryview):
        return [to_plain(item, mask, depth + 1) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        items = ((field.name, getattr(value, field.name)) for field in fields(value))
        return {name: _setting(name, item, mask, depth + 1) for name, item in items}
    if isinstance(value, BaseException):
        return mask(f"{type(value).__name__}: {value}")
    return mask(_foreign.repr(value))


def _setting(name: object, item: Any, mask: Mask, depth: int) -> Any:
    """The value of a key; the key may say that it is a secret."""
    if isinstance(item, str) and isinstance(name, str) and not isinstance(item, Enum):
        return mask(covered_value(name, str(item)))
    return to_plain(item, mask, depth)


def usage_mapping(usage: TokenUsage) -> dict[str, Any]:
    """A ``TokenUsage`` as a mapping; ``cost`` in US dollars, None where the price is not known."""
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
        "cost": usage.cost,
    }


def json_text(value: Any) -> str:
    """Plain data as one line of JSON. Characters stay as they are, so that lone surrogates survive."""
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def json_line(value: Any) -> bytes:
    """Plain data as one line of bytes for the journal, newline included."""
    return json_text(value).encode("utf-8", "surrogatepass") + b"\n"


def read_json_line(line: bytes) -> Any:
    """The value of a line that ``json_line`` wrote. Raises ``ValueError`` for a torn one."""
    return json.loads(line.decode("utf-8", "surrogatepass"))


def yaml_string(text: str) -> bytes:
    """``text`` as a double-quoted YAML scalar of one line of ASCII; holds whatever a string can hold."""
    quoted = json.dumps(text, ensure_ascii=False).encode("ascii", "backslashreplace")
    return quoted.replace(b"\x7f", b"\\x7f")


def yaml_number(value: float | None) -> bytes:
    """A number as YAML 1.1 reads it: floats always with a point and without an exponent."""
    if value is None:
        return b"null"
    if isinstance(value, int):
        return str(value).encode()
    if not math.isfinite(value):
        return b".nan" if math.isnan(value) else (b".inf" if value > 0 else b"-.inf")
    whole, _, fraction = f"{value:.10f}".partition(".")
    return f"{whole}.{fraction.rstrip('0') or '0'}".encode()


def yaml_list(texts: Iterable[str]) -> bytes:
    """Strings as a YAML list in one line."""
    return b"[" + b", ".join(map(yaml_string, texts)) + b"]"


def _key(key: Any, mask: Mask) -> str:
    return mask(key) if isinstance(key, str) else str(key)
