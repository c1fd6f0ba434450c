"""The versions of tools that this session has seen: what a tool was when a call ran, and what it is now."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbench.registry import Tool


@dataclass(frozen=True, slots=True)
class ToolVersion:
    """A tool as it was from ``at`` (Unix seconds) on; ``number`` counts from 1.

    ``code_hash``, ``file`` and ``line`` are empty, or 0, where the tool has no Python code. ``helper``: it
    is as before itself, but code that it uses is not.
    """

    number: int
    at: float
    code_hash: str
    file: str
    line: int
    description: str
    parameters: Mapping[str, Any]
    helper: bool = False


class ToolHistory:
    """One short list of versions a tool; what a tool is like is kept once, not with each call."""

    def __init__(self) -> None:
        self._versions: dict[str, list[ToolVersion]] = {}
        self._broken: dict[str, str] = {}

    def note(self, tool: Tool, at: float, *, renewed: bool = False) -> bool:
        """Note what a tool is like from now on; True if that is another version than before.

        ``renewed``: it is said to be one, so if it looks the same, code that it uses has changed.
        """
        versions = self._versions.setdefault(tool.name, [])
        source = tool.metadata
        now = ToolVersion(
            len(versions) + 1,
            at,
            source.code_hash or "",
            str(source.source_file or ""),
            source.source_line or 0,
            tool.description,
            tool.parameters,
        )
        if versions and _alike(versions[-1], now):
            if not renewed:
                return False
            now = replace(now, helper=True)
        versions.append(now)
        return len(versions) > 1

    def note_broken(self, path: str, where: str) -> None:
        """A file, as it is now, does not load; ``where`` is ``line 3``, for example."""
        self._broken[path] = where

    def note_mended(self, name: str) -> None:
        """The files of that name load again."""
        self._broken = {path: where for path, where in self._broken.items() if Path(path).name != name}

    def broken(self, tool: str) -> str | None:
        """Where the file of a tool does not load, as it is now; None: it does."""
        now = self.now(tool)
        return self._broken.get(now.file) if now is not None and now.file else None

    def now(self, tool: str) -> ToolVersion | None:
        """The newest version."""
        versions = self._versions.get(tool)
        return versions[-1] if versions else None

    def at(self, tool: str, when: float) -> ToolVersion | None:
        """The version that was in use at a time; the first one for a time before it."""
        versions = self._versions.get(tool, [])
        place = bisect_right(versions, when, key=lambda version: version.at)
        return versions[max(0, place - 1)] if versions else None


def _alike(old: ToolVersion, new: ToolVersion) -> bool:
    return (old.code_hash, old.description, old.parameters) == (
        new.code_hash,
        new.description,
        new.parameters,
    )
