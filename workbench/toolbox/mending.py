"""What it takes to try a failed start again: seeing that files were saved, and reading all of them anew."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

from workbench.toolbox.module_graph import is_own_file, own_modules
from workbench.toolbox.tool_files import ImportFailedError, import_lock, put_back
from workbench.toolbox.tool_imports import PACKAGES, finder

_KINDS: Final = frozenset({".py", ".yaml", ".yml", ".json", ".toml", ".env"})
"""Endings of files that may keep an agent from being built."""

_Signature: TypeAlias = dict[Path, tuple[int, int, int]]


class Mending:
    """Watches what a start depends on, once it has failed with ``error``.

    That is the project's ``folder``, the folders of its own files that the error came through, and the file
    that could not be loaded. Nothing below these folders is looked at.
    """

    def __init__(self, error: BaseException, folder: Path) -> None:
        self._folders = {folder, *(path.parent for path in _files_of(error, folder))}
        self._seen = self._suspect = self._signature()

    def saved(self) -> bool:
        """Whether a file differs from when it was last said so, and no longer than the last look.

        So a file is left alone while an editor is writing it. To be asked about twice a second.
        """
        now = self._signature()
        settled = now == self._suspect
        self._suspect = now
        if now == self._seen or not settled:
            return False
        self._seen = now
        return True

    def _signature(self) -> _Signature:
        found: _Signature = {}
        for folder in self._folders:
            try:
                for path in folder.iterdir():
                    if path.suffix in _KINDS or path.name == ".env":
                        facts = path.stat()
                        found[path] = (facts.st_ino, facts.st_mtime_ns, facts.st_size)
            except OSError:  # gone at this moment: that differs from being there
                continue
        return found


def forget_project(folder: Path) -> None:
    """Have the project's own modules imported anew, from their files as they are now.

    For a time when nothing that was made of them is in use.
    """
    with import_lock:
        loaded = list(sys.modules)
        names = {name for name in own_modules(loaded, folder) if name != "__main__"}
        names.update(name for name in loaded if name.startswith(PACKAGES))
        for name in names:
            put_back(name, None)
        finder.enter(name for name in names if not name.startswith(PACKAGES))


def _files_of(error: BaseException, folder: Path) -> Iterator[Path]:
    """The files that the error, or what caused it, came through, as far as they are the project's own."""
    waiting: list[BaseException | None] = [error]
    known: set[int] = set()
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in known:
            continue
        known.add(id(each))
        waiting += [each.__cause__, each.__context__]
        if isinstance(each, ImportFailedError):
            yield each.failure.path
        for frame, _ in traceback.walk_tb(each.__traceback__):
            path = Path(frame.f_code.co_filename)
            if is_own_file(path, folder):
                yield path
