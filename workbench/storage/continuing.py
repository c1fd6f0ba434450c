"""An agent goes on with a session that was written before, in its file or in a fork of it."""

from __future__ import annotations

from pathlib import Path

from workbench.engine.agent import Agent
from workbench.engine.begun import REPLAYED
from workbench.engine.llm import TokenUsage
from workbench.errors import StorageError
from workbench.storage.session_file import SessionRecord, recover
from workbench.storage.session_log import SessionLog


def session_log(agent: Agent) -> SessionLog | None:
    """The log that writes the agent's session, None if nothing is written."""
    return next((observer for observer in agent.observers if isinstance(observer, SessionLog)), None)


def resume_session(agent: Agent, path: Path) -> SessionRecord:
    """Go on with the session in ``path``; the next turns are appended to it. Between turns only.

    What a crash left behind is mended first. Raises ``StorageError``, also when another process writes the
    file; the agent's conversation is then as it was. ``total_usage`` becomes that of the session.
    """
    record = recover(path)
    log = session_log(agent)
    if log is not None:
        log.continue_in(record)
    _take_over(agent, record)
    return record


def fork_session(agent: Agent, record: SessionRecord, *, inside: bool = False) -> Path:
    """Go on from the turns of ``record`` in a new file, whose path is returned. Between turns only.

    ``inside``: the next turn begins as it did there. Raises ``StorageError`` when nothing of this agent is
    written, or the file cannot be.
    """
    log = session_log(agent)
    if log is None:
        raise StorageError(
            "this conversation is not written to a session file, so it cannot be forked",
            hint="Run the agent with log=True.",
        )
    path = log.fork(record, inside=inside)
    _take_over(agent, record)
    return path


def _take_over(agent: Agent, record: SessionRecord) -> None:
    # without any turn there is no message either: the next one begins as the first of any session
    session = record.session()
    agent.current_session = session if record.last else None
    entries = [entry for entry in session["trace"] if "usage" in entry]
    agent.last_usage = entries[-1]["usage"] if entries else TokenUsage()
    # what a turn took from a record was paid for in the session that it comes from
    paid = (entry["usage"] for entry in entries if not entry.get(REPLAYED))
    agent.total_usage = sum(paid, TokenUsage())
