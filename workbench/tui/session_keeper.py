"""Going on with an earlier session, or another way from the present one: the work behind the commands."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from workbench.engine.agent import Agent
from workbench.engine.begun import BegunTurn
from workbench.engine.images import Image
from workbench.engine.trace import CALLED
from workbench.errors import StorageError
from workbench.storage.continuing import fork_session, resume_session, session_log
from workbench.storage.session_file import SessionRecord, read_session
from workbench.tui import events
from workbench.tui.events import Post
from workbench.tui.facts import usage_event
from workbench.tui.inbox import FRAME
from workbench.tui.retelling import retell

_MOST_SHOWN: Final = 500
"""Turns of a session that the screen is told of; a longer one opens as fast."""

_PIECE: Final = 50  # turns that the screen is told of at once

_UNWRITTEN: Final = "This conversation is not written to a session file, so there is nothing to go back to."


@dataclass(frozen=True, slots=True)
class Instead:
    """What a past call shall have given: a ``result``, or that it failed with this as its error."""

    call_id: str
    text: str
    failed: bool = False


class SessionKeeper:
    """Every method is a job for the agent's thread, between turns; what came of it is told with events."""

    def __init__(self, post: Post, pause: Callable[[float], object] = time.sleep) -> None:
        """``pause`` waits for so many seconds."""
        self._post = post
        self._pause = pause

    def resume(self, agent: Agent, path: Path) -> None:
        """Go on with the session in ``path``, in its own file. Raises StorageError."""
        present = self.path(agent)
        if present is not None and present.resolve() == path.resolve():
            raise StorageError(
                f"{path.stem} is the present session", hint="It goes on with your next message."
            )
        record = resume_session(agent, path)
        self._retell(agent, record)
        said = [f"{turns_text(len(record.turns))}.", *map(_sentence, record.notes)]
        hint = ""
        if gone := _not_here(agent):
            said.append(f"It called tools that are not loaded here: {', '.join(gone)}.")
            name = record.path.stem
            hint = f"Start with the file or folder that has them as TOOLS: workbench TOOLS --resume {name}"
        self._say(agent, f"{record.path.stem} goes on", " ".join(said), hint)

    def fork(self, agent: Agent, path: Path | None = None, turn: int | None = None) -> None:
        """Go on from a session after the turn with this number (the last), in a file of its own; ``path``
        ``None``: the present one.

        Raises StorageError when there is no such session or turn.
        """
        record = read_session(path or _path(agent))
        kept = record if turn is None else _until(record, turn)
        fork_session(agent, kept)
        self._retell(agent, kept)
        self._post(events.Forked(agent.name, time.time(), kept.path.stem))
        origin = f"It begins like {kept.path.stem}, which stays as it is, up to turn {kept.last}."
        self._say(agent, "A fork goes on from here", origin, "/compare shows both.")

    def what_if(self, agent: Agent, instead: Instead) -> tuple[str, BegunTurn, tuple[Image, ...]]:
        """Fork before the turn of a past call; what ``agent.resume_turn`` takes to go on from there: the
        prompt, the turn so far, and the pictures that came with the prompt.

        Raises StorageError when the call is none of the present conversation.
        """
        found = ((each, _past(each, instead.call_id)) for each in _files(read_session(_path(agent))))
        record, past = next((each for each in found if each[1] is not None), (None, None))
        if record is None or past is None:
            raise StorageError(
                "that call is not part of the present conversation",
                hint="Open its session first: /sessions.",
            )
        kept = record.until(record.earlier.turns + past.before)
        fork_session(agent, kept, inside=True)
        if past.history is not None:
            agent.open_session()["messages"][:] = [dict(message) for message in past.history]
        self._retell(agent, kept)
        what = "had failed" if instead.failed else "had given something else"
        title = f"What if {past.name} {what}"
        self._post(events.Forked(agent.name, time.time(), kept.path.stem, title[:1].lower() + title[1:]))
        self._say(agent, title, "The turn goes on from there in a fork.", "/compare shows both.")
        return past.prompt, past.begun(instead), past.images

    def path(self, agent: Agent) -> Path | None:
        """The file of the present conversation, None if there is none."""
        log = session_log(agent)
        return log.path if log is not None else None

    def origin(self, agent: Agent) -> Path:
        """The file that the present conversation is a fork of. Raises StorageError if it is none."""
        path = _path(agent)
        origin = read_session(path).origin
        if origin is None:
            raise StorageError(
                "this conversation is no fork", hint="Name the session to compare it with: /compare NAME."
            )
        return path.with_name(origin.session)

    def _retell(self, agent: Agent, record: SessionRecord) -> None:
        """Show the conversation as if it had happened here, with its turns in earlier files."""
        self._post(events.SessionReset(agent.name, time.time(), retold=True))

        def named(name: str) -> str:
            tool = agent.tools.get(name)
            return tool.name if tool is not None else name

        shown = _newest(record)
        if left_out := record.last - sum(len(each.turns) for each in shown):
            text = "They are part of the conversation, and in its file."
            notice = (
                f"{left_out:,} earlier turns are not shown here",
                text,
                "/export writes all of them.",
                "muted",
            )
            self._post(events.Notice(agent.name, time.time(), *notice))
        for each in shown:
            if each is not shown[0] and not each.turns:  # else its first turn says so
                self._post(events.Compacted(agent.name, time.time(), 0))
            self._tell(agent, each, named)
        self._post(usage_event(agent))

    def _tell(self, agent: Agent, record: SessionRecord, named: Callable[[str], str]) -> None:
        origin = record.origin
        for event in retell(agent.name, record, named):
            if isinstance(event, events.TurnStarted) and not event.inner:
                if event.turn % _PIECE == 0:
                    self._pause(FRAME)  # the screen takes in what came so far
                if origin is not None and event.turn == origin.turns + 1:
                    self._post(events.Forked(agent.name, event.at, Path(origin.session).stem))
            self._post(event)

    def _say(self, agent: Agent, title: str, text: str, hint: str = "") -> None:
        self._post(events.Notice(agent.name, time.time(), title, text, hint, "muted"))


@dataclass(frozen=True, slots=True)
class _Past:
    """A past call: its turn as far as the batch that the call was in.

    ``before``: how many turns came before it. ``history`` is what the model was told of them, None if that
    is what they recorded.
    """

    name: str
    before: int
    prompt: str
    history: tuple[Mapping[str, Any], ...] | None
    messages: tuple[Mapping[str, Any], ...]
    trace: tuple[Mapping[str, Any], ...]
    images: tuple[Image, ...]

    def begun(self, instead: Instead) -> BegunTurn:
        """That part of the turn, with the call ended as it is wished."""
        messages = [
            {**message, "content": instead.text}
            if message.get("tool_call_id") == instead.call_id
            else message
            for message in self.messages
        ]
        return BegunTurn(messages, [_changed(entry, instead) for entry in self.trace])


_OF_THE_REAL_RESULT: Final = frozenset(
    {
        "decided_by",
        "error",
        "error_type",
        "failing_frame",
        "fault",
        "frames",
        "left_running",
        "nested",
        "result_file",
        "result_file_error",
        "traceback",
    }
)
"""What is said of a call for as long as it gave what it gave."""


def _changed(entry: Mapping[str, Any], instead: Instead) -> Mapping[str, Any]:
    if entry.get("call_id") != instead.call_id:
        return entry
    kept = {key: value for key, value in entry.items() if key not in _OF_THE_REAL_RESULT}
    new = {**kept, "result": instead.text, "status": "error" if instead.failed else "success"}
    new.setdefault("original_result", entry.get("result"))
    return {**new, "error": instead.text} if instead.failed else new


def _past(record: SessionRecord, call_id: str) -> _Past | None:
    """The turn of a call, up to the end of the call's batch; None if the session does not hold it."""
    for before in reversed(range(len(record.turns))):
        turn = record.turns[before]
        entries = [
            entry
            for entry in turn.trace
            if entry.get("type") in ("llm_call", "tool_execution") and not entry.get("by_hand")
        ]
        called = next((entry for entry in entries if entry.get("call_id") == call_id), None)
        start, asked = turn.called_at, _asked(turn.messages, call_id)
        if called is not None and start is not None and asked is not None:
            batch = {call.get("id") for call in turn.messages[asked]["tool_calls"]}
            end = max(at for at, entry in enumerate(entries) if entry.get("call_id") in batch) + 1
            return _Past(
                str(called.get("tool_name")),
                before,
                turn.input,
                turn.messages[: turn.prompt_at] if turn.replaces or not before else None,
                turn.messages[start : asked + 1 + len(batch)],
                tuple(entries[:end]),
                turn.prompt_images(),
            )
    return None


def _asked(messages: Sequence[Mapping[str, Any]], call_id: str) -> int | None:
    """The place of the message that asked for a call."""
    return next(
        (
            at
            for at, message in enumerate(messages)
            if any(call.get("id") == call_id for call in message.get("tool_calls") or ())
        ),
        None,
    )


def _files(record: SessionRecord) -> Iterator[SessionRecord]:
    """The session, and those in whose files its earlier turns are, as far as they can be read."""
    known = {record.path}
    while True:
        yield record
        turns, path = record.earlier.turns, _earlier(record)
        if not turns or path in known:
            return
        known.add(path)
        try:
            record = read_session(path).until(turns)
        except StorageError:
            return  # who counts the turns sees that some are missing


def _earlier(record: SessionRecord) -> Path:
    """The file in which its earlier turns are; its own where there are none."""
    return record.path.with_name(Path(record.earlier.session).name or record.path.name)


def _newest(record: SessionRecord) -> list[SessionRecord]:
    """As many turns of a conversation as the screen is told of, file by file."""
    room = _MOST_SHOWN
    shown: list[SessionRecord] = []
    for each in _files(record):
        shown.insert(0, each.newest(room))
        room -= len(each.turns)
        if room <= 0:
            break
    return shown


def _until(record: SessionRecord, turn: int) -> SessionRecord:
    """The session up to a turn, from an earlier file where that one holds it. Raises StorageError."""
    known = {record.path}
    while 0 <= turn <= record.earlier.turns and (path := _earlier(record)) not in known:
        known.add(path)
        record = read_session(path)
    first = record.earlier.turns + 1
    # before the first turn of a whole conversation is a place to begin, before a summary's is none
    if not (first if first > 1 else 0) <= turn <= record.last:
        has = f"has turns {first} to {record.last}" if first > 1 else f"has {turns_text(record.last)}"
        raise StorageError(
            f"the session {has}, not {turn}", hint="Say after which turn the fork begins: /fork 2."
        )
    return record.until(turn)


def _path(agent: Agent) -> Path:
    """The file of the present conversation. Raises StorageError without one."""
    log = session_log(agent)
    if log is None or log.path is None:
        raise StorageError(_UNWRITTEN, hint="A session is kept with its first turn, unless log=False.")
    return log.path


def _not_here(agent: Agent) -> list[str]:
    """The tools that the session called and that calls of these names would not find now."""
    called = {
        str(entry.get("tool_name"))
        for entry in (agent.current_session or {}).get("trace", ())
        if entry.get("type") == "tool_execution" and entry.get("status") in CALLED
    }
    return sorted(name for name in called if agent.tools.meant(name) is None)


def turns_text(count: int) -> str:
    """A number of turns for people."""
    return f"{count} turn{'s' * (count != 1)}"


def _sentence(note: str) -> str:
    return note[:1].upper() + note[1:] + "."
