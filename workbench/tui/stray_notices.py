"""What code prints outside of every call, as when a file loads or a tool is switched, becomes notices."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from workbench.tui import events
from workbench.tui.events import Post

_LINES: Final = 20
"""Lines of one notice; those before them are only counted."""

_SOON: Final = 0.3
_LATEST: Final = 30.0
"""Seconds that lines are gathered for: twice as long each time, while there is no end of them."""


class StrayNotices(logging.Handler):
    """Posts what the logger ``workbench.screen`` is told, gathered for a moment.

    ``later`` makes a timer of seconds and a function.
    """

    def __init__(
        self, later: Callable[[float, Callable[[], None]], threading.Timer] = threading.Timer
    ) -> None:
        super().__init__(logging.INFO)
        self._logger = logging.getLogger("workbench.screen")
        self._later = later
        self._post: Post | None = None
        self._before = self._logger.level
        self._gathered: deque[str] = deque(maxlen=_LINES)
        self._count = 0
        self._wait = _SOON
        self._timer: threading.Timer | None = None

    def attach(self, post: Post) -> None:
        """Listen from now on."""
        self._post = post
        self._logger.setLevel(logging.INFO)
        self._logger.addHandler(self)

    def remove(self) -> None:
        """Listen no more."""
        self._logger.removeHandler(self)
        self._logger.setLevel(self._before)
        if self._timer is not None:
            self._timer.cancel()

    def emit(self, record: logging.LogRecord) -> None:
        """Gather a line."""
        self._gathered.append(record.getMessage())
        self._count += 1
        if self._timer is None:
            self._timer = self._later(self._wait, self._tell)
            self._timer.daemon = True
            self._timer.start()

    def _tell(self) -> None:
        self.acquire()
        try:
            lines, more = list(self._gathered), self._count - len(self._gathered)
            self._gathered.clear()
            self._count, self._timer = 0, None
            self._wait = min(self._wait * 2, _LATEST) if more else _SOON
        finally:
            self.release()
        if more:
            lines.insert(0, f"… {more:,} line{'s' * (more > 1)} before")
        if self._post is not None:
            self._post(events.Notice("", time.time(), _TITLE, "\n".join(lines), "", "muted"))


_TITLE: Final = "Printed outside of every call"
