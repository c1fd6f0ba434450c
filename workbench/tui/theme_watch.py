"""Follows theme files on disk, on a thread of its own, so that a saved theme is seen at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from workbench.errors import ConfigError
from workbench.tui import events
from workbench.tui.themes import complaint, load_theme

SECONDS: Final = 0.5
"""How often the files are looked at: a dozen ``stat`` calls each time."""

_Signature = tuple[int, int, int]


class ThemeWatch:
    """Posts ``ThemeSaved`` for each theme file that is new or changed, and a notice for one with a fault.

    A file that cannot be used changes nothing but this. What is there at ``start`` counts as seen.
    """

    def __init__(self, folders: Iterable[Path], post: Callable[[events.AgentEvent], None]) -> None:
        self._folders = tuple(folders)
        self._post = post
        self._seen: dict[Path, _Signature] = {}
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="workbench-themes", daemon=True)

    def start(self) -> None:
        """Look from now on."""
        self._seen = self._look()
        self._thread.start()

    def close(self) -> None:
        """Look no more."""
        self._end.set()

    def check(self) -> None:
        """Tell what changed since the last look."""
        before, self._seen = self._seen, self._look()
        for path, signature in self._seen.items():
            if before.get(path) != signature:
                self._tell(path)

    def _run(self) -> None:
        while not self._end.wait(SECONDS):
            self.check()

    def _tell(self, path: Path) -> None:
        try:
            palette = load_theme(path)
        except ConfigError as error:
            self._complain(error)
            return
        self._post(events.ThemeSaved("", time.time(), palette))
        if (fault := complaint(palette)) is not None:
            self._complain(fault)

    def _complain(self, error: ConfigError) -> None:
        self._post(events.Notice("", time.time(), str(error), "", error.hint))

    def _look(self) -> dict[Path, _Signature]:
        found: dict[Path, _Signature] = {}
        for folder in self._folders:
            for path in sorted(folder.glob("*.yaml")):
                try:
                    facts = path.stat()
                except OSError:
                    continue  # an editor is replacing it: the next look finds it
                if facts.st_size:
                    found[path] = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
        return found
