"""Runs calls by hand on the agent's thread, and follows what becomes of them."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import groupby

from workbench.engine.agent import Agent
from workbench.engine.by_hand import HandCall
from workbench.tui import events
from workbench.tui.error_texts import error_texts
from workbench.tui.rerun import HandRun

_log = logging.getLogger("workbench.lab")

Do = Callable[[Callable[[Agent], object]], None]
"""Has a job done with the agent, after the jobs before it."""

Lend = Callable[[int], AbstractContextManager[Agent]]
"""Within a job: the agent inside a tool that has this number, 0 for the one that the person talks to."""


class HandRuns:
    """``check`` takes in what was saved of the tools since; it is called just before calls run."""

    def __init__(
        self, do: Do, lend: Lend, check: Callable[[], object], post: Callable[[events.AgentEvent], None]
    ) -> None:
        self._do = do
        self._lend = lend
        self._check = check
        self._post = post
        self._open: dict[str, HandRun] = {}
        self._waiting: set[str] = set()
        self._lock = threading.Lock()

    def begin(self, runs: Sequence[HandRun]) -> None:
        """Run those of one agent as one batch, once it has time; news of them comes with ``take_in``."""
        calls = [HandCall(run.tool, run.arguments, run.again_of) for run in runs]
        for run, call in zip(runs, calls, strict=True):
            run.call_id = call.id
            self._open[call.id] = run
        with self._lock:
            self._waiting.update(call.id for call in calls)
        pairs = zip(runs, calls, strict=True)
        for guest, group in groupby(pairs, key=lambda pair: pair[0].guest):
            self._do(partial(self._run, [call for _, call in group], guest))

    def take_back(self, run: HandRun) -> bool:
        """Let a run that waits not begin at all; False if the agent has it already."""
        with self._lock:
            if run.call_id not in self._waiting:
                return False
            self._waiting.remove(run.call_id)
        self._open.pop(run.call_id, None)
        run.state = "ended"
        return True

    def _run(self, calls: Sequence[HandCall], guest: int, agent: Agent) -> None:
        with self._lock:
            left = [call for call in calls if call.id in self._waiting]
            self._waiting.difference_update(call.id for call in calls)
        try:
            if left:
                self._check()
                with self._lend(guest) as one:
                    one.run_tools(left)
        except Exception as error:  # noqa: BLE001  # the top of a worker: told to the person
            _log.warning("calls by hand failed", exc_info=error)
            title = "The calls ended early"
            self._post(events.Notice(agent.name, time.time(), title, *error_texts(error), tone="error"))
        finally:
            ids = tuple(call.id for call in calls)
            self._post(events.HandRunsOver(agent.name, time.time(), ids))

    def take_in(self, batch: Sequence[events.AgentEvent]) -> bool:
        """Follow the runs; True if there is news of any."""
        news = False
        for event in batch:
            match event:
                case events.ToolStarted() if event.call_id in self._open:
                    run = self._open[event.call_id]
                    run.state, run.began = "running", event.at
                    news = True
                case events.ToolFinished() if str(event.entry.get("call_id")) in self._open:
                    run = self._open.pop(str(event.entry["call_id"]))
                    run.state, run.data = "ended", event.entry
                    news = True
                case events.HandRunsOver():
                    for call_id in event.calls:
                        if (left := self._open.pop(call_id, None)) is not None:
                            left.state = "ended"
                    news = True
                case _:
                    pass
        return news
