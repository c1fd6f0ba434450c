"""Sessions in the app: the list, going on with one, forks, what-ifs, comparing and exporting."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from textual.app import App

from workbench.engine.agent import Agent
from workbench.errors import StorageError, WorkbenchError
from workbench.tui import events
from workbench.tui.background import Background
from workbench.tui.desk import Doers
from workbench.tui.events import SessionRow
from workbench.tui.palette import Palette
from workbench.tui.render import arguments_text
from workbench.tui.session_keeper import Instead, SessionKeeper
from workbench.tui.trace_records import Entry

if TYPE_CHECKING:
    from workbench.tui.screens.sessions import Deed, SessionsScreen

Do = Callable[[Callable[[Agent], object]], None]
"""Runs a job with the agent, on its thread, between turns."""

_FOUND_AT_MOST: Final = 500


class SessionDesk:
    """Reads and writes off the loop: files on ``background``, what changes the agent through ``do``.

    ``project`` is the folder whose sessions these are; ``turn_running`` tells whether a job has to wait.
    Reading waits for no turn: ``agent`` is only asked for its name and its session's file.
    """

    def __init__(
        self,
        app: App[Any],
        background: Background,
        *,
        do: Do,
        agent: Callable[[], Agent | None],
        post: Callable[[events.AgentEvent], None],
        palette: Callable[[], Palette],
        turn_running: Callable[[], bool],
        project: Path,
    ) -> None:
        self._app = app
        self._background = background
        self._do = do
        self._agent = agent
        self._post = post
        self._palette = palette
        self._turn_running = turn_running
        self._project = project
        self._keeper = SessionKeeper(post)
        self._list: SessionsScreen | None = None
        self._wondered: Entry | None = None  # the call that was last asked about
        self._enough = threading.Event()  # set once nobody waits any more for what is read for the list

    def doers(self) -> Doers:
        """``/sessions``, ``/resume``, ``/fork``, ``/compare`` and ``/export``."""
        return {
            "app.sessions": self._open,
            "app.resume": self._resume,
            "app.fork": self._fork,
            "app.compare": self._compare,
            "app.export": self._export,
        }

    def take_in(self, batch: Sequence[events.AgentEvent]) -> None:
        """Show what was read; once a session is open, tidy up behind those before it."""
        if any(isinstance(event, events.AgentReady | events.SessionReset) for event in batch):
            self._background.do("tidy up .workbench/results", self._tidy)
        for event in batch:
            if isinstance(event, events.SessionsRead) and self._list is not None:
                self._list.show(event.rows, event.note, over=event.over)
            elif isinstance(event, events.WhatIfRefused) and self._wondered is not None:
                self._ask(self._wondered, event.instead, event.reason)
            elif isinstance(event, events.BranchesRead):
                from workbench.tui.screens.branches import BranchesScreen

                screen = BranchesScreen(event.left, event.right, list(event.rows), self._palette())
                self._app.push_screen(screen)

    def _tidy(self) -> None:
        from workbench.storage.result_files import tidy_results

        tidy_results(self._project)

    def what_if(self, entry: Entry) -> None:
        """Ask what a past call shall have given, and go on from there."""
        turn = entry.turn
        if entry.kind != "tool" or not entry.data or turn.live or turn.by_hand or turn.parent is not None:
            text = "Calls of agents inside tools, your own calls, and model calls, cannot."
            title = "Only a tool call of a turn that is over can be given another ending"
            self._app.notify(text, title=title, markup=False, severity="warning")
            return
        self._wondered = entry
        self._ask(entry)

    def _ask(self, entry: Entry, written: Instead | None = None, refused: str = "") -> None:
        from workbench.tui.screens.what_if import WhatIfScreen

        failed = entry.data.get("status") == "error"
        result = str(entry.data.get("result") or entry.data.get("error") or "")
        screen = WhatIfScreen(
            entry.call_id,
            entry.name,
            arguments_text(entry.arguments),
            result,
            self._palette(),
            failed=failed,
            written=written,
            refused=refused,
        )
        self._app.push_screen(screen, self._chosen)

    def _chosen(self, instead: Instead | None) -> None:
        if instead is not None:
            self._note_waiting()
            self._do(partial(self._go_on, instead))

    def _go_on(self, instead: Instead, agent: Agent) -> None:
        try:
            begun = self._keeper.what_if(agent, instead)
        except WorkbenchError as error:
            self._refuse(agent, error)
            self._post(events.WhatIfRefused(agent.name, time.time(), instead, str(error)))
        else:
            prompt, first_part, images = begun
            agent.resume_turn(prompt, first_part, images=images)

    # the list

    def _open(self, _: str) -> None:
        if self._list is None:
            from workbench.tui.screens.sessions import SessionsScreen

            self._list = SessionsScreen(self._palette())
            self._app.push_screen(self._list, self._closed)
            self._read("")

    def _closed(self, result: None) -> None:
        self._list = None
        self._enough.set()

    def search(self, text: str) -> None:
        """Show where the text is in all sessions; an empty one shows the sessions themselves."""
        self._read(text)

    def _read(self, text: str) -> None:
        self._enough.set()
        self._enough = enough = threading.Event()
        self._look("read the sessions", lambda agent: self._rows(agent, text, enough))

    def _look(self, what: str, job: Callable[[Agent], object]) -> None:
        agent = self._agent()
        if agent is not None:
            self._background.do(what, partial(job, agent))

    def _rows(self, agent: Agent, text: str, enough: threading.Event) -> None:
        from workbench.storage.session_index import list_sessions, search_sessions

        current = self._keeper.path(agent)
        rows: list[SessionRow] = []
        note = ""
        if not text:
            rows = [SessionRow(head, head.path == current) for head in list_sessions(self._project)]
        elif not enough.is_set():
            self._post(events.SessionsRead(agent.name, time.time(), (), over=False))
        for found in search_sessions(self._project, text, stopped=enough.is_set):
            if len(rows) == _FOUND_AT_MOST:
                note = f"the first {_FOUND_AT_MOST} places"
                break
            here, hit = found.head.path == current, (found.at, found.at + found.length)
            rows.append(SessionRow(found.head, here, found.turn, found.excerpt, hit))
            if len(rows).bit_count() == 1:  # told again each time that there are twice as many
                told = tuple(rows)
                self._post(events.SessionsRead(agent.name, time.time(), told, "looking on…", over=False))
        if not enough.is_set():
            self._post(events.SessionsRead(agent.name, time.time(), tuple(rows), note))

    def wanted(self, row: SessionRow, deed: Deed) -> None:
        """Do with the session of a row what the person wants."""
        path, turns = row.head.path, row.turn or None
        if deed in ("resume", "fork") and self._list is not None:
            self._list.dismiss()
        if deed == "resume":
            self._job(lambda agent: self._keeper.resume(agent, path))
        elif deed == "fork":
            self._job(lambda agent: self._keeper.fork(agent, path, turns))
        elif deed == "compare":
            self._look("compare", lambda agent: self._pairs(agent, path))
        else:
            self._write(path, "markdown", "")

    # commands

    def _resume(self, word: str) -> None:
        if not word:
            self._open("")
            return
        from workbench.storage.session_index import find_session

        self._job(lambda agent: self._keeper.resume(agent, find_session(self._project, word)))

    def _fork(self, word: str) -> None:
        if word and not word.isdecimal():
            self._say(f"{word!r} is no number of turns.", "/fork 2 goes on from the end of turn 2.")
            return
        self._job(lambda agent: self._keeper.fork(agent, None, int(word) if word else None))

    def _compare(self, word: str) -> None:
        self._look("compare", lambda agent: self._named(agent, word))

    def _named(self, agent: Agent, word: str) -> None:
        from workbench.storage.session_index import find_session

        other = find_session(self._project, word) if word else self._keeper.origin(agent)
        self._pairs(agent, other)

    def _pairs(self, agent: Agent, other: Path) -> None:
        from workbench.storage.session_file import read_session
        from workbench.tui.branches import compare

        here = self._keeper.path(agent)
        if here is None or here == other:
            raise StorageError(
                "there is nothing to compare it with", hint="Compare the present session with another one."
            )
        left, right = read_session(other), read_session(here)
        rows = tuple(compare(left, right))
        self._post(events.BranchesRead(agent.name, time.time(), other.stem, f"{here.stem}, this one", rows))

    def _export(self, words: str) -> None:
        from workbench.storage.export import FORMATS

        kind, _, path = words.partition(" ")
        if kind and kind not in FORMATS:
            self._say(f"{kind!r} is no format.", f"Formats are {', '.join(FORMATS)}.")
            return
        self._look(
            "export the session", lambda agent: self._write_present(agent, kind or "markdown", path.strip())
        )

    def _write_present(self, agent: Agent, kind: str, name: str) -> None:
        path = self._keeper.path(agent)
        if path is None:
            self._post_notice("There is no session to export", "It begins with its first turn.")
        else:
            self._exported(path, kind, name)

    def _write(self, path: Path, kind: str, name: str) -> None:
        self._background.do("export the session", partial(self._exported, path, kind, name))

    def _exported(self, path: Path, kind: str, name: str) -> None:
        from workbench.storage.export import FORMATS, export_to
        from workbench.storage.session_file import read_session

        to = Path(name).expanduser() if name else self._project / f"{path.stem}{FORMATS[kind]}"
        export_to(read_session(path), kind, to)
        self._post_notice("The session was exported", str(to))

    # words

    def _job(self, job: Callable[[Agent], object]) -> None:
        self._note_waiting()
        self._do(lambda agent: self._kept(agent, lambda: job(agent)))

    def _kept(self, agent: Agent, job: Callable[[], Any]) -> Any:
        """Do it; what cannot be done is said, and the conversation stays as it was."""
        try:
            return job()
        except WorkbenchError as error:
            self._refuse(agent, error)
            return None

    def _refuse(self, agent: Agent, error: WorkbenchError) -> None:
        title = "The conversation stays as it was"
        self._post(events.Notice(agent.name, time.time(), title, str(error), error.hint))

    def _note_waiting(self) -> None:
        if self._turn_running():
            self._app.notify(
                "That happens once this turn is over.", title="Sessions", markup=False, timeout=2
            )

    def _say(self, title: str, hint: str) -> None:
        self._post(events.Notice("", time.time(), title, "", hint))

    def _post_notice(self, title: str, text: str) -> None:
        self._post(events.Notice("", time.time(), title, text, "", "muted"))
