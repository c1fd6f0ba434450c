"""What Workbench's own files have to complain about becomes a notice in the conversation."""

from __future__ import annotations

import logging
import time
from typing import Final

from workbench.tui import events
from workbench.tui.events import Post

_LOGGERS: Final = ("workbench.storage", "workbench.toolbox.project_grants")


class LogNotices(logging.Handler):
    """Posts a ``Notice`` for each warning about sessions, logs and grants that cannot be kept."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._post: Post | None = None

    def attach(self, post: Post) -> None:
        """Listen from now on."""
        self._post = post
        for name in _LOGGERS:
            logging.getLogger(name).addHandler(self)

    def remove(self) -> None:
        """Listen no more."""
        for name in _LOGGERS:
            logging.getLogger(name).removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Post the record."""
        if self._post is not None:
            title, _, text = record.getMessage().partition(": ")
            self._post(events.Notice("", time.time(), title[:1].upper() + title[1:], text))
