"""What stands behind the prompt: history, the kept draft, completion, and the person's own editor."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from textual.app import App
from textual.timer import Timer

from workbench.errors import WorkbenchError
from workbench.storage.draft_file import DraftFile
from workbench.storage.prompt_history import PromptHistory, SentMessage
from workbench.tui.background import Background
from workbench.tui.completion import Arguments, Completer
from workbench.tui.external_editor import ExternalEditor
from workbench.tui.file_index import FileIndex
from workbench.tui.palette import Palette
from workbench.tui.panels.prompt import Prompt
from workbench.tui.pasted_paths import mention_of_pasted
from workbench.tui.project_files import project_files
from workbench.tui.prompt_area import PromptArea, PromptReport
from workbench.tui.prompt_walk import PromptWalk
from workbench.visible import visible_line

DRAFT_SECONDS: Final = 0.5
"""How long after the last change the draft is written to disk."""

CLOSE_SECONDS: Final = 1
"""How long the end of the app waits for what is still being written."""

LISTED_SECONDS: Final = 5
"""How old the list of files may be when a file is begun to be named."""

_MASKED: Final = "[masked "
"""How that begins which stands in the place of a secret."""


class PromptDesk:
    """Works for one prompt. ``folder`` is the project's ``.workbench``, ``root`` where ``@paths`` begin.

    ``background`` is for what is kept, ``lister`` for listing files, which may take long and hold nothing up.
    ``take_back`` takes a queued message into the empty prompt; False where none is queued.
    """

    def __init__(
        self,
        app: App[Any],
        prompt: Prompt,
        background: Background,
        lister: Background,
        editor: ExternalEditor,
        *,
        folder: Path,
        root: Path,
        arguments: Arguments,
        palette: Callable[[], Palette],
        take_back: Callable[[], bool],
    ) -> None:
        self._app = app
        self._prompt = prompt
        self._background = background
        self._lister = lister
        self._editor = editor
        self._root = root
        self._palette = palette
        self._take_back = take_back
        self._history = PromptHistory(folder / "history.jsonl")
        self._drafts = DraftFile(folder / "drafts")
        self._walk = PromptWalk()
        self._sent: list[SentMessage] = []
        self._kept = ""
        self._timer: Timer | None = None
        self._listed: float | None = None
        self._completer = prompt.completer = Completer(arguments)
        prompt.area.known = self._known

    @property
    def messages(self) -> Sequence[SentMessage]:
        """What was sent in this project, oldest first, as far as it was read."""
        return self._sent

    @property
    def files_listed(self) -> bool:
        """Whether the project's files are known."""
        return self._completer.files is not None

    # life

    def open(self) -> None:
        """Bring in what earlier apps have left in this project."""
        self._background.do("read the history of the prompt", self._read_history)
        self._background.do("read the draft", self._read_draft)

    def close(self) -> None:
        """Keep the draft; the app ends."""
        self._keep(self._prompt.draft)
        self._background.do("close the draft", self._drafts.close)
        self.settle(CLOSE_SECONDS)

    def settle(self, timeout: float) -> bool:
        """Wait until what was sent and written so far is on disk; False if that takes longer, in seconds."""
        return self._background.settle(timeout)

    def _read_history(self) -> None:
        self._app.call_later(self._begin, self._history.load())

    def _begin(self, messages: Sequence[SentMessage]) -> None:
        self._sent[:0] = messages
        self._walk.begin([message.text for message in messages])

    def _read_draft(self) -> None:
        text = self._drafts.take()
        if text:
            # on disk as this app's own before anything else can happen to it
            self._drafts.keep(text)
            self._app.call_later(self._restore, text)

    def _restore(self, text: str) -> None:
        self._kept = text
        if self._prompt.draft:
            self._walk.add(text)
            said = "The draft of last time is one step up in the history."
        else:
            self._prompt.draft = text
            said = "The draft of last time is back in the prompt."
        if _MASKED in text:
            self._app.notify(f"{said} Secrets in it were not kept.", severity="warning")
        else:
            self._app.notify(said, timeout=3)

    # what the prompt reports

    def take(self, report: PromptReport) -> None:
        """Do what a report asks for."""
        match report:
            case Prompt.Edited(wants_files=wants):
                self._edited(wants)
            case PromptArea.Walked(step=step):
                self._step(step)
            case PromptArea.Wanted(what="history"):
                self._search()
            case PromptArea.Wanted():
                self._write_in_editor()
            case PromptArea.PastedPath():
                self._lister.do("look at the pasted path", partial(self._look_at, report))
            case PromptArea.TooLong(piece=piece):
                self._app.notify(
                    "^g shows and edits all of it in your editor.",
                    title=f"{piece} is too long to unfold here",
                    markup=False,
                )
            case _:
                pass

    def sent(self, text: str) -> None:
        """A message was sent: it is the newest one, and the draft is empty."""
        self._walk.add(text)
        if text:
            self._sent.append(SentMessage(time.time(), text))
            self._background.do("keep the message in the history", partial(self._history.add, text))
        self._keep("")

    def clear(self) -> None:
        """Throw the draft away; one step up in the history it is still there."""
        self._walk.add(self._prompt.draft)
        self._prompt.draft = ""

    def _edited(self, wants_files: bool) -> None:
        if self._timer is None:
            self._timer = self._app.set_timer(DRAFT_SECONDS, self._draft_rests)
        else:
            self._timer.reset()
        if wants_files:
            self._list_files()

    # the draft on disk

    def _draft_rests(self) -> None:
        self._timer = None
        self._keep(self._prompt.draft)

    def _keep(self, draft: str) -> None:
        text = draft if draft.strip() else ""
        if text != self._kept:
            self._kept = text
            self._background.do("keep the draft", partial(self._drafts.keep, text))

    # what was sent before

    def _step(self, step: int) -> None:
        draft = self._prompt.draft
        if step < 0 and not draft and self._take_back():
            return
        text = self._walk.step(draft, step)
        if text is None:
            return
        self._prompt.draft = text
        if step < 0:
            first = self._prompt.area.document.get_line(0)
            self._prompt.area.move_cursor((0, len(first)))

    def _search(self) -> None:
        from workbench.tui.screens.history import HistoryScreen

        newest: dict[str, SentMessage] = {}
        for message in reversed(self._sent):
            newest.setdefault(message.text, message)
        self._app.push_screen(HistoryScreen(tuple(newest.values()), self._palette()), self._found)

    def _found(self, text: str | None) -> None:
        if text is not None:
            draft = self._prompt.draft
            if draft.strip() and draft != text:
                self._walk.add(draft)
            self._prompt.draft = text

    # files

    def _known(self, line: str, first: bool) -> list[tuple[int, int]]:
        return self._completer.known_spans(line, first=first)

    def _list_files(self) -> None:
        now = time.monotonic()
        if self._listed is None or now - self._listed > LISTED_SECONDS:
            self._listed = now
            self._lister.do("list the project's files", self._look_for_files)

    def _look_for_files(self) -> None:
        self._app.call_later(self._files_found, FileIndex(project_files(self._root)))

    def _files_found(self, files: FileIndex) -> None:
        self._listed = time.monotonic()
        self._completer.files = files
        self._prompt.area.restyle()
        self._prompt.offer()

    def _look_at(self, pasted: PromptArea.PastedPath) -> None:
        mention = mention_of_pasted(pasted.text, self._root)
        if mention is not None:
            self._app.call_later(self._prompt.area.name_file, pasted, mention)

    # the editor

    def _write_in_editor(self) -> None:
        draft = self._prompt.draft
        try:
            text = self._editor.edit(draft)
        except WorkbenchError as error:
            self._app.notify(
                visible_line(error.hint), title=visible_line(str(error)), markup=False, severity="warning"
            )
            return
        if text != draft:
            if not text.strip():
                self._walk.add(draft)  # as after clearing it: one step up it is still there
            self._prompt.draft = text
