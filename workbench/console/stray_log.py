"""Text that belongs to no call, as records of the log."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Final

_LONGEST_LINE: Final = 8_000

Stray = Callable[[str], None]
"""Takes text that belongs to no call, in pieces of any size."""


class StrayLog:
    """Logs text of no call line by line, as ``workbench.screen`` at INFO.

    The records reach handlers of that logger and of ``workbench``, never those of the root: a root
    handler may write to a stream whose text is stray again. What a handler writes meanwhile is dropped.
    """

    def __init__(self) -> None:
        self._logger = logging.getLogger("workbench.screen")
        self._logger.propagate = False
        if not any(isinstance(handler, _ToWorkbench) for handler in self._logger.handlers):
            self._logger.addHandler(_ToWorkbench())
        self._lock = threading.RLock()
        self._rest = ""
        self._busy = threading.local()

    def __call__(self, text: str) -> None:
        if getattr(self._busy, "now", False):
            return
        with self._lock:
            *lines, self._rest = (self._rest + text).split("\n")
            if len(self._rest) > _LONGEST_LINE:
                lines.append(self._rest)
                self._rest = ""
        self._log(lines)

    def flush(self) -> None:
        """Log a last line that has no end."""
        with self._lock:
            line, self._rest = self._rest, ""
        self._log([line])

    def _log(self, lines: list[str]) -> None:
        self._busy.now = True
        try:
            for line in lines:
                if line:
                    self._logger.info("%s", line)
        finally:
            self._busy.now = False


class _ToWorkbench(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        for handler in logging.getLogger("workbench").handlers:
            if record.levelno >= handler.level:
                handler.handle(record)
