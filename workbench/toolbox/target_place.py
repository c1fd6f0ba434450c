"""Where a target is and what it names there, told without importing anything."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def split_target(target: str) -> tuple[Path, str | None]:
    """``place:name`` taken apart; a path that exists as it is has no name."""
    if not Path(target).exists():
        place, colon, name = target.rpartition(":")
        if colon and place and name.replace(".", "").isidentifier():
            return Path(place), name
    return Path(target), None


def neighbours(place: Path) -> list[str]:
    """The paths beside a place, written as it is; those here where its folder does not exist."""
    beside = place.parent if place.parent.is_dir() else Path()
    return [str(beside / each.name) for each in beside.iterdir()]


def may_be_module(place: Path) -> bool:
    """Whether the import system has something of this name; nothing is imported."""
    name = str(place)
    if place.suffix == ".py" or not all(part.isidentifier() for part in name.split(".")):
        return False
    first = name.partition(".")[0]
    return Path(first).is_dir() or Path(f"{first}.py").is_file() or find_spec(first) is not None
