"""JSON that a person writes as a value: what Python would let pass and no model or tool could be sent."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from workbench.tui.nesting import DEEPEST, too_deep
from workbench.tui.render import clip

_TOO_DEEP: Final = f"not a value that can be read: nested deeper than {DEEPEST} levels"


def read_json(text: str) -> Any:
    """The value of a JSON text.

    Raises ValueError that says what is wrong: no JSON (a JSONDecodeError, which knows where), a number that
    cannot be kept, a key that stands twice in an object, and nesting that cannot be read.
    """
    try:
        value = json.loads(text, parse_constant=_constant, parse_float=_number, object_pairs_hook=_object)
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    except ValueError as error:
        if isinstance(error, _NotKept):
            raise
        # the only other thing that Python refuses is an endless whole number
        raise ValueError("not a number that can be read: too many digits") from None
    if isinstance(value, dict | list) and too_deep(value):
        raise ValueError(_TOO_DEEP)
    return value


class _NotKept(ValueError):
    """What the text says is JSON by its form, but no value of it."""


def _constant(word: str) -> float:
    raise _NotKept(f"not JSON: it has no {word}")


def _number(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _NotKept(f"not a number that can be kept: {clip(digits, 24)} is too large")
    return number


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        raise _NotKept(f"the key {json.dumps(clip(twice, 24), ensure_ascii=False)} stands twice in an object")
    return found
