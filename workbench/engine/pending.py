"""What handlers may put into a pending call, and what is wrong with anything else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_TEXT: Final = (str,)
_TEXT_OR_NOTHING: Final = (str, type(None))

_KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    "name": _TEXT,
    "arguments": (dict,),
    "id": _TEXT,
    "description": _TEXT,
    "permission": _TEXT_OR_NOTHING,
    "reason": _TEXT_OR_NOTHING,
    "asks_because": _TEXT_OR_NOTHING,
    "decided_by": _TEXT_OR_NOTHING,
    "edited_by": _TEXT_OR_NOTHING,
    "origin": (list, tuple),
    "marks": (dict,),
}
_WORDS: Final[Mapping[type, str]] = {str: "a text", dict: "a dict", list: "a list", type(None): "None"}
_NEEDED: Final = frozenset({"arguments"})
"""What nobody can do without: taking it away means nothing."""


def mend_pending(pending: dict[str, Any], facts: Mapping[str, Any]) -> str | None:
    """Make a pending call sound again; what was wrong with it, None if nothing was.

    ``facts`` is the call as it was. A key that was taken away is as it was then, whatever else cannot be
    used is so too, and is said.
    """
    fault = None
    for key, value in facts.items():
        if key not in pending:
            pending[key] = value
            if key in _NEEDED:
                fault = fault or f"the {key} of {facts['name']} are NoneType, not a dict"
    for key in tuple(pending):
        wrong = _wrong(key, pending[key], facts)
        if wrong is not None:
            fault = fault or wrong
            if key in facts:
                pending[key] = facts[key]
            else:
                del pending[key]
    return fault


def _wrong(key: object, value: object, facts: Mapping[str, Any]) -> str | None:
    name = facts["name"]
    if not isinstance(key, str):
        return (
            f"{key!r} is no key of a pending call"
            if isinstance(key, int | float | bytes)
            else "a key is no text"
        )
    if key == "decision":
        known = value is None or (isinstance(value, str) and value in ("approve", "reject"))
        return (
            None if known else f"the decision on {name} is {_shown(value)}; it is 'approve', 'reject' or None"
        )
    if key == "stand_in":
        return None if value is None or callable(value) else f"the stand-in for {name} cannot be called"
    kinds = _KINDS.get(key)
    if kinds is not None and not isinstance(value, kinds):
        verb = "are" if key in ("arguments", "marks") else "is"
        return f"the {key} of {name} {verb} {type(value).__name__}, not {' or '.join(_spoken(kinds))}"
    if key == "id" and value != facts["id"]:
        return f"the id of {name} is another one"
    return None


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, str | int | float) else type(value).__name__


def _spoken(kinds: tuple[type, ...]) -> list[str]:
    return [_WORDS[kind] for kind in kinds if kind in _WORDS]
