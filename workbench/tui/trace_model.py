"""The trace built from events."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, get_args

from workbench.tui import events
from workbench.tui.clock import Clock
from workbench.tui.outline import Outline, Spliced
from workbench.tui.trace_marks import Marks
from workbench.tui.trace_pauses import Pauses
from workbench.tui.trace_records import FAILED, Entry, Iteration, Mark, Reason, State, Turn
from workbench.tui.trace_texts import TraceTexts
from workbench.tui.trace_waits import Waits
from workbench.visible import visible_line

_STATES: Final[frozenset[str]] = frozenset(get_args(State))
_ACTIVITY: Final[dict[str, str]] = {
    "text": "answering",
    "reasoning": "thinking",
    "tool_call": "asking for tools",
}


class TraceModel:
    """Turns events into records and keeps ``outline``, the rows that are shown.

    ``now`` is in Unix seconds, ``turns`` are the outermost turns, ``flat`` all model calls, waits and
    tool calls in the order in which they came up, ``texts`` what is said in them, ``failures`` the failed
    ones, and the turns that something else than a model call ended. ``times_emptied`` counts how often
    another conversation took the place of all of them. What an event costs does not depend on how long the
    trace is.
    """

    def __init__(self, on_splice: Spliced) -> None:
        self.outline = Outline(on_splice)
        self.entry_count = 0
        self.now = 0.0
        self.failures: list[Entry | Turn] = []
        self.turns: list[Turn] = []
        self.flat: list[Entry] = []
        self.texts = TraceTexts(self.flat)
        self._serial = 0
        self._live: dict[str, Turn] = {}
        self._model_calls: dict[str, Entry] = {}
        self._calls: dict[tuple[str, str], Entry] = {}
        self._waits = Waits(self.outline, self._next, self.flat.append, self._calls, self.texts.changed)
        self._running: dict[int, Entry] = {}
        self._ended: dict[str, dict[object, Entry]] = {}
        self._marks = Marks(self.outline, self._next)
        self._pauses = Pauses(self.outline, self._next, self.flat.append)
        self._in_session = False
        self.times_emptied = 0

    @cached_property
    def _handlers(self) -> dict[type, Callable[[Any], None]]:
        """Who takes which event; made for the first one."""
        return {
            events.TurnStarted: self._turn_started,
            events.ModelStarted: self._model_started,
            events.ModelDelta: self._model_delta,
            events.ModelFinished: self._model_finished,
            events.BatchStarted: self._batch_started,
            events.WaitStarted: self._wait_started,
            events.WaitFinished: self._waits.end,
            events.Waited: self._waited,
            events.PauseStarted: self._pause_started,
            events.PauseFinished: self._pause_finished,
            events.ToolStarted: self._tool_started,
            events.ToolFinished: self._tool_finished,
            events.EntryChanged: self._entry_changed,
            events.TurnFinished: self._turn_finished,
            events.ByHandStarted: self._hand_started,
            events.ByHandFinished: self._turn_finished,
            events.ToolsChanged: self._tools_changed,
            events.Compacted: self._compacted,
            events.Forked: self._forked,
            events.SessionReset: self._session_reset,
        }

    @property
    def live(self) -> bool:
        """Whether a turn is running."""
        return bool(self._live)

    def apply(self, batch: Iterable[events.AgentEvent]) -> bool:
        """Take in what happened; whether any row is another one now. Of a thousand pieces of an answer
        only the first is.
        """
        changed = False
        handlers = self._handlers
        for event in batch:
            handler = handlers.get(type(event))
            if handler is not None:
                if event.at > self.now:
                    self.now = event.at
                changed = changed or not self._goes_on(event)
                handler(event)
        self.texts.keep_up()
        return changed

    def _goes_on(self, event: events.AgentEvent) -> bool:
        """Whether an event only brings more of what is known to be arriving."""
        if not isinstance(event, events.ModelDelta):
            return False
        entry = self._model_calls.get(event.agent)
        return entry is None or (
            entry.first is not None and entry.detail == _ACTIVITY.get(event.kind, event.text)
        )

    def entries(self) -> list[Entry]:
        """All finished model and tool calls, in the order of their rows."""
        return [entry for turn in self.turns for entry in _within(turn) if entry.data]

    def _next(self) -> int:
        self._serial += 1
        return self._serial

    # events

    def _turn_started(self, event: events.TurnStarted) -> None:
        host = self._host(event) if event.inner else None
        prompt = visible_line(" ".join(event.prompt[:2_000].split())[:500])
        clock = Clock(event.at) if host is None else host.turn.clock
        turn = Turn(self._next(), event.turn, visible_line(event.agent), prompt, clock, guest=event.inner)
        turn.guest_number = event.guest
        self._live[event.agent] = turn
        self._ended[event.agent] = {}
        self._in_session = True
        if host is not None:
            turn.start, turn.parent = clock.work(event.at), host
            self.outline.add_guest(turn, host)
            return
        if not turn.guest:
            self._fold_earlier()
        self.turns.append(turn)
        self.outline.append(turn)

    def _hand_started(self, event: events.ByHandStarted) -> None:
        title, agent = visible_line(event.title), visible_line(event.agent)
        turn = Turn(self._next(), event.turn, agent, title, Clock(event.at), by_hand=True)
        turn.guest_number = event.guest
        self._live[event.agent] = turn
        self._in_session = True
        self.turns.append(turn)
        self.outline.append(turn)

    def _host(self, event: events.TurnStarted) -> Entry | None:
        """The call that an inner agent runs within: the one that its events name, else the newest."""
        calls = [call for call in self._running.values() if self._live.get(event.agent) is not call.turn]
        named = [call for call in calls if call.call_id == event.parent_call_id] or calls
        return named[-1] if named else None

    def _fold_earlier(self) -> None:
        """Fold the last turn and those that ran within it; older ones stay as somebody left them."""
        for turn in reversed(self.turns):
            self.outline.fold(turn)
            if not turn.guest:
                break

    def _iteration(self, turn: Turn, number: int, at: float) -> Iteration:
        if turn.iterations and turn.iterations[-1].number == number:
            return turn.iterations[-1]
        start = turn.work(at)
        iteration = Iteration(self._next(), number, turn, start, start)
        self.outline.add_iteration(iteration)
        return iteration

    def _fail(self, entry: Entry, text: str) -> None:
        insort(self.failures, entry, key=lambda failed: failed.serial)
        if text:
            self.outline.add_reason(Reason(self._next(), entry, _first_line(text)))

    def _model_started(self, event: events.ModelStarted) -> None:
        turn = self._live.get(event.agent)
        if turn is None:
            return
        iteration = self._iteration(turn, event.iteration, event.at)
        entry = Entry(self._next(), "llm", iteration, "llm", "running", event.at)
        entry.start = turn.work(event.at)
        entry.detail = visible_line(event.model)
        self._count(entry)
        self._model_calls[event.agent] = entry
        self.outline.add(iteration, [entry])

    def _count(self, entry: Entry) -> None:
        """Count an entry for its turn and those around it."""
        self.entry_count += 1
        self.flat.append(entry)
        around: Entry | None = entry
        while around is not None:
            turn = around.turn
            turn.model_calls += entry.kind == "llm"
            turn.tool_calls += entry.kind == "tool"
            around = turn.parent

    def _model_delta(self, event: events.ModelDelta) -> None:
        entry = self._model_calls.get(event.agent)
        if entry is None:
            return
        if event.kind == "status":
            entry.detail = visible_line(event.text[:200])
            return
        if entry.first is None:
            entry.first = entry.turn.work(event.at)
        entry.detail = _ACTIVITY[event.kind]

    def _model_finished(self, event: events.ModelFinished) -> None:
        entry = self._model_calls.pop(event.agent, None)
        if entry is None:
            return
        status = event.entry.get("status", "success")
        self._keep(event, entry)
        entry.state = status if status in ("error", "cancelled") else "success"
        entry.detail = ""
        self._close(entry, event.at, event.entry.get("duration_ms"))
        if entry.state == "error":
            self._fail(entry, str(event.entry.get("error") or "failed"))

    def _close(self, entry: Entry, at: float, ms: float | None) -> None:
        """An entry that ran has ended. Its own time wins over when the news arrived.

        One that was taken from a record ran in another turn: it took no time of this one.
        """
        if self._replayed in entry.data:
            entry.end, entry.ms, entry.label, entry.hooks = entry.start, None, None, None
            return
        iteration = entry.iteration
        end = iteration.turn.clock.work(at)
        if entry.start is not None:
            if ms is None:
                ms = end - entry.start
            entry.end = end = max(entry.start, min(end, entry.start + ms))
        entry.ms = ms
        iteration.end = max(iteration.end, end)
        entry.label = None

    @cached_property
    def _replayed(self) -> str:
        """What marks such an entry; it comes with the engine, which the first frame does without."""
        from workbench.engine.begun import REPLAYED

        return REPLAYED

    def _batch_started(self, event: events.BatchStarted) -> None:
        turn = self._live.get(event.agent)
        if turn is None:
            return
        iteration = self._iteration(turn, event.iteration, event.at)
        added: list[Entry | Mark] = [
            self._call(event.agent, iteration, call.id, call.name, call.arguments, event.at)
            for call in event.calls
        ]
        self.outline.add(iteration, added)

    def _call(
        self,
        agent: str,
        iteration: Iteration,
        call_id: str,
        name: str,
        arguments: Mapping[str, Any],
        at: float,
    ) -> Entry:
        entry = Entry(
            self._next(), "tool", iteration, visible_line(name), "pending", at, call_id, arguments=arguments
        )
        self._calls[agent, call_id] = entry
        iteration.calls += 1
        self._count(entry)
        return entry

    def _wait_started(self, event: events.WaitStarted) -> None:
        turn = self._live.get(event.agent)
        if turn is not None and turn.iterations:
            self._waits.begin(event, turn.iterations[-1])

    def _waited(self, event: events.Waited) -> None:
        turn = self._live.get(event.agent)
        if turn is not None:
            turn.clock.leave_out(event.duration_ms)

    def _pause_started(self, event: events.PauseStarted) -> None:
        call = self._calls.get((event.agent, event.call_id))
        if call is not None:
            self._pauses.begin(event, call)

    def _pause_finished(self, event: events.PauseFinished) -> None:
        self._pauses.end(event, self._calls.get((event.agent, event.call_id)))

    def _tool_started(self, event: events.ToolStarted) -> None:
        entry = self._calls.get((event.agent, event.call_id))
        if entry is None:
            turn = self._live.get(event.agent)
            if turn is None or not turn.iterations:
                return
            entry = self._call(
                event.agent, turn.iterations[-1], event.call_id, event.name, event.arguments, event.at
            )
            self.outline.add(turn.iterations[-1], [entry])
        entry.state, entry.began = "running", event.at
        self._running[entry.serial] = entry
        entry.arguments, entry.label = event.arguments, None
        entry.start = entry.iteration.turn.clock.work(event.at)

    def _tool_finished(self, event: events.ToolFinished) -> None:
        entry = self._calls.pop((event.agent, str(event.entry.get("call_id", ""))), None)
        if entry is None:
            return
        status, ms = event.entry.get("status", "success"), event.entry.get("timing")
        self._keep(event, entry)
        entry.state = status if status in _STATES else "error"
        ran = entry.state in ("success", "error")
        if not ran and entry.state != "cancelled":
            entry.start = None  # handlers that are called before it heard of it, and then it did not run
        if entry.start is None and ran and ms is not None:
            entry.start = max(entry.iteration.start, entry.turn.work(event.at) - ms)
        self._close(entry, event.at, ms if entry.start is not None else None)
        self._running.pop(entry.serial, None)
        if entry.state not in ("success", "error"):
            self._waits.tell(entry.iteration)
        if entry.state in FAILED:
            kind, text = str(event.entry.get("error_type") or ""), str(event.entry.get("error") or "")
            if kind and not text.startswith(kind):
                text = f"{kind}: {text}"
            self._fail(entry, (text or "failed") if entry.state == "error" else "")

    def _keep(self, event: events.ModelFinished | events.ToolFinished, entry: Entry) -> None:
        entry.keep(event.entry)
        arguments = event.entry.get("arguments")
        if isinstance(arguments, Mapping):  # those it ended with: a person at a pause may have edited them
            entry.arguments, entry.label = arguments, None
        self._ended.setdefault(event.agent, {})[_key(event.entry)] = entry

    def _entry_changed(self, event: events.EntryChanged) -> None:
        entry = self._ended.get(event.agent, {}).get(_key(event.entry))
        if entry is not None:
            entry.keep(event.entry)
            self.texts.changed(entry)

    def _turn_finished(self, event: events.TurnFinished | events.ByHandFinished) -> None:
        turn = self._live.pop(event.agent, None)
        if turn is None:
            return
        reached = turn.work(event.at) - turn.start
        turn.live, turn.status = False, event.status
        for open_entries in (self._model_calls, self._waits.open):
            entry = open_entries.pop(event.agent, None)
            if entry is not None:
                if entry.kind == "you":
                    turn.clock.go_on(event.at)
                entry.state = "cancelled"
                self._close(entry, event.at, None)
        for key in [key for key in self._calls if key[0] == event.agent]:
            entry = self._calls.pop(key)
            self._running.pop(entry.serial, None)
            entry.state = "rejected" if entry.state == "rejected" else "cancelled"
            self._close(entry, event.at, None)
        if turn.iterations:
            self._waits.tell(turn.iterations[-1])
            reached = turn.iterations[-1].end - turn.start
        turn.timed = event.duration_ms is not None
        turn.total = max((event.duration_ms or 0.0) - event.waited_ms, reached)
        last = self.failures[-1] if self.failures else None
        told = isinstance(last, Entry) and last.turn is turn and last.kind == "llm"
        if event.error and not told:
            insort(self.failures, turn, key=lambda failed: failed.serial)
            self.outline.add_reason(Reason(self._next(), turn, _first_line(event.error)))

    @property
    def in_session(self) -> bool:
        """Whether the conversation has begun; False again once it was cleared."""
        return self._in_session

    def note(self, text: str, about: str = "") -> None:
        """Mark where something begins that holds for all calls to come; in a row of marks ``about`` one
        thing only the last one stays.
        """
        if self._in_session:
            self._marks.note(text, about)

    def _tools_changed(self, event: events.ToolsChanged) -> None:
        if self._in_session:
            self._marks.switched(event, self._live.get(event.agent))

    def _compacted(self, event: events.Compacted) -> None:
        if not event.inner:
            self._marks.note(f"{event.replaced or 'earlier'} messages summed up")

    def _forked(self, event: events.Forked) -> None:
        why = f"{visible_line(event.why)}  " if event.why else ""
        self._marks.note(f"{why}fork of {visible_line(event.session)}")

    def _session_reset(self, event: events.SessionReset) -> None:
        if event.inner:
            return
        if event.retold:
            self._empty()
            return
        if self._in_session:
            self._in_session = False
            self._fold_earlier()
            self._marks.note("new conversation")
        turn = self._live.pop(event.agent, None)
        if turn is not None:
            turn.live, turn.total = False, turn.work(event.at)

    def _empty(self) -> None:
        """What is told next is the whole conversation: what stood here is in another one."""
        self.outline.empty()
        for known in (self.turns, self.flat, self.failures):
            known.clear()
        for by_name in (self._live, self._model_calls, self._calls, self._ended, self._waits.open):
            by_name.clear()
        self._running.clear()
        self.texts.empty()
        self._marks.end_row()
        self.entry_count, self._in_session = 0, False
        self.times_emptied += 1


def _key(entry: Mapping[str, Any]) -> object:
    """What tells the entries of one agent's turn apart."""
    return entry.get("call_id") or entry.get("timestamp")


def _within(turn: Turn) -> Iterator[Entry]:
    """All entries of a turn, each followed by those of agents that ran within it."""
    for iteration in turn.iterations:
        for entry in iteration.entries:
            if isinstance(entry, Entry):
                yield entry
                for guest in entry.guests or ():
                    yield from _within(guest)


def _first_line(text: str) -> str:
    return visible_line(text.strip().partition("\n")[0][:500])
