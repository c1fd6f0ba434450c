"""The session on disk: one YAML file per session to which each finished turn is appended."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.engine.llm import Message
from workbench.engine.observer import TraceEntry, TurnSummary
from workbench.engine.verified import Bookmark
from workbench.errors import StorageError
from workbench.storage import file_hold, private_file
from workbench.storage.end_mark import append_marked
from workbench.storage.file_log import FileLog
from workbench.storage.journal import Journal, journal_path
from workbench.storage.masking import Masker
from workbench.storage.plain import to_plain
from workbench.storage.session_file import SessionRecord, held_error
from workbench.storage.session_format import (
    BY_HAND,
    Earlier,
    Origin,
    TurnRecord,
    comment,
    header,
    record_of,
    turn_item,
)

if TYPE_CHECKING:
    from workbench.engine.agent import Agent

logger = logging.getLogger(__name__)

_MOST_UNWRITTEN: Final = 32 * 1024 * 1024  # bytes of turns kept in memory while the disk refuses them


class SessionLog(FileLog):
    """Writes ``<root>/.workbench/sessions/<agent>_<UTC time>.yaml`` for one agent.

    The file appears with the first turn, is never shared, and is valid YAML after each write. The running
    turn is kept in a journal beside it, entry by entry. When the disk refuses, the turn goes on: the
    failure is logged once, the unwritten turns wait in memory (up to 32 MB) and are written, with a note,
    as soon as that is possible again.
    """

    def __init__(
        self,
        root: str | Path | None = None,
        *,
        mask: Masker | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(root, mask=mask, clock=clock)
        self._path: Path | None = None
        self._descriptor = -1
        self._journal: Journal | None = None
        self._seen = Bookmark()  # the messages that were journaled or written
        self._gap = False  # the journal lacks messages that count as seen
        self._written = 0
        self._before = ""  # the file with the turns before those of the next one
        self._running = self._journaling = False
        self._early: list[TraceEntry] = []  # entries of a turn that was not announced yet
        self._begun: list[str] = []  # calls that began and are not in the journal yet
        self._unwritten: list[bytes] = []
        self._lost = 0
        self._problem: str | None = None

    @property
    def path(self) -> Path | None:
        """The file of the current session; None before its first turn, and after it ended."""
        return self._path

    @property
    def problem(self) -> str | None:
        """Why nothing can be written at the moment, or None."""
        return self._problem

    def continue_in(self, record: SessionRecord) -> None:
        """Append the next turns to the file of a session that was read with ``recover()``.

        Raises ``StorageError`` if the file cannot be written or another running session writes it.
        """
        path = record.path
        with self._lock:
            try:
                descriptor = private_file.open_private(path, 0)
            except OSError as error:
                raise StorageError(f"cannot write {path}: {error.strerror}") from error
            if not file_hold.hold(descriptor):
                os.close(descriptor)
                raise held_error(path)
            self._go_on_in(path, descriptor, record)

    def fork(self, record: SessionRecord, *, inside: bool = False) -> Path:
        """Append the next turns to a new file that begins with the turns of ``record``, and return its path.

        ``inside``: the next turn begins as it did there. The file that was read stays as it is. Raises
        ``StorageError`` if the new one cannot be written.
        """
        origin = Origin(record.path.name, record.last, inside)
        with self._lock:
            try:
                path, descriptor = self._create(
                    record.agent, record.model, record.earlier, origin, record.turns
                )
            except OSError as error:
                raise StorageError(f"cannot write the fork: {error.strerror or error}") from error
            self._go_on_in(path, descriptor, record)
            return path

    def _go_on_in(self, path: Path, descriptor: int, record: SessionRecord) -> None:
        self._let_go()
        self._path, self._descriptor = path, descriptor
        self._seen.start(record.messages)
        self._seen.advance(record.messages)
        self._written = len(record.turns)

    def turn_started(self, agent: Agent, prompt: str) -> None:
        """Begin the session's file if need be, and the turn's journal."""
        with self._lock:
            self._mask.refresh()
            model = _model(agent)
            self._journaling, self._begun = False, []
            try:
                self._open(agent, model, under_way=1)
                if self._journal is not None:
                    index = self._written + len(self._unwritten)
                    self._journal.start(self._mask(prompt), model, self._clock(), index)
                    self._add(agent, self._early)
                    self._journaling = True
            except OSError as error:
                self._report(error)
            self._running, self._early = True, []

    def batch_started(self, agent: Agent) -> None:
        """Put the model's calls into the journal before any of them runs."""
        self._keep(agent, [])

    def call_started(self, agent: Agent, call_id: str) -> None:
        """Put into the journal that the call begins, before it can do anything."""
        with self._lock:
            if self._running and self._journaling and self._journal is not None:
                self._begun.append(self._mask(call_id))
                try:
                    # The call's thread is not the agent's, so the messages are left alone.
                    self._write_journal([], [])
                except OSError as error:
                    self._report(error)

    def entry_added(self, agent: Agent, entry: TraceEntry) -> None:
        """Put the entry, and the messages that came since the last one, into the journal.

        Behind a summary of the older turns the next turn begins a new file: this one keeps them.
        """
        if entry["type"] == "compaction":
            before = self._path.name if self._path is not None else ""
            self.close()
            self._before = before
        self._keep(agent, [entry])

    def turn_finished(self, agent: Agent, summary: TurnSummary) -> None:
        """Append the turn to the file and empty the journal."""
        interrupt: KeyboardInterrupt | None = None
        with self._lock:
            self._running = False
            self._new_messages(agent)
            try:
                item = turn_item(record_of(summary, self._mask))
            except KeyboardInterrupt as error:  # the conversation goes on with this turn, so the file does
                item = turn_item(record_of(summary, self._mask))
                interrupt = error
            self._unwritten.append(item)
            try:
                self._open(agent, summary.model)
                self._write_turns()
            except OSError as error:
                self._report(error)
                self._forget_the_oldest()
        if interrupt is not None:
            raise interrupt

    def hand_finished(self, agent: Agent, entries: Sequence[TraceEntry]) -> None:
        """Append what a person ran as comments at once; the trace of the next turn holds it as well."""
        with self._lock:
            self._mask.refresh()
            lines = b"".join(comment(BY_HAND, to_plain(entry, self._mask)) for entry in entries)
            try:
                self._open(agent, _model(agent))
                append_marked(self._descriptor, lines, self._written)
            except OSError as error:
                self._report(error)

    def session_reset(self, agent: Agent) -> None:
        """The next turn begins a new file."""
        self.close()

    def close(self) -> None:
        """Let go of the files, after a last try to write the turns that wait."""
        with self._lock:
            self._let_go()

    def _let_go(self) -> None:
        if self._unwritten or self._lost:
            try:
                self._write_turns()
            except OSError as error:
                self._report(error)
        self._end()

    def _keep(self, agent: Agent, entries: list[TraceEntry]) -> None:
        with self._lock:
            plain = [to_plain(entry, self._mask) for entry in entries]
            if not self._running:
                self._early.extend(plain)
            elif self._journaling:
                try:
                    self._add(agent, plain)
                except OSError as error:
                    self._report(error)

    def _open(self, agent: Agent, model: str, under_way: int = 0) -> None:
        """``under_way``: turns that the agent counts already and that nothing here knows of yet."""
        self._bring_back()
        if self._descriptor < 0:
            turn = (agent.current_session or {}).get("turn", 0)
            earlier = Earlier(max(0, turn - under_way - len(self._unwritten)), self._before)
            self._path, self._descriptor = self._create(agent.name, model, earlier)
        if self._journal is None and self._path is not None:
            self._journal = Journal(self._path)

    def _bring_back(self) -> None:
        """If the file was removed meanwhile, write it again, with all that it held. Raises ``OSError``."""
        if self._path is not None and private_file.is_gone(self._descriptor):
            folder = self._folder("sessions")
            path, descriptor = private_file.create_new(folder, self._path.stem, ".yaml", lambda taken: taken)
            try:
                private_file.copy(self._descriptor, descriptor)
                file_hold.hold(descriptor)
            except OSError:
                os.close(descriptor)
                path.unlink(missing_ok=True)
                raise
            os.close(self._descriptor)
            logger.warning("the session's file was removed while it ran; all of it is in %s again", path)
            self._path, self._descriptor = path, descriptor
        if self._path is not None and self._journal is not None:
            self._journal = self._journal.bring_back(self._path)

    def _create(
        self,
        agent_name: str,
        model: str,
        earlier: Earlier,
        origin: Origin | None = None,
        turns: Iterable[TurnRecord] = (),
    ) -> tuple[Path, int]:
        """A new session file with these turns, and its descriptor; no file after an OSError."""
        started = datetime.fromtimestamp(self._clock(), UTC)
        folder = self._folder("sessions")
        stem = f"{private_file.file_safe(agent_name)}_{started:%Y-%m-%dT%H-%M-%S}"
        path, descriptor = private_file.create_new(folder, stem, ".yaml", journal_path)
        try:
            file_hold.hold(descriptor)
            append_marked(descriptor, header(agent_name, model, started, self._mask, origin, earlier), 0)
            for number, turn in enumerate(turns, 1):
                by_hand = b"".join(comment(BY_HAND, entry) for entry in turn.by_hand)
                append_marked(descriptor, turn_item(turn) + by_hand, number)
        except OSError:
            os.close(descriptor)
            path.unlink(missing_ok=True)
            raise
        return path, descriptor

    def _write_turns(self) -> None:
        if self._descriptor < 0:
            raise OSError("there is no session file")
        self._bring_back()
        note = self._note()
        while self._unwritten:
            append_marked(self._descriptor, note + self._unwritten[0], self._written + 1)
            del self._unwritten[0]
            note, self._lost = b"", 0
            self._written += 1
        if note:  # no turn is left that it could stand before
            append_marked(self._descriptor, note, self._written)
            self._lost = 0
        # The turn must be on the disk before its journal goes, whatever happens to the machine.
        os.fsync(self._descriptor)
        if self._journal is not None:
            self._journal.clear()
        self._problem = None

    def _note(self) -> bytes:
        """A comment about turns that came late or not at all; a comment is valid YAML anywhere here."""
        if self._problem is None:
            return b""
        now = datetime.fromtimestamp(self._clock(), UTC)
        late = max(0, len(self._unwritten) - 1)
        text = f"# {now:%Y-%m-%dT%H:%M:%SZ} writing had failed ({self._problem}): "
        text += f"{late} turns before this one were written late, {self._lost} were lost\n"
        return text.encode("ascii", "backslashreplace")

    def _report(self, error: OSError) -> None:
        if self._problem is None:
            where = self._path or self._root / ".workbench" / "sessions"
            logger.warning(
                "the session cannot be kept: %s (%s); this is tried again with each turn",
                error.strerror or error,
                where,
            )
        self._problem = error.strerror or str(error)

    def _forget_the_oldest(self) -> None:
        while sum(map(len, self._unwritten)) > _MOST_UNWRITTEN:
            del self._unwritten[0]
            self._lost += 1

    def _add(self, agent: Agent, entries: list[TraceEntry]) -> None:
        """Put entries and new messages into the journal; all messages, if handlers changed the old ones."""
        if self._journal is None:
            return
        new, replaces = self._new_messages(agent)
        plain = [to_plain(message, self._mask) for message in new]
        try:
            self._write_journal(entries, plain, replaces=replaces)
        except OSError:
            self._gap = True
            raise

    def _write_journal(
        self, entries: list[TraceEntry], messages: list[Message], *, replaces: bool = False
    ) -> None:
        self._bring_back()
        assert self._journal is not None
        self._journal.add(entries, messages, begun=self._begun, replaces=replaces)
        self._begun = []

    def _new_messages(self, agent: Agent) -> tuple[list[Message], bool]:
        """What came since the last time; or all messages and True, if the old ones are not as they were."""
        messages: list[Message] = agent.current_session["messages"] if agent.current_session else []
        replaces = self._gap or not self._seen.says(messages)
        if replaces:
            self._seen.start(messages)
        self._gap = False
        return self._seen.advance(messages), replaces

    def _end(self) -> None:
        if self._journal is not None:
            self._journal.close()
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._path, self._descriptor, self._journal = None, -1, None
        self._seen, self._gap, self._begun, self._before = Bookmark(), False, [], ""
        self._written = self._lost = 0
        self._unwritten, self._problem, self._running, self._early = [], None, False, []


def _model(agent: Agent) -> str:
    return str(getattr(agent, "model", ""))
