"""The session of an agent, and which parts of it were already reported."""

from __future__ import annotations

from typing import Any

from workbench.engine.llm import Message
from workbench.engine.observer import TraceEntry
from workbench.engine.verified import Bookmark, MessageList

Session = dict[str, Any]
"""``messages trace turn iteration user_prompt``, and for a while the ``TRANSIENT_KEYS``."""

TRANSIENT_KEYS = ("pending_tools", "pending_tool", "llm_response")
"""Keys that exist only while something happens; everything else can be written as JSON."""


def new_session(system_prompt: str) -> Session:
    """A session before its first turn."""
    messages: list[Message] = [{"role": "system", "content": system_prompt}] if system_prompt else []
    return {"messages": MessageList(messages), "trace": [], "turn": 0, "iteration": 0, "user_prompt": ""}


def adopt(session: Session) -> None:
    """Give a session that came from elsewhere the keys that the engine counts on."""
    for key, value in new_session("").items():
        session.setdefault(key, value)
    session["messages"] = MessageList(session["messages"])


class Unreported:
    """Tells what was added to messages and trace since the last turn was reported.

    Handlers may replace or rearrange the lists; nothing is then reported twice or missed.
    """

    def __init__(self) -> None:
        self._reported = Bookmark()
        self._trace_length = 0

    def start_at(self, session: Session) -> None:
        """Count everything that is there as reported: the session was loaded, not lived."""
        self._reported.start(session["messages"])
        self._reported.advance(session["messages"])
        self._trace_length = len(session["trace"])

    def take(self, session: Session) -> tuple[tuple[Message, ...], tuple[TraceEntry, ...]]:
        """Messages and trace entries that are new since the last time."""
        messages: list[Message] = session["messages"]
        if self._reported.holds(messages):
            new = self._reported.advance(messages)
        else:
            known = {id(message) for message in self._reported.messages}
            self._reported.start(messages)
            new = [message for message in self._reported.advance(messages) if id(message) not in known]
        trace = session["trace"]
        start, self._trace_length = min(self._trace_length, len(trace)), len(trace)
        return tuple(new), tuple(trace[start:])
