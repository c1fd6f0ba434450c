"""Where the text goes that a tool or hook prints: a port, unused in a script."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol


class CapturedOutput(Protocol):
    """What one call has written so far, to stdout, stderr, file descriptors or the log."""

    @property
    def text(self) -> str:
        """Everything so far; may be read while the call still runs."""
        ...


class OutputCapture(Protocol):
    """Brackets each call, on the thread and in the context in which the call runs."""

    def bracket(self, call_id: str) -> AbstractContextManager[CapturedOutput]:
        """While it is open, what this thread and context print belongs to ``call_id``."""
        ...
