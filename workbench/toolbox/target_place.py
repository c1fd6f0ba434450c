"""Where a target is and what it names there, told by its text alone."""

from __future__ import annotations

from pathlib import Path


def split_target(target: str) -> tuple[Path, str | None]:
    """``place:name`` taken apart; a path that exists as it is has no name."""
    if not Path(target).exists():
        place, colon, name = target.rpartition(":")
        if colon and place and name.replace(".", "").isidentifier():
            return Path(place), name
    return Path(target), None
