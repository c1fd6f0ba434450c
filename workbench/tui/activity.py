"""What is going on right now, told from the stream of events."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.tui import events
from workbench.tui.panels.status import Activity
from workbench.tui.render import count_text
from workbench.visible import visible_line

_CHARACTERS_PER_TOKEN = 4


class ActivityTracker:
    """Feed it every event; ``activity(now)`` is what the line above the prompt shows.

    ``agentless``: the agent could not be built, and is not there yet.
    """

    def __init__(self) -> None:
        self.loading = "starting"
        self.agentless = False
        self.turn_running = False
        self.stopping = False
        self._since = 0.0
        self._model_since: float | None = None
        self._first_text: float | None = None
        self._characters = 0
        self._status = ""
        self._waiting: tuple[str, ...] = ()
        self._paused = ""
        self._wait_since = 0.0
        self._running: dict[str, tuple[str, float]] = {}

    @property
    def busy(self) -> bool:
        """True while the agent is being built or a turn runs."""
        return bool(self.loading) or self.turn_running

    @property
    def ready(self) -> bool:
        """True while a turn could begin."""
        return not (self.busy or self.agentless)

    @property
    def waiting(self) -> bool:
        """True while a person is asked to decide."""
        return bool(self._waiting)

    def apply(self, batch: Sequence[events.AgentEvent]) -> None:
        """Take in what happened."""
        a_person = events.WaitStarted, events.WaitFinished, events.PauseStarted, events.PauseFinished
        for event in batch:
            if event.inner and not isinstance(event, a_person):
                continue  # the outer agent's call says it
            match event:
                case events.LoadProgress():
                    self.loading = f"loading {visible_line(event.at_work)}".rstrip()
                case events.AgentReady() | events.AgentFailed():
                    self.loading, self.agentless = "", isinstance(event, events.AgentFailed)
                case events.AgentAwaited():
                    self.loading = "starting"
                case events.TurnStarted() | events.ByHandStarted():
                    self.turn_running = True
                case events.ModelStarted():
                    self._model_since, self._first_text = event.at, None
                    self._characters, self._status = 0, ""
                case events.CompactStarted():
                    self.turn_running = True
                    self._model_since, self._first_text = event.at, None
                    self._status = "summing up"
                case events.ModelDelta():
                    self._delta(event)
                case events.ModelFinished():
                    self._model_since = None
                case events.WaitStarted():
                    self._waiting, self._wait_since = event.calls, event.at
                case events.WaitFinished():
                    self._waiting = ()
                case events.PauseStarted():
                    self._paused, self._wait_since = f"{event.when} {visible_line(event.name)}", event.at
                case events.PauseFinished():
                    self._paused = ""
                case events.ToolStarted():
                    self._running[event.call_id] = (visible_line(event.name), event.at)
                case events.ToolFinished():
                    self._running.pop(str(event.entry.get("call_id")), None)
                case events.TurnFinished() | events.ByHandFinished() | events.SessionReset():
                    self._end()
                case _:
                    pass

    def _delta(self, event: events.ModelDelta) -> None:
        if event.kind == "status":
            self._status = visible_line(event.text)
            return
        self._status = ""
        if self._first_text is None:
            self._first_text = event.at
        self._characters += len(event.text)

    def _end(self) -> None:
        self.turn_running = self.stopping = False
        self._model_since = None
        self._waiting, self._paused = (), ""
        self._running.clear()

    def activity(self, now: float) -> Activity | None:
        """What to show at ``now`` (Unix seconds), or None when nothing is going on."""
        if self.loading:
            return Activity("●", "accent", self.loading, stoppable=False)
        if self.stopping:
            return Activity("●", "warning", "stopping", stoppable=False)
        if self._waiting:
            calls = len(self._waiting)
            details = (f"{calls} call{'s' * (calls > 1)} to decide",)
            return Activity("◇", "warning", "waiting for you", details, self._wait_since)
        if self._paused:
            return Activity("◇", "warning", "paused", (self._paused,), self._wait_since)
        if self._running:
            name, since = next(iter(self._running.values()))
            more = (f"and {len(self._running) - 1} more",) if len(self._running) > 1 else ()
            return Activity("●", "accent", f"running {name}", more, since)
        if self._model_since is not None:
            return self._model_activity(now)
        if self.turn_running:
            return Activity("●", "accent", "working")
        return None

    def _model_activity(self, now: float) -> Activity:
        if self._status:
            return Activity("●", "accent", self._status, (), self._model_since)
        if self._first_text is None:
            return Activity("●", "accent", "waiting for the model", (), self._model_since)
        tokens = self._characters // _CHARACTERS_PER_TOKEN
        details = [f"{count_text(tokens)} tok"]
        streaming = now - self._first_text
        if streaming >= 1 and tokens:
            details.append(f"{tokens / streaming:.0f} tok/s")
        return Activity("●", "accent", "answering", tuple(details), self._model_since)
