"""What all logs on disk have: a root folder, a mask, a clock and a lock."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import RLock

from workbench.engine.observer import Observer
from workbench.storage.masking import Masker
from workbench.storage.private_file import private_folder


class FileLog(Observer):
    """An observer that writes below ``<root>/.workbench`` (``root``: default the current folder).

    ``mask`` covers secrets; logs of one agent may share it, so that a large text is searched once.
    ``clock`` tells Unix seconds.
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
        self._lock = RLock()

    def _folder(self, kind: str) -> Path:
        """The folder of this kind of log, created if need be. Raises ``OSError``."""
        return private_folder(self._root / ".workbench" / kind)
