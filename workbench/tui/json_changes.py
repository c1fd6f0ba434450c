"""What differs between two JSON values, path by path."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final, Literal

from workbench.tui.matching import Watched, never

Kind = Literal["added", "removed", "changed"]

_MOST_ITEMS: Final = 2_000
"""Items in two lists together beyond which they are compared place by place."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. ``path`` is as in Python, ``items[2].price``; empty for the value itself.

    ``old`` is None for something added, ``new`` for something removed.
    """

    kind: Kind
    path: str
    old: Any = None
    new: Any = None


def changes(old: Any, new: Any, path: str = "", stopped: Callable[[], bool] = never) -> Iterator[Change]:
    """The differences in the order of the old value, what was added after it. Types count: 1 is not 1.0.

    Raises CancelledError soon after ``stopped`` turned true while two lists are matched.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _in_objects(old, new, path, stopped)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _in_lists(old, new, path, stopped)
    elif type(old) is not type(new) or old != new:
        yield Change("changed", path, old, new)


def _in_objects(
    old: dict[str, Any], new: dict[str, Any], path: str, stopped: Callable[[], bool]
) -> Iterator[Change]:
    for key, value in old.items():
        if key in new:
            yield from changes(value, new[key], _within(path, key), stopped)
        else:
            yield Change("removed", _within(path, key), value)
    for key, value in new.items():
        if key not in old:
            yield Change("added", _within(path, key), None, value)


def _in_lists(old: list[Any], new: list[Any], path: str, stopped: Callable[[], bool]) -> Iterator[Change]:
    for i1, i2, j1, j2 in _stretches(old, new, stopped):
        both = min(i2 - i1, j2 - j1)
        for at in range(both):
            yield from changes(old[i1 + at], new[j1 + at], f"{path}[{i1 + at}]", stopped)
        for at in range(i1 + both, i2):
            yield Change("removed", f"{path}[{at}]", old[at])
        for at in range(j1 + both, j2):
            yield Change("added", f"{path}[{at}]", None, new[at])


def _stretches(
    old: list[Any], new: list[Any], stopped: Callable[[], bool]
) -> Iterator[tuple[int, int, int, int]]:
    """The stretches of two lists that differ: those that only moved are not among them."""
    if len(old) + len(new) > _MOST_ITEMS:
        yield 0, len(old), 0, len(new)
        return
    before, after = Watched((_text(item) for item in old), stopped), [_text(item) for item in new]
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            yield i1, i2, j1, j2


def _text(item: Any) -> str:
    return json.dumps(item, sort_keys=True)


def _within(path: str, key: str) -> str:
    if not key.isidentifier():
        return f"{path}[{json.dumps(key, ensure_ascii=False)}]"
    return f"{path}.{key}" if path else key
