"""The parameters of a model that people set by name, and what their values may be."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from workbench.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Parameter:
    """``expects`` completes "expected …"; ``accepts`` says whether a value may stand."""

    expects: str
    accepts: Callable[[Any], bool]


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_address(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        parts = urlsplit(value)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False


EFFORTS: Final = ("none", "minimal", "low", "medium", "high", "xhigh")

PARAMETERS: Final[Mapping[str, Parameter]] = {
    "temperature": Parameter("a number from 0 to 2", lambda value: _number(value) and 0 <= value <= 2),
    "reasoning_effort": Parameter(f"one of {', '.join(EFFORTS)}", lambda value: value in EFFORTS),
    "max_tokens": Parameter(
        "a whole number above 0", lambda value: _number(value) and isinstance(value, int) and value > 0
    ),
    "base_url": Parameter("an address such as http://127.0.0.1:8080/v1", _is_address),
    "timeout": Parameter("a number of seconds above 0", lambda value: _number(value) and value > 0),
}
"""What ``/set`` takes. A configuration file may hold more, which goes to the model as it is."""

_OF_THE_REQUEST: Final = frozenset({"base_url", "timeout"})
_OTHER_NAMES: Final[Mapping[str, str]] = {"max_tokens": "max_completion_tokens"}


def is_taken(name: str, takes: Collection[str] | None) -> bool:
    """Whether a model that takes these parameters, as its library calls them, makes use of ``name``.

    Without a word on what it takes (None), and for what only the way to it needs, that is a yes.
    """
    return takes is None or name in _OF_THE_REQUEST or not {name, _OTHER_NAMES.get(name)}.isdisjoint(takes)


def check_parameters(where: str, parameters: Mapping[str, Any]) -> None:
    """Raise ConfigError that begins with ``where`` for a value that the parameter cannot have."""
    for name, value in parameters.items():
        known = PARAMETERS.get(str(name))
        if known is not None and value is not None and not known.accepts(value):
            raise ConfigError(f"{where}: {name}: expected {known.expects}, got {value!r}")


def read_parameter(name: str, text: str) -> Any:
    """The value that a person wrote for a parameter; None if they wrote nothing.

    Raises ConfigError for a name that is none and for a value that it cannot have.
    """
    known = PARAMETERS.get(name)
    if known is None:
        near = difflib.get_close_matches(name, PARAMETERS, n=2)
        meant = f"Did you mean {' or '.join(near)}? " if near else ""
        raise ConfigError(
            f"There is no parameter {name}.", hint=f"{meant}Parameters are {', '.join(PARAMETERS)}."
        )
    if not text:
        return None
    value: Any = text
    if name not in ("base_url", "reasoning_effort"):
        try:
            value = json.loads(text)
        except ValueError:
            value = text
    if not known.accepts(value):
        raise ConfigError(f"{name}: expected {known.expects}, got {text!r}.")
    return value
