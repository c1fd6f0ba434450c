"""The files of a project that a message may name: what git knows and does not ignore, else a walk."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

MOST_FILES: Final = 100_000
"""So many files are offered; a folder that holds more shows the first ones."""

_SECONDS: Final = 20
_DEEPEST: Final = 24
_SKIPPED: Final = frozenset(("node_modules", "__pycache__", "venv", "site-packages", "target", "dist"))
# a project's own git settings may name programs to start
_QUIET_GIT: Final = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")


def project_files(root: Path) -> list[str]:
    """The files below ``root`` as paths from there, shallow ones first; hidden ones are left out.

    Blocks as long as git or the disk take; never on the screen's loop. A folder that cannot be read has
    no files.
    """
    listed = _of_git(root)
    found = listed if listed is not None else list(_walked(root))
    return sorted(found, key=lambda path: (path.count("/"), path))


def _of_git(root: Path) -> list[str] | None:
    """What git lists; None where there is no git, or no repository that holds ``root``."""
    command = [*_QUIET_GIT, "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", "."]
    try:
        ended = subprocess.run(  # noqa: S603  # fixed words, found on the person's own path
            command,
            cwd=root,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if ended.returncode != 0:
        return None
    listed = dict.fromkeys(os.fsdecode(path) for path in ended.stdout.split(b"\0") if path)
    shown = [path for path in listed if not _hidden(path)][:MOST_FILES]
    # the index still names files that are gone
    return [path for path in shown if os.path.lexists(root / path)]


def _walked(root: Path) -> Iterator[str]:
    left = MOST_FILES
    for folder, folders, files in os.walk(root):
        inside = os.path.relpath(folder, root)
        depth = 0 if inside == "." else inside.count(os.sep) + 1
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in _SKIPPED and depth < _DEEPEST
        )
        for name in sorted(files):
            if name.startswith("."):
                continue
            if left == 0:
                return
            left -= 1
            yield name if inside == "." else f"{inside}/{name}"


def _hidden(path: str) -> bool:
    return path.startswith(".") or "/." in path
