"""Making the conversation short: ``/compact``."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

from workbench.engine.agent import Agent
from workbench.engine.observer import TurnStatus
from workbench.errors import ProviderError, StopTurn, WorkbenchError
from workbench.tui import events
from workbench.tui.desk import Doers
from workbench.tui.facts import usage_event

Do = Callable[[Callable[[Agent], object]], None]
"""Runs a job with the agent, on its thread, between turns."""

_KEEP = 2


class CompactDesk:
    """Has the older turns summed up on the agent's thread; for the screen that is as a turn, with a stop."""

    def __init__(self, do: Do, post: Callable[[events.AgentEvent], None]) -> None:
        self._do = do
        self._post = post

    def doers(self) -> Doers:
        """``/compact``."""
        return {"app.compact": self._compact}

    def take_in(self, batch: Sequence[events.AgentEvent]) -> None:
        """Nothing to follow: the summary is told as any entry of the trace."""

    def _compact(self, words: str) -> None:
        if words and not words.isdecimal():
            self._say(f"{words!r} is no number of turns", "/compact 1 keeps the last turn as it is.")
            return
        self._do(partial(self._run, int(words) if words else _KEEP))

    def _run(self, keep: int, agent: Agent) -> None:
        begin = time.time()
        self._post(events.CompactStarted(agent.name, begin))
        status: TurnStatus = "success"
        result = error = hint = ""
        try:
            agent.compact(keep)
        except StopTurn:
            status, result = "stopped", "The conversation is as it was."
        except ProviderError as failed:
            status, error, hint = "error", f"Nothing was summed up. {failed}", failed.hint
        except WorkbenchError as refused:
            self._say(str(refused), refused.hint)
        self._post(usage_event(agent))
        now = time.time()
        ms = (now - begin) * 1000
        self._post(events.TurnFinished(agent.name, now, 0, status, ms, 0.0, result, error, hint))

    def _say(self, title: str, hint: str) -> None:
        self._post(events.Notice("", time.time(), title, "", hint))
