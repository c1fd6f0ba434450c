"""The session of an agent, and which parts of it were already reported."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

from workbench.engine.llm import Message
from workbench.engine.observer import TraceEntry
from workbench.engine.verified import Bookmark, MessageList
from workbench.engine.watched import WatchedDict, watched

Session = dict[str, Any]
"""``messages trace turn iteration user_prompt``, and for a while the ``TRANSIENT_KEYS``."""

SESSION_KEYS = frozenset({"messages", "trace", "turn", "iteration", "user_prompt"})
"""Keys that every session has."""

TRANSIENT_KEYS = ("pending_tools", "pending_tool", "llm_response")
"""Keys that exist only while something happens; everything else can be written as JSON."""


def new_session(system_prompt: str) -> Session:
    """A session before its first turn."""
    messages = [system_message(system_prompt)] if system_prompt else []
    return {"messages": MessageList(messages), "trace": [], "turn": 0, "iteration": 0, "user_prompt": ""}


def system_message(text: str) -> Message:
    """The message with the system prompt."""
    return WatchedDict(role="system", content=text)


def adopt(session: Session) -> None:
    """Give a session that came from elsewhere the keys that the engine counts on."""
    for key, value in new_session("").items():
        session.setdefault(key, value)
    messages = session["messages"]
    with suppress(RecursionError):  # one that contains itself is mended before it could be sent
        messages = [watched(message) for message in messages]
    session["messages"] = MessageList(messages)


class News(NamedTuple):
    """What a turn added; ``replaces``: ``messages`` is the whole history, since what was reported changed."""

    messages: tuple[Message, ...]
    trace: tuple[TraceEntry, ...]
    replaces: bool


class Unreported:
    """Tells what was added to messages and trace since the last turn was reported.

    Handlers may rewrite what was reported; then the whole history is reported again.
    """

    def __init__(self) -> None:
        self._reported = Bookmark()
        self._trace_length = 0

    def start_at(self, session: Session) -> None:
        """Count everything that is there as reported: the session was loaded, not lived."""
        self._reported.start(session["messages"])
        self._reported.advance(session["messages"])
        self._trace_length = len(session["trace"])

    def take(self, session: Session, rewritten: int | None) -> News:
        """What is new since the last time; ``rewritten`` is the first message that was changed in place."""
        messages: list[Message] = session["messages"]
        changed = rewritten is not None and rewritten < len(self._reported)
        replaces = changed or not self._reported.says(messages)
        if replaces:
            self._reported.start(messages)
        new = self._reported.advance(messages)
        trace = session["trace"]
        start, self._trace_length = min(self._trace_length, len(trace)), len(trace)
        return News(tuple(new), tuple(trace[start:]), replaces)
