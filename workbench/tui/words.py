"""Facts that more than one place says in the same words."""

from __future__ import annotations

from collections.abc import Iterable


def times_text(times: int | None) -> str:
    """How often a fault is still to come, for people."""
    return {None: "always", 1: "once"}.get(times, f"{times} times")


def count_words(count: int, noun: str) -> str:
    """A number with its noun: ``1 tool``, ``1,200 tools``."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def no_tool_words(name: str, known: Iterable[str]) -> str:
    """That there is no such tool, and which are near."""
    from workbench.registry.names import near_names  # with the registry, which the first frame does without

    near = near_names(name, known)
    return f"There is no tool {name}." + (f" Near it: {', '.join(near)}." if near else "")


def missing_key_words(variables: tuple[str, ...]) -> str:
    """What to do about it."""
    return f"Put {' or '.join(variables)} into the environment or .env, or choose another with /model."


def ago(seconds: float) -> str:
    """How long ago something was, for people: ``just now``, ``5 min ago``, ``2 h ago``, ``3 days ago``."""
    minutes = int(max(0.0, seconds) // 60)
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes} min ago"
    hours = minutes // 60
    if hours < 24:
        return f"{hours} h ago"
    days = hours // 24
    return f"{days} days ago" if days > 1 else "1 day ago"
