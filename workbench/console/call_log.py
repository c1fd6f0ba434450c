"""Log records of tools, shown on the call that made them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TextIO

from workbench.console.captured import Captured


class CallLog(logging.Handler):
    """Shows log records of tools and libraries on the call that made them: ``WARNING name: text``.

    Records of ``workbench`` itself, and those that a console handler of the user's own shows on the
    call anyway, because it writes to one of ``consoles``, are left out.
    """

    def __init__(self, current: Callable[[], Captured | None], consoles: tuple[object, ...]) -> None:
        super().__init__(logging.INFO)
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        self._current = current
        self.consoles = consoles

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record to the call that runs, if one does."""
        captured = self._current()
        if captured is None or captured.closed or record.name.partition(".")[0] == "workbench":
            return
        if self._shown_anyway(record):
            return
        try:
            captured.write(self.format(record) + "\n")
        except Exception:  # noqa: BLE001 - arguments that do not fit their format are the tool's mistake
            self.handleError(record)

    def _shown_anyway(self, record: logging.LogRecord) -> bool:
        logger: logging.Logger | None = logging.getLogger(record.name)
        while logger is not None:
            for handler in logger.handlers:
                if record.levelno >= handler.level and console_of(handler) in self.consoles:
                    return True
            logger = logger.parent if logger.propagate else None
        return False


def console_of(handler: logging.Handler) -> TextIO | None:
    """The stream that a plain stream handler writes to; None for every other kind."""
    if isinstance(handler, logging.StreamHandler) and not isinstance(handler, logging.FileHandler):
        stream: TextIO = handler.stream
        return stream
    return None
