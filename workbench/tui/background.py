"""Small jobs that the screen must not wait for, one after the other, off its loop."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable

from workbench.tui import events
from workbench.tui.error_texts import error_texts

_log = logging.getLogger("workbench.background")


class Background:
    """Runs jobs in the order given on a daemon thread; a job that fails is told as a notice."""

    def __init__(self, post: Callable[[events.AgentEvent], None]) -> None:
        self._post = post
        self._jobs: queue.SimpleQueue[tuple[str, Callable[[], object]]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def do(self, what: str, job: Callable[[], object]) -> None:
        """Run ``job`` soon. ``what`` names it where it fails: ``Could not {what}``."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="workbench-background", daemon=True)
            self._thread.start()
        self._jobs.put((what, job))

    def settle(self, timeout: float) -> bool:
        """Wait until what was asked for so far is done; False if that takes longer, in seconds."""
        if self._thread is None:
            return True
        done = threading.Event()
        self.do("wait", done.set)
        return done.wait(timeout)

    def _run(self) -> None:
        while True:
            what, job = self._jobs.get()
            try:
                job()
            except Exception as error:  # noqa: BLE001  # the top of a worker: told to the person
                _log.warning("could not %s", what, exc_info=error)
                self._post(events.Notice("", time.time(), f"Could not {what}", *error_texts(error)))
            del job
