"""What a project's settings may do without the user's yes: choose the looks, and make things stricter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

APPROVALS: Final = ("open", "careful", "strict")
"""The words for ``approval``, each stricter than the one before; anything else is a policy file."""

_HARMLESS_PARAMETERS: Final = frozenset(
    {
        "frequency_penalty",
        "max_completion_tokens",
        "max_tokens",
        "pace",
        "presence_penalty",
        "reasoning_effort",
        "seed",
        "stop",
        "temperature",
        "timeout",
        "top_k",
        "top_p",
    }
)
"""Parameters that only shape the answer. Any other may say where the request and the key go."""


def tightened(own: Mapping[str, Any], theirs: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Of the project's settings ``theirs``: those that take effect beside the user's ``own``, and those
    that wait for a yes, with keys such as ``approval`` or ``parameters.base_url``.
    """
    accepted: dict[str, Any] = {}
    held: dict[str, Any] = {}
    for key, value in theirs.items():
        if key == "parameters":
            accepted[key] = {name: each for name, each in value.items() if name in _HARMLESS_PARAMETERS}
            held.update((f"{key}.{name}", each) for name, each in value.items() if name not in accepted[key])
        else:
            (accepted if _may(key, value, own) else held)[key] = value
    return accepted, held


def _may(key: str, value: Any, own: Mapping[str, Any]) -> bool:
    if key in ("theme", "ascii", "motion") or value == own.get(key):
        return True
    if key == "model":
        return bool(value == "offline")  # any other sends the conversation somewhere
    if key == "approval":
        users = own.get(key, "careful")
        # a policy of the user's own may deny what any word lets through, so no word is stricter for sure
        return value in APPROVALS and users in APPROVALS and _strictness(value) >= _strictness(users)
    if key in ("max_cost", "max_turn_tokens"):
        return own.get(key) is None or (value is not None and value <= own[key])
    return False


def _strictness(word: str) -> int:
    return APPROVALS.index(word)
