"""Types of which it is certain, without asking pydantic, that they have a JSON form and a validator."""

from __future__ import annotations

import datetime as dt
import decimal
import pathlib
import types
import typing
import uuid
from functools import lru_cache
from typing import Any, Final

_SCALARS: Final = frozenset(
    {
        *(str, int, float, bool, types.NoneType, dt.date, dt.datetime, dt.time, dt.timedelta),
        *(uuid.UUID, decimal.Decimal, pathlib.Path),
    }
)
_COLLECTIONS: Final = frozenset({list, tuple, set, frozenset})
_CONSTANTS: Final = (str, int, bool, types.NoneType)


def is_plain(hint: Any) -> bool:
    """Whether a type is a scalar, a collection of plain types, or a choice among them; False if in doubt."""
    try:
        return hint in _SCALARS or hint is Any or (hint.__class__ is not type and _is_plain_generic(hint))
    except TypeError:  # something in it cannot be hashed
        return False


@lru_cache(maxsize=512)
def _is_plain_generic(hint: Any) -> bool:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return all(type(each) in _CONSTANTS for each in arguments)
    if origin is typing.Union or origin is types.UnionType:
        return all(map(is_plain, arguments))
    if origin is dict:
        return len(arguments) == 2 and arguments[0] is str and is_plain(arguments[1])
    if origin in (set, frozenset):
        return len(arguments) == 1 and arguments[0] in _SCALARS
    if origin not in _COLLECTIONS or not arguments:
        return False
    return all(each is Ellipsis or is_plain(each) for each in arguments)
