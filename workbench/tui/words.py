"""Facts that more than one place says in the same words."""

from __future__ import annotations


def times_text(times: int | None) -> str:
    """How often a fault is still to come, for people."""
    return {None: "always", 1: "once"}.get(times, f"{times} times")


def missing_key_words(variables: tuple[str, ...]) -> str:
    """What to do about it."""
    return f"Put {' or '.join(variables)} into the environment or .env, or choose another with /model."
