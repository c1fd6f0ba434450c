"""How deep lists and objects lie within each other."""

from __future__ import annotations

from typing import Any, Final

DEEPEST: Final = 100
"""Levels up to which a value can be worked with: what goes through one calls itself for each."""


def too_deep(value: Any) -> bool:
    """Whether lists and objects lie within each other deeper than ``DEEPEST`` levels."""
    level = [value]
    for _ in range(DEEPEST):
        inner = [each.values() if isinstance(each, dict) else each for each in level]
        level = [item for items in inner for item in items if isinstance(item, dict | list)]
        if not level:
            return False
    return True
