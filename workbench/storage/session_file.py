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
from workbench.storage import file_hold, private_file
from workbench.storage.end_mark import append_marked, is_torn
from workbench.storage.journal import JournalTurn, journal_path, read_journal
from workbench.storage.session_format import (
    ITEM_START,
    Earlier,
    Origin,
    RawTurn,
    TurnRecord,
    earlier_of,
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
    ``earlier`` are the turns of the conversation before those of the file: behind a summary of them a new
    file begins, and the next turn keeps its number.
    """

    path: Path
    agent: str
    model: str
    started: datetime | None
    turns: Turns
    notes: tuple[str, ...] = ()
    origin: Origin | None = None
    earlier: Earlier = field(default_factory=Earlier)

    @property
    def last(self) -> int:
        """The number of the last turn; that of the one before the file, if it holds none."""
        return self.earlier.turns + len(self.turns)

    def numbered(self) -> Iterator[tuple[int, TurnRecord]]:
        """The turns with their numbers, as the screen, ``/fork`` and exports name them."""
        return enumerate(self.turns, self.earlier.turns + 1)

    def turn(self, number: int) -> TurnRecord | None:
        """The turn with this number, None if the file does not hold it."""
        at = number - self.earlier.turns - 1
        return self.turns[at] if 0 <= at < len(self.turns) else None

    def session(self) -> dict[str, Any]:
        """A session to go on with, for ``agent.current_session``."""
        turns = Turns(list(self.turns))  # decoded once for all that follows
        trace = [dict(entry) for turn in turns for entry in turn.trace]
        for entry in trace:
            if "usage" in entry:
                entry["usage"] = TokenUsage.from_record(entry["usage"])
        messages = [dict(message) for turn in turns.since_replaced() for message in turn.messages]
        return {"messages": messages, "trace": trace, "turn": self.last}

    def newest(self, number: int) -> SessionRecord:
        """The same conversation, with only so many of its turns."""
        left_out = max(0, len(self.turns) - number)
        earlier = replace(self.earlier, turns=self.earlier.turns + left_out)
        return replace(self, turns=self.turns[left_out:], earlier=earlier)

    def until(self, turn: int) -> SessionRecord:
        """The same conversation, as it was after the turn with this number."""
        return replace(self, turns=self.turns[: max(0, turn - self.earlier.turns)])

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

    @property
    def before(self) -> int:
        """How many turns came before those of the file."""
        return earlier_of(self.head).turns


def read_session(path: str | Path) -> SessionRecord:
    """Read a session file and its journal; nothing is changed. Raises ``StorageError``."""
    path = Path(path)
    try:
        contents = _parse(path.read_bytes())
        open_turns, notes = turns_under_way(path, len(contents.turns), contents.before)
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from error
    contents.turns.extend(open_turns)
    contents.notes.extend(notes)
    return _record(path, contents)


def recover(path: str | Path) -> SessionRecord:
    """Make a session file whole again after a crash, and read it.

    A torn tail is moved to ``<file>.torn``, an interrupted turn is written as a turn of its own, and the
    journal is removed. Raises ``StorageError`` also if a running session still writes the file.
    """
    path = Path(path)
    try:
        with file_hold.sole_writer(path) as descriptor:
            if descriptor is None:
                raise held_error(path)
            data = path.read_bytes()
            contents = _parse(data)
            interrupted, notes = _open_turns(path, len(contents.turns), contents.before, INTERRUPTED)
            contents.notes.extend(notes)
            if contents.whole < len(data):
                _cut(path, data[contents.whole :], contents.whole)
            elif not data.endswith(b"\n"):
                private_file.append(descriptor, b"\n")
            for number, turn in enumerate(interrupted, len(contents.turns) + 1):
                append_marked(descriptor, turn_item(turn), number)
            journal_path(path).unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(
            f"cannot recover {path}: {error.strerror}", hint=f"What it holds: workbench export {path.stem}"
        ) from error
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
    return SessionRecord(path, agent, model, started, turns, notes, origin_of(head), earlier_of(head))


def held_error(path: Path) -> StorageError:
    """What is said of a file that another process writes."""
    return StorageError(
        f"{path.name} belongs to a session that is still running, in {file_hold.holder(path)}",
        hint="Leave the app or end the script there first, or fork it from the list: /sessions.",
    )


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
        elif start < end and not is_torn(data[start:end]):
            contents.notes.append(f"the file is torn: its last {end - start} bytes were dropped")
    if not starts and isinstance(contents.head.get("turns"), list):
        contents.turns.extend(filter(None, map(turn_of, contents.head["turns"])))
    return contents


def turns_under_way(path: Path, whole: int, before: int = 0) -> tuple[list[TurnRecord], list[str]]:
    """The turns of the journal that the file, with so many ``whole`` turns, does not hold, and notes on them.

    Raises ``OSError``.
    """
    return _open_turns(path, whole, before, RUNNING if file_hold.is_held(path) else INTERRUPTED)


def _open_turns(path: Path, whole: int, before: int, status: str) -> tuple[list[TurnRecord], list[str]]:
    turns: list[TurnRecord] = []
    notes: list[str] = []
    for running in read_journal(path):
        if running.index < whole:
            continue  # it ended and is in the file; only its journal was not emptied any more
        calls = [entry for entry in running.trace if entry.get("type") == "tool_execution"]
        said = "is still running" if status == RUNNING else "was interrupted"
        note = f"turn {before + running.index + 1} {said}; it is here as far as its journal goes, "
        note += _calls_text(len(calls))
        if running.torn:
            note += f"; the last {running.torn} bytes of its journal were dropped"
        notes.append(note)
        turns.append(_turn_so_far(running, status))
    return turns, notes


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
    if is_torn(tail):
        os.truncate(path, length)
        return
    torn = private_file.open_private(path.with_name(path.name + ".torn"))
    try:
        private_file.append(torn, tail)
    finally:
        os.close(torn)
    os.truncate(path, length)
