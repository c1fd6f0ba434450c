"""Session files read back: whole turns as they were, the interrupted one closed, and what was lost said."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, overload

from workbench.engine.llm import Message, TokenUsage
from workbench.errors import StorageError
from workbench.storage import private_file
from workbench.storage.journal import JournalTurn, journal_path, read_journal
from workbench.storage.session_format import (
    ITEM_START,
    Origin,
    RawTurn,
    TurnRecord,
    load_yaml,
    origin_of,
    parse_item,
    turn_item,
    turn_of,
)

INTERRUPTED = "interrupted"
"""Status of a turn that never ended, because its process did."""

RUNNING = "running"
"""Status of a turn that another writer of the file has not finished yet."""

_NOT_RUN: Final = "Not run: the program ended before this call began."
_LOST: Final = (
    "Interrupted: the session ended before this call's result was recorded. "
    "It may have run and may have had effects; check before calling it again."
)


class Turns(Sequence[TurnRecord]):
    """The turns of a session in order; each is decoded when it is asked for."""

    def __init__(self, turns: Sequence[RawTurn | TurnRecord]) -> None:
        self._turns = tuple(turns)

    def __len__(self) -> int:
        return len(self._turns)

    @overload
    def __getitem__(self, index: int) -> TurnRecord: ...
    @overload
    def __getitem__(self, index: slice) -> Turns: ...
    def __getitem__(self, index: int | slice) -> TurnRecord | Turns:
        if isinstance(index, slice):
            return Turns(self._turns[index])
        turn = self._turns[index]
        return turn.decode() if isinstance(turn, RawTurn) else turn

    def __iter__(self) -> Iterator[TurnRecord]:
        return (self[index] for index in range(len(self)))

    def since_replaced(self) -> Turns:
        """The turns from the last one on that replaces the history; all of them if none does."""
        start = max((index for index, turn in enumerate(self._turns) if turn.replaces), default=0)
        return self[start:]


@dataclass(frozen=True)
class SessionRecord:
    """A session file's contents. ``notes`` says in words for people what was damaged, late or recovered.

    ``started`` is in UTC, None if the header is damaged. A last turn with the status ``interrupted`` or
    ``running`` comes from the journal; its open calls are answered, so ``messages`` can be sent.
    """

    path: Path
    agent: str
    model: str
    started: datetime | None
    turns: Turns
    notes: tuple[str, ...] = ()
    origin: Origin | None = None

    def session(self) -> dict[str, Any]:
        """A session to go on with, for ``agent.current_session``."""
        trace = [dict(entry) for turn in self.turns for entry in turn.trace]
        for entry in trace:
            if "usage" in entry:
                entry["usage"] = TokenUsage.from_record(entry["usage"])
        messages = [dict(message) for message in self.messages]
        return {"messages": messages, "trace": trace, "turn": len(self.turns)}

    def until(self, turns: int) -> SessionRecord:
        """The same conversation, as it was after so many turns."""
        return replace(self, turns=self.turns[:turns])

    @cached_property
    def messages(self) -> list[Message]:
        """The conversation: the messages of the turns in order, from the last one that replaces it."""
        return [message for turn in self.turns.since_replaced() for message in turn.messages]


@dataclass(slots=True)
class _Contents:
    head: dict[str, Any]
    turns: list[RawTurn | TurnRecord] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    whole: int = 0  # bytes of the file up to the end of the last whole turn


def read_session(path: str | Path) -> SessionRecord:
    """Read a session file and its journal; nothing is changed. Raises ``StorageError``."""
    path = Path(path)
    try:
        contents = _parse(path.read_bytes())
        status = RUNNING if private_file.is_being_written(path) else INTERRUPTED
        open_turns = _open_turns(path, contents, status)
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from error
    contents.turns.extend(open_turns)
    return _record(path, contents)


def recover(path: str | Path) -> SessionRecord:
    """Make a session file whole again after a crash, and read it.

    A torn tail is moved to ``<file>.torn``, an interrupted turn is written as a turn of its own, and the
    journal is removed. Raises ``StorageError`` also if a running session still writes the file.
    """
    path = Path(path)
    try:
        with private_file.sole_writer(path) as descriptor:
            if descriptor is None:
                raise StorageError(
                    f"{path} belongs to a session that is still running", hint="Close that session first."
                )
            data = path.read_bytes()
            contents = _parse(data)
            interrupted = _open_turns(path, contents, INTERRUPTED)
            if contents.whole < len(data):
                _cut(path, data[contents.whole :], contents.whole)
            elif not data.endswith(b"\n"):
                private_file.append(descriptor, b"\n")
            for turn in interrupted:
                private_file.append(descriptor, turn_item(turn))
            journal_path(path).unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(f"cannot recover {path}: {error.strerror}") from error
    contents.turns.extend(interrupted)
    return _record(path, contents)


def _record(path: Path, contents: _Contents) -> SessionRecord:
    head = contents.head
    started = head.get("started")
    if isinstance(started, datetime):
        started = started.replace(tzinfo=UTC) if started.tzinfo is None else started.astimezone(UTC)
    else:
        started = None
    agent = str(head.get("agent") or re.sub(r"_\d{4}-\d\d-\d\dT[\d-]+(_\d+)?$", "", path.stem))
    model, turns, notes = str(head.get("model") or ""), Turns(contents.turns), tuple(contents.notes)
    return SessionRecord(path, agent, model, started, turns, notes, origin_of(head))


def _parse(data: bytes) -> _Contents:
    starts = [found.start() for found in ITEM_START.finditer(data)]
    head_end = starts[0] if starts else len(data)
    head = load_yaml(data[:head_end])
    contents = _Contents(head if isinstance(head, dict) else {}, whole=head_end)
    if not {"agent", "turns"} <= contents.head.keys():
        contents.notes.append("the header is damaged")
    for start, end in pairwise([*starts, len(data)]):
        raw = RawTurn.match(data, start, end)
        turn = raw or parse_item(data[start:end])
        if turn is not None:
            contents.turns.append(turn)
            start = contents.whole = raw.end if raw is not None else end
        if raw is not None:
            contents.notes.extend(raw.comments)
        if start < end and end < len(data):
            contents.notes.append(f"a damaged turn at byte {start} ({end - start} bytes) was left out")
        elif start < end:
            contents.notes.append(f"the file is torn: its last {end - start} bytes were dropped")
    if not starts and isinstance(contents.head.get("turns"), list):
        contents.turns.extend(filter(None, map(turn_of, contents.head["turns"])))
    return contents


def _open_turns(path: Path, contents: _Contents, status: str) -> list[TurnRecord]:
    """The turns of the journal that the file does not hold."""
    turns = []
    for running in read_journal(path):
        if running.index < len(contents.turns):
            continue  # it ended and is in the file; only its journal was not emptied any more
        calls = [entry for entry in running.trace if entry.get("type") == "tool_execution"]
        said = "is still running" if status == RUNNING else "was interrupted"
        note = f"turn {running.index + 1} {said}; it is here as far as its journal goes, "
        note += _calls_text(len(calls))
        if running.torn:
            note += f"; the last {running.torn} bytes of its journal were dropped"
        contents.notes.append(note)
        turns.append(_turn_so_far(running, status))
    return turns


def _calls_text(count: int) -> str:
    """A number of calls for people."""
    return f"{count} call{'s' * (count != 1)}"


def _turn_so_far(running: JournalTurn, status: str) -> TurnRecord:
    usages = [entry["usage"] for entry in running.trace if isinstance(entry.get("usage"), dict)]
    usage = sum(map(TokenUsage.from_record, usages), TokenUsage())
    names = [str(entry["tool_name"]) for entry in running.trace if entry.get("tool_name")]
    last = max((entry.get("timestamp") or 0.0 for entry in running.trace), default=running.started)
    messages = tuple(_answered(running, status))
    lost = _lost_calls(running, messages, last) if status == INTERRUPTED else ()
    return TurnRecord(
        input=running.input,
        model=running.model,
        duration_ms=round(max(0.0, last - running.started) * 1000, 3),
        tokens=usage.total_tokens,
        cost=usage.cost,
        tools_called=tuple(names),
        messages=messages,
        status=status,
        trace=(*running.trace, *lost),
        replaces=running.replaces,
    )


def _lost_calls(
    running: JournalTurn, messages: Sequence[Message], timestamp: float
) -> Iterator[dict[str, Any]]:
    """An entry for each call that has neither entry nor answer, with what the model reads of it."""
    known = {entry.get("call_id") for entry in running.trace}
    known |= {message.get("tool_call_id") for message in running.messages}
    told = {message.get("tool_call_id"): message.get("content") for message in messages}
    iteration = max((int(entry.get("iteration") or 0) for entry in running.trace), default=0) or 1
    for message in messages:
        for call in message.get("tool_calls") or ():
            if call["id"] not in known:
                yield {
                    "type": "tool_execution",
                    "tool_name": call["function"]["name"],
                    "arguments": _arguments(call["function"].get("arguments")),
                    "call_id": call["id"],
                    "result": told.get(call["id"]),
                    "status": "cancelled",
                    "timing": 0.0,
                    "iteration": iteration,
                    "timestamp": timestamp,
                }


def _arguments(text: object) -> dict[str, Any]:
    try:
        read = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        read = None
    return read if isinstance(read, dict) else {}


def _answered(running: JournalTurn, status: str) -> Iterator[Message]:
    """The turn's messages with an answer for each call, behind the message that asked for it."""
    # A call of a turn that another process runs may begin at any moment.
    begun = running.begun if status == INTERRUPTED else None
    results = {
        entry.get("call_id"): entry for entry in running.trace if entry.get("type") == "tool_execution"
    }
    answers = {m.get("tool_call_id"): m for m in running.messages if m.get("role") == "tool"}
    for message in running.messages:
        if message.get("role") == "tool":
            continue
        yield message
        for call in message.get("tool_calls") or ():
            yield answers.get(call["id"]) or _closing_answer(call, results.get(call["id"]), begun)


def _closing_answer(call: dict[str, Any], entry: dict[str, Any] | None, begun: set[str] | None) -> Message:
    text = _LOST if begun is None or call["id"] in begun else _NOT_RUN
    if entry is not None:
        found = entry.get("result") if entry.get("result") is not None else entry.get("error")
        text = found if isinstance(found, str) else str(found)
    return {"role": "tool", "tool_call_id": call["id"], "content": text}


def _cut(path: Path, tail: bytes, length: int) -> None:
    torn = private_file.open_private(path.with_name(path.name + ".torn"))
    try:
        private_file.append(torn, tail)
    finally:
        os.close(torn)
    os.truncate(path, length)
