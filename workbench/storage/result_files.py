"""Results that are too long for the model, whole, each in a file of its own; the newest are kept."""

from __future__ import annotations

import logging
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from workbench.storage import file_hold, private_file
from workbench.storage.journal import journal_path
from workbench.storage.masking import Masker

logger = logging.getLogger(__name__)

MOST_FILES: Final = 500
MOST_BYTES: Final = 500 * 1024 * 1024

_LONGEST_NAME: Final = 40
_YOUNG: Final = 3600  # seconds in which the call of a result is surely on record
_NAMED: Final = re.compile(rb"results/(\d{8}T\d{6}Z)_")
_CHUNK: Final = 1024 * 1024
_OVERLAP: Final = 32  # bytes; more than what _NAMED finds


class ResultFiles:
    """Writes ``<root>/.workbench/results/<UTC time>_<tool>.txt``, readable by its owner only.

    ``root`` is by default the current folder. Secrets are masked, as in the logs.
    """

    def __init__(
        self,
        root: str | Path | None = None,
        *,
        mask: Masker | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._root = Path.cwd() if root is None else Path(root)
        self._mask = Masker() if mask is None else mask
        self._clock = clock
        self._tidied = False

    def __call__(self, tool: str, text: str) -> str:
        """Keep the text; the path of its file, from the current folder where it lies below that.

        Raises:
            OSError: when it cannot be written; then there is no file.
        """
        folder = private_file.private_folder(self._root / ".workbench" / "results")
        moment = datetime.fromtimestamp(self._clock(), UTC).strftime("%Y%m%dT%H%M%SZ")
        stem = f"{moment}_{private_file.file_safe(tool)[:_LONGEST_NAME]}"
        path, descriptor = private_file.create_new(folder, stem, ".txt", lambda taken: taken)
        try:
            private_file.append(descriptor, self._mask(text).encode("utf-8", "surrogatepass"))
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        finally:
            os.close(descriptor)
        if not self._tidied:
            self._tidied = True
            self._tidy()
        path = path.absolute()
        return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)

    def _tidy(self) -> None:
        try:
            tidy_results(self._root, now=self._clock())
        except OSError as error:  # the new one is kept all the same
            logger.warning("older results could not be removed: %s", error)


def tidy_results(root: Path, *, now: float | None = None) -> int:
    """Remove the oldest results where they are more than 500 files or 500 MB together; how many went.

    What a running session tells of stays, and whatever is younger than an hour. ``now`` in Unix seconds.
    """
    now = time.time() if now is None else now
    found = sorted(_results(root / ".workbench" / "results"), reverse=True)
    total = 0
    surplus: list[Path] = []
    for number, (written, size, path) in enumerate(found, 1):
        total += size
        if (number > MOST_FILES or total > MOST_BYTES) and written < now - _YOUNG:
            surplus.append(path)
    in_use = _moments_in_use(root / ".workbench" / "sessions") if surplus else set()
    gone = [path for path in surplus if path.name.partition("_")[0] not in in_use]
    for path in gone:
        path.unlink(missing_ok=True)
    return len(gone)


def _results(folder: Path) -> Iterator[tuple[float, int, Path]]:
    """When each was written, its size in bytes, and where it is."""
    if not folder.is_dir() or folder.is_symlink() or folder.parent.is_symlink():
        return
    for path in folder.glob("*.txt"):
        try:
            about = path.lstat()
        except FileNotFoundError:
            continue
        if stat.S_ISREG(about.st_mode):
            yield about.st_mtime, about.st_size, path


def _moments_in_use(sessions: Path) -> set[str]:
    """The times in the names of all results that running sessions tell of."""
    found: set[str] = set()
    for path in sessions.glob("*.yaml"):
        try:
            if _is_plain(path) and file_hold.is_held(path):
                found.update(_moments(path))
                found.update(_moments(journal_path(path)))
        except FileNotFoundError:
            continue
    return found


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _moments(path: Path) -> Iterator[str]:
    if not _is_plain(path):
        return
    with path.open("rb") as file:
        rest = b""
        while chunk := file.read(_CHUNK):
            data = rest + chunk
            yield from (found[1].decode() for found in _NAMED.finditer(data))
            rest = data[-_OVERLAP:]
