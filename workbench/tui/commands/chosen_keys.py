"""The keys that the person chose instead of those in the command table; one choice for the process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from workbench.tui.commands.command import Command

UNBOUND: Final = "unbound"
"""A key that no keyboard has: what a command without a key is bound to."""

_CHOSEN: Final[dict[str, tuple[str, ...]]] = {}


def choose_keys(chosen: Mapping[str, tuple[str, ...]]) -> None:
    """From now on these commands, by id, are shown with these keys; all others with those of the table."""
    _CHOSEN.clear()
    _CHOSEN.update(chosen)


def with_chosen_keys(rows: Iterable[Command]) -> tuple[Command, ...]:
    """The rows with the keys that hold; one whose keys were taken away has the key ``""``."""
    return tuple(replace(row, keys=_CHOSEN[row.id] or ("",)) if row.id in _CHOSEN else row for row in rows)
