"""A recorded session told again, as the events that it once was."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final, Literal

from workbench.engine.content import text_of
from workbench.engine.images import facts_in
from workbench.engine.llm import TokenUsage
from workbench.storage.session_file import INTERRUPTED, RUNNING, SessionRecord
from workbench.storage.session_format import TurnRecord
from workbench.tui import events
from workbench.tui.remarks import REMARKS, printed_by_hooks, remark

Entry = Mapping[str, Any]
Message = Mapping[str, Any]
TurnStatus = Literal["success", "incomplete", "stopped", "error"]

_ENDED: Final[Mapping[str, TurnStatus]] = {
    "success": "success",
    "incomplete": "incomplete",
    "stopped": "stopped",
    "error": "error",
}
_RAN: Final = ("success", "error")
_BREAKPOINT: Final = "breakpoint "
_APPROVAL: Final = "approval"
_CUT_SHORT: Final = "The program ended before this turn did."
_ELSEWHERE: Final = "This turn runs in another process."


def retell(
    agent: str, record: SessionRecord, named: Callable[[str], str] = str
) -> Iterator[events.AgentEvent]:
    """What happened in the turns of a record, as told of an agent of this name. Times are those of then.

    ``named`` makes a tool's name for people of the one that the model wrote.
    """
    behind: tuple[Entry, ...] = ()
    number = record.earlier.turns
    for number, turn in record.numbered():
        trace = _named(turn.trace, named)
        known = {entry.get("call_id") for entry in trace}
        alone = [entry for entry in behind if entry.get("call_id") not in known]
        by_hand = [*alone, *(entry for entry in trace if entry.get("by_hand"))]
        yield from _told_by_hand(agent, number - 1, by_hand)
        own = tuple(entry for entry in trace if not entry.get("by_hand"))
        for event in _Retold(agent, number).turn(replace(turn, trace=own)):
            yield replace(event, replayed=True)
        behind = _named(turn.by_hand, named)
    yield from _told_by_hand(agent, number, behind)


def _named(trace: Sequence[Entry], named: Callable[[str], str]) -> tuple[dict[str, Any], ...]:
    """The entries, with the names for people."""
    return tuple(
        {**entry, "tool_name": named(str(entry["tool_name"]))} if entry.get("tool_name") else dict(entry)
        for entry in trace
    )


def _told_by_hand(agent: str, turn: int, entries: Sequence[Entry]) -> Iterator[events.AgentEvent]:
    """The calls that a person ran behind the turn with this number, each by itself."""
    for entry in entries:
        if entry.get("type") != "tool_execution":
            continue  # what was waited for before it ran
        at, name = _seconds(entry), str(entry.get("tool_name"))
        ended = at + _milliseconds(entry.get("timing")) / 1000
        call_id, first = str(entry.get("call_id")), str(entry.get("rerun_of") or "")
        again = {call_id: first} if first else {}
        told = [
            events.ByHandStarted(agent, at, turn, f"{name} again" if first else name, again),
            events.BatchStarted(agent, at, turn, 1, calls_of(_asking_for(entry), (entry,))),
            *retold_call(agent, entry, at),
            events.ByHandFinished(
                agent, ended, "stopped" if entry.get("status") == "cancelled" else "success", None, 0.0
            ),
        ]
        for event in told:
            yield replace(event, by_hand=True, replayed=True)


def _asking_for(entry: Entry) -> Message:
    """A message as a model would have asked for the call with."""
    function = {"name": entry.get("tool_name"), "arguments": entry.get("arguments")}
    return {"tool_calls": [{"id": entry.get("call_id"), "function": function}]}


def wait_inside(entry: Entry) -> events.Waited | None:
    """What a ``human_wait`` entry tells that nothing else told: neither an approval nor a breakpoint."""
    what = str(entry.get("what", ""))
    if what == _APPROVAL or what.startswith(_BREAKPOINT):
        return None
    return events.Waited("", _seconds(entry), _milliseconds(entry.get("duration_ms")))


def retold_answer(
    agent: str,
    turn: int,
    entry: Entry,
    message: Message | None,
    calls: tuple[events.CallInfo, ...],
    at: float,
) -> Iterator[events.AgentEvent]:
    """The model's answer of an ``llm_call`` entry, and the batch that it asked for.

    ``message`` is the assistant message, None if the model gave none; ``calls`` are those in it.
    """
    iteration = given if isinstance(given := entry.get("iteration"), int) else 1
    model, ended = str(entry.get("model") or ""), at + _milliseconds(entry.get("duration_ms")) / 1000
    content = str((message or {}).get("content") or entry.get("content") or "")
    yield events.ModelStarted(agent, at, turn, iteration, model)
    told = {**entry, "usage": TokenUsage.from_record(entry.get("usage"))}
    yield events.ModelFinished(agent, ended, told, content, len(calls))
    if calls:
        yield events.BatchStarted(agent, ended, turn, iteration, calls)


def retold_call(agent: str, entry: Entry, at: float) -> Iterator[events.AgentEvent]:
    """A call, however it ended."""
    ms = _milliseconds(entry.get("timing"))
    if entry.get("status") in _RAN:
        arguments = entry.get("arguments") or {}
        yield events.ToolStarted(agent, at, str(entry.get("call_id")), str(entry.get("tool_name")), arguments)
    yield events.ToolFinished(agent, at + ms / 1000, dict(entry))


def answers(messages: Sequence[Message]) -> list[Message]:
    """The assistant messages behind the last message of the user."""
    last = max((at for at, message in enumerate(messages) if message.get("role") == "user"), default=-1)
    return [message for message in messages[last + 1 :] if message.get("role") == "assistant"]


def calls_of(
    message: Message | None, entries: Sequence[Entry], named: Callable[[str], str] = str
) -> tuple[events.CallInfo, ...]:
    """The calls of a message, with their names and what they were asked with where ``entries`` say so.

    ``named`` makes the name for people of the one that the model wrote.
    """
    ran = {entry.get("call_id"): entry for entry in entries if entry.get("type") == "tool_execution"}
    calls = []
    for call in (message or {}).get("tool_calls") or ():
        function, entry = call.get("function") or {}, ran.get(call.get("id"), {})
        arguments = entry.get("edited_from", entry.get("arguments"))
        if not isinstance(arguments, Mapping):
            arguments = _read(function.get("arguments"))
        name = str(entry.get("tool_name") or named(str(function.get("name") or "")))
        calls.append(events.CallInfo(str(call.get("id")), name, arguments, decision=_decided(entry)))
    return tuple(calls)


def _decided(entry: Entry) -> Literal["approve", "reject"]:
    """The verdict on a call; that of a handler which the call came to once it was to run is none."""
    refused = entry.get("decided_by") == "hook" and "before_each_tool" in (entry.get("hooks_ms") or {})
    return "reject" if entry.get("status") == "rejected" and not refused else "approve"


class _Retold:
    """Tells one turn of one agent; ``inner`` for one that ran inside a tool."""

    def __init__(self, agent: str, number: int) -> None:
        self._agent = agent
        self._number = number
        self._batch: tuple[events.CallInfo, ...] = ()
        self._waits: list[Entry] = []
        self._guests = 0

    def turn(self, turn: TurnRecord) -> Iterator[events.AgentEvent]:
        types = [entry.get("type") for entry in turn.trace]
        start = types.index("user_input") if "user_input" in types else 0
        before, lived = turn.trace[:start], turn.trace[start:]
        # what happened between the turn before and this one took no time of it
        began = next((_seconds(entry) for entry in lived if entry.get("timestamp")), 0.0)
        yield from self._entries(before, [])
        said = turn.own_messages
        note = _note(turn, said)
        yield events.TurnStarted(self._agent, began, self._number, turn.input, note, images=turn.images)
        for entry in lived[:1]:
            if entry.get("type") == "user_input" and (printed := printed_by_hooks(entry)) is not None:
                yield events.Notice(self._agent, began, *printed)
        yield from self._entries(lived, [m for m in said if m.get("role") == "assistant"])
        ended = began + turn.duration_ms / 1000
        error = turn.error or {INTERRUPTED: _CUT_SHORT, RUNNING: _ELSEWHERE}.get(turn.status, "")
        yield events.TurnFinished(
            self._agent,
            ended,
            self._number,
            _ENDED.get(turn.status, "error" if turn.status == INTERRUPTED else "stopped"),
            turn.duration_ms,
            turn.waited_ms,
            turn.result,
            error,
        )

    def _entries(self, entries: Sequence[Entry], said: list[Message]) -> Iterator[events.AgentEvent]:
        for entry in entries:
            kind, at = entry.get("type"), _seconds(entry)
            if kind in ("llm_call", "tool_execution"):
                yield from self._waits_before(entry)
            if kind == "llm_call":
                message = _take(said, entry)
                self._batch = calls_of(message, entries)
                yield from retold_answer(self._agent, self._number, entry, message, self._batch, at)
            elif kind == "human_wait" and entry.get("what") == _APPROVAL:
                yield from self._wait(entry, at)
            elif kind == "human_wait":
                self._waits.append(entry)  # it belongs to the call whose entry follows
            elif kind == "tool_execution":
                yield from self._call(entry, at)
            elif kind in REMARKS:
                yield events.Notice(self._agent, at, *remark(entry))
                if kind == "compaction":
                    yield events.Compacted(self._agent, at, int(_milliseconds(entry.get("replaced"))))
        yield from chain.from_iterable(self._waited(wait) for wait in self._waits)
        self._waits = []

    def _wait(self, entry: Entry, at: float) -> Iterator[events.AgentEvent]:
        ms = _milliseconds(entry.get("duration_ms"))
        yield events.WaitStarted(self._agent, at, tuple(call.id for call in self._batch))
        yield events.WaitFinished(self._agent, at + ms / 1000, ms, self._batch)

    def _waits_before(self, entry: Entry) -> Iterator[events.AgentEvent]:
        """The waits that were over when what the entry tells of began to run; those inside it stay."""
        began = _seconds(entry)
        inside = entry.get("type") == "tool_execution" and entry.get("status") in _RAN
        held = [wait for wait in self._waits if inside and _seconds(wait) >= began]
        for wait in self._waits:
            if wait not in held:
                yield from self._waited(wait, entry)
        self._waits = held

    def _waited(self, wait: Entry, entry: Entry | None = None) -> Iterator[events.AgentEvent]:
        """A wait at a breakpoint of the call that ``entry`` tells of, or any other."""
        at, ms = _seconds(wait), _milliseconds(wait.get("duration_ms"))
        what, entry = str(wait.get("what", "")), entry or {}
        call_id = str(entry.get("call_id", ""))
        if not what.startswith(_BREAKPOINT) or call_id not in {call.id for call in self._batch}:
            yield events.Waited(self._agent, at, ms)
            return
        when: Literal["before", "after"] = "before" if what.startswith(f"{_BREAKPOINT}before ") else "after"
        name = str(entry.get("tool_name", ""))
        yield events.PauseStarted(self._agent, at, call_id, name, when)
        yield events.PauseFinished(self._agent, at + ms / 1000, call_id, ms, _resumed(when, at, entry))

    def _call(self, entry: Entry, at: float) -> Iterator[events.AgentEvent]:
        told = list(retold_call(self._agent, entry, at))
        yield from told[:-1]
        yield from chain.from_iterable(self._waited(wait, entry) for wait in self._waits)
        self._waits = []
        for nested in entry.get("nested") or ():
            self._guests += 1
            yield from self._guest(nested, str(entry.get("call_id")), at)
        yield told[-1]

    def _guest(self, nested: Mapping[str, Any], call_id: str, at: float) -> Iterator[events.AgentEvent]:
        trace = nested.get("trace") or ()
        name = f"{nested.get('agent')} ({self._guests})" if self._guests > 1 else str(nested.get("agent"))
        asked: Entry = next((entry for entry in trace if entry.get("type") == "user_input"), {})
        prompt, images = str(asked.get("prompt", "")), facts_in(asked)
        inner = _Retold(name, 1)
        yield events.TurnStarted(name, at, 1, prompt, "", call_id, images, inner=True)
        ended = at
        for event in inner._entries(trace, []):
            ended = max(ended, event.at)
            yield _as_inner(event)
        status = _ENDED.get(str(nested.get("status")), "stopped")
        ms = (ended - at) * 1000
        waited = min(ms, sum(_waits_in(trace)))
        yield events.TurnFinished(
            name, ended, 1, status, ms, waited, str(nested.get("result") or ""), inner=True
        )


def _resumed(when: str, at: float, entry: Entry) -> str:
    """How a call went on after a pause that began then, as far as its entry tells."""
    if when == "before":
        skipped = "skip" if entry.get("made_up") else "continue"
        return "stop" if entry.get("status") == "cancelled" else skipped
    return "again" if at < _seconds(entry) else "continue"


def _waits_in(trace: Sequence[Entry]) -> Iterator[float]:
    """All times in which a person was waited for, those of agents further inside too; in milliseconds."""
    for entry in trace:
        if entry.get("type") == "human_wait":
            yield _milliseconds(entry.get("duration_ms"))
        for nested in entry.get("nested") or ():
            yield from _waits_in(nested.get("trace") or ())


def _as_inner(event: events.AgentEvent) -> events.AgentEvent:
    return replace(event, inner=True)


def _note(turn: TurnRecord, said: Sequence[Message]) -> str:
    """What was added to the prompt for the model."""
    own = bool(said) and said[0].get("role") == "user"
    content = text_of(said[0].get("content")) if own else turn.input
    return content.removeprefix(turn.input).strip()


def _take(said: list[Message], entry: Entry) -> Message | None:
    """The next assistant message, if the entry is the one that it answers."""
    wants = bool(entry.get("tool_calls_count"))
    if not said or entry.get("status", "success") != "success" or bool(said[0].get("tool_calls")) != wants:
        return None
    return said.pop(0)


def _read(arguments: object) -> Mapping[str, Any]:
    try:
        read = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        read = None
    return read if isinstance(read, Mapping) else {}


def _seconds(entry: Entry) -> float:
    at = entry.get("timestamp")
    return float(at) if isinstance(at, int | float) else 0.0


def _milliseconds(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
