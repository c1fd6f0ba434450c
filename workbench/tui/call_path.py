"""Where a call is from, in words: agents within each other, and the tools between them."""

from __future__ import annotations

from collections.abc import Sequence


def path_text(origin: Sequence[str], agent: str) -> str:
    """``outer › tool › inner``; a tool that is the agent that it asks is named once.

    ``origin`` has an agent and its tool by turns, from the outermost on.
    """
    names = [*origin, agent]
    return " › ".join(
        name for at, name in enumerate(names) if at % 2 == 0 or at + 1 == len(names) or name != names[at + 1]
    )
