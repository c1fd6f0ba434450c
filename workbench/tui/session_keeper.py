"""Going on with an earlier session, or another way from the present one: the work behind the commands."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from workbench.engine.agent import Agent
from workbench.engine.begun import BegunTurn
from workbench.errors import StorageError
from workbench.storage.continuing import fork_session, resume_session, session_log
from workbench.storage.session_file import SessionRecord, read_session
from workbench.tui import events
from workbench.tui.bridge import Post
from workbench.tui.facts import usage_event
from workbench.tui.retelling import retell

_UNWRITTEN: Final = "This conversation is not written to a session file, so there is nothing to go back to."


@dataclass(frozen=True, slots=True)
class Instead:
    """What a past call shall have given: a ``result``, or that it failed with this as its error."""

    call_id: str
    text: str
    failed: bool = False


class SessionKeeper:
    """Every method is a job for the agent's thread, between turns; what came of it is told with events."""

    def __init__(self, post: Post) -> None:
        self._post = post

    def resume(self, agent: Agent, path: Path) -> None:
        """Go on with the session in ``path``, in its own file."""
        record = resume_session(agent, path)
        self._retell(agent, record)
        turns = len(record.turns)
        said = [f"{turns} turn{'s' * (turns != 1)}.", *map(_sentence, record.notes)]
        self._say(agent, f"{record.path.stem} goes on", " ".join(said))

    def fork(self, agent: Agent, path: Path | None = None, turns: int | None = None) -> None:
        """Go on from a session after ``turns`` turns (all), in a file of its own; ``None``: the present one.

        Raises StorageError when there is no such session or turn.
        """
        record = read_session(path or _path(agent))
        if turns is not None and not 0 <= turns <= len(record.turns):
            raise StorageError(
                f"the session has {turns_text(len(record.turns))}, not {turns}",
                hint="Say after which turn the fork begins: /fork 2.",
            )
        kept = record.until(len(record.turns) if turns is None else turns)
        fork_session(agent, kept)
        self._retell(agent, kept)
        origin = f"It begins like {record.path.stem}, which stays as it is, up to turn {len(kept.turns)}."
        self._say(agent, "A fork goes on from here", origin, "/compare shows both.")

    def what_if(self, agent: Agent, instead: Instead) -> tuple[str, BegunTurn]:
        """Fork before the turn of a past call; what ``agent.resume_turn`` takes to go on from there.

        Raises StorageError when the call is none of the present conversation.
        """
        session = agent.current_session
        past = _past(session, instead.call_id) if session is not None else None
        if session is None or past is None:
            raise StorageError(
                "that call is not part of the present conversation",
                hint="Open its session first: /sessions.",
            )
        kept = read_session(_path(agent)).until(past.turn - 1)
        fork_session(agent, kept)
        self._retell(agent, kept)
        what = "had failed" if instead.failed else "had given something else"
        title = f"What if {past.name} {what}"
        self._say(agent, title, "The turn goes on from there in a fork.", "/compare shows both.")
        return past.prompt, past.begun(instead)

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
        """Show the conversation as if it had happened here."""
        self._post(events.SessionReset(agent.name, time.time()))
        for event in retell(agent.name, record):
            self._post(event)
        self._post(usage_event(agent))

    def _say(self, agent: Agent, title: str, text: str, hint: str = "") -> None:
        self._post(events.Notice(agent.name, time.time(), title, text, hint, "muted"))


@dataclass(frozen=True, slots=True)
class _Past:
    """A past call: its turn as far as the batch that the call was in."""

    name: str
    turn: int
    prompt: str
    messages: tuple[Mapping[str, Any], ...]
    trace: tuple[Mapping[str, Any], ...]

    def begun(self, instead: Instead) -> BegunTurn:
        """That part of the turn, with the call ended as it is wished."""
        messages = [
            {**message, "content": instead.text}
            if message.get("tool_call_id") == instead.call_id
            else message
            for message in self.messages
        ]
        return BegunTurn(messages, [_changed(entry, instead) for entry in self.trace])


def _changed(entry: Mapping[str, Any], instead: Instead) -> Mapping[str, Any]:
    if entry.get("call_id") != instead.call_id:
        return entry
    left = ("error", "error_type", "traceback", "nested")
    kept = {key: value for key, value in entry.items() if key not in left}
    new = {**kept, "result": instead.text, "status": "error" if instead.failed else "success"}
    new["original_result"] = entry.get("result")
    return {**new, "error": instead.text} if instead.failed else new


def _past(session: Mapping[str, Any], call_id: str) -> _Past | None:
    """The turn of a call, up to the end of the call's batch; None if the conversation does not hold it."""
    trace, messages = session["trace"], session["messages"]
    at = _find(trace, lambda e: e.get("call_id") == call_id and not e.get("by_hand"))
    asked = _find(messages, lambda m: any(call.get("id") == call_id for call in m.get("tool_calls") or ()))
    if at is None or asked is None:
        return None
    begin = _find(trace[:at], lambda e: e.get("type") == "user_input")
    prompt = str(trace[begin]["prompt"]) if begin is not None else ""
    said = _find(
        messages[:asked],
        lambda m: m.get("role") == "user" and str(m.get("content")).startswith(prompt),
    )
    if begin is None or said is None:
        return None
    end = asked + 1
    while end < len(messages) and messages[end].get("role") == "tool":
        end += 1
    iteration = trace[at].get("iteration")
    entries = [
        entry
        for entry in trace[begin + 1 :]
        if entry.get("type") in ("llm_call", "tool_execution") and not entry.get("by_hand")
    ]
    following = _first(entries, lambda e: e.get("iteration", 0) > iteration)
    return _Past(
        str(trace[at].get("tool_name")),
        int(trace[begin]["turn"]),
        prompt,
        tuple(messages[said + 1 : end]),
        tuple(entries[:following]),
    )


def _find(items: list[dict[str, Any]], fits: Callable[[dict[str, Any]], bool]) -> int | None:
    """The last place whose item fits."""
    return next((at for at in reversed(range(len(items))) if fits(items[at])), None)


def _first(items: list[dict[str, Any]], fits: Callable[[dict[str, Any]], bool]) -> int:
    return next((at for at, item in enumerate(items) if fits(item)), len(items))


def _path(agent: Agent) -> Path:
    """The file of the present conversation. Raises StorageError without one."""
    log = session_log(agent)
    if log is None or log.path is None:
        raise StorageError(_UNWRITTEN, hint="A session is kept with its first turn, unless log=False.")
    return log.path


def turns_text(count: int) -> str:
    """A number of turns for people."""
    return f"{count} turn{'s' * (count != 1)}"


def _sentence(note: str) -> str:
    return note[:1].upper() + note[1:] + "."
