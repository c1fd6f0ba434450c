"""How long a person was waited for inside a call: its time limit does not count that."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class HumanTime:
    """The time in which at least one person was waited for, by whichever threads; used from all of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open = 0
        self._since = 0.0
        self._before = 0.0

    @property
    def runs(self) -> bool:
        """Whether a person is waited for now."""
        return self._open > 0

    @property
    def seconds(self) -> float:
        """All of it so far, what still runs included."""
        with self._lock:
            return self._before + (time.monotonic() - self._since if self._open else 0.0)

    @contextmanager
    def running(self) -> Iterator[None]:
        """A person is waited for meanwhile."""
        with self._lock:
            self._since = self._since if self._open else time.monotonic()
            self._open += 1
        try:
            yield
        finally:
            with self._lock:
                self._open -= 1
                if not self._open:
                    self._before += time.monotonic() - self._since
