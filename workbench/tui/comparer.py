"""Compares both runs of calls that ran again, the long ones off the screen's loop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError
from functools import partial

from workbench.tui.comparison import AT_ONCE, compare
from workbench.tui.matching import never
from workbench.tui.rerun import Compared, Rerun

Do = Callable[[str, Callable[[], object]], object]
"""Has a job done off the loop, after the jobs before it; the text names it where it fails."""

Later = Callable[[Callable[[], object]], object]
"""Has something done on the loop, from any thread."""


class Comparer:
    """Fills in what the runs of ``begin`` differ in; ``news`` is told of each that was not short."""

    def __init__(self, do: Do, later: Later, news: Callable[[], object]) -> None:
        self._do = do
        self._later = later
        self._news = news
        self._open: dict[Rerun, threading.Event] = {}

    def begin(self, runs: Iterable[Rerun]) -> None:
        """Compare those that ended and are not compared yet."""
        for run in runs:
            if run.data is None or run.found is not None or run.comparing != "not yet":
                continue
            if _size(run) <= AT_ONCE:
                run.found = _compared(run, never)
                continue
            run.comparing = "now"
            self._open[run] = stop = threading.Event()
            self._do("compare two results", partial(self._work, run, stop))

    def stop(self, runs: Iterable[Rerun]) -> None:
        """Compare these no further, until ``take_up``."""
        for run in runs:
            stop = self._open.pop(run, None)
            if stop is not None:
                stop.set()
                run.comparing = "stopped"

    def take_up(self, runs: Iterable[Rerun]) -> None:
        """Compare these after all."""
        for run in runs:
            if run.comparing == "stopped":
                run.comparing = "not yet"
            self.begin([run])

    def _work(self, run: Rerun, stop: threading.Event) -> None:
        try:
            found = _compared(run, stop.is_set)
        except CancelledError:
            return
        except BaseException:
            self._later(partial(self.stop, [run]))
            raise
        self._later(partial(self._done, run, found, stop))

    def _done(self, run: Rerun, found: Compared, stop: threading.Event) -> None:
        if self._open.get(run) is stop:
            del self._open[run]
            run.found, run.comparing = found, "not yet"
            self._news()


def _size(run: Rerun) -> int:
    texts = (*run.results, str(run.old.get("output") or ""), str((run.data or {}).get("output") or ""))
    return sum(map(len, texts)) + len(run.given[0]) + len(run.given[1])


def _compared(run: Rerun, stopped: Callable[[], bool]) -> Compared:
    return Compared(*(compare(*both, stopped) for both in (run.given, run.results, run.outputs)))
