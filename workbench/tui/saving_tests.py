"""Makes a test file of a traced call, at a path that a person says."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.app import App

from workbench.engine.agent import Agent
from workbench.errors import ConfigError, WorkbenchError
from workbench.storage.masking import Masker
from workbench.toolbox.pytest_writer import (
    Callee,
    WrittenTest,
    callee,
    check_savable,
    default_path,
    write_test,
)
from workbench.tui import events
from workbench.tui.background import Background
from workbench.tui.lab_wishes import THEN
from workbench.tui.palette import Palette
from workbench.tui.trace_records import Entry
from workbench.visible import visible_line


@dataclass(frozen=True, slots=True)
class Candidate:
    """A run that may be saved; ``calls`` are those of the same version of the tool.

    ``which`` names the run where there are others, ``notes`` are what should be known of it.
    """

    entry: Entry
    calls: Sequence[Entry]
    which: str = ""
    notes: tuple[str, ...] = ()


class TestSaver:
    """``folder`` is the project's; paths are shown and read relative to it."""

    __test__ = False

    def __init__(
        self,
        app: App[Any],
        background: Background,
        folder: Path,
        *,
        palette: Callable[[], Palette],
        post: Callable[[events.AgentEvent], None],
    ) -> None:
        self._app = app
        self._background = background
        self._folder = folder
        self._palette = palette
        self._post = post

    def save(self, agent: Agent | None, runs: Sequence[Candidate]) -> None:
        """Ask where the test of the first of these runs shall go, or of another; write it.

        Or say why the first cannot be one.
        """
        entry = runs[0].entry
        name = str(entry.data.get("tool_name", ""))
        tool = agent.tools.get(name) if agent is not None else None
        try:
            check_savable(entry.data)
            _check_open(entry.data)
            if tool is None:
                raise ConfigError(f"there is no tool {name} any more", hint="A test needs the tool itself.")
            where = callee(tool)
        except WorkbenchError as error:
            self._app.notify(error.hint, title=_sentence(str(error)), markup=False, severity="warning")
            return
        self._ask([runs[0], *filter(_savable, runs[1:])], where)

    def _ask(self, runs: Sequence[Candidate], where: Callee) -> None:
        from workbench.tui.screens.save_test import SaveTestScreen

        path = default_path(self._folder, str(runs[0].entry.data["tool_name"]))

        def written(run: Candidate, target: Path) -> WrittenTest:
            return write_test(run.entry.data, where, target, varies=_varies(run.entry, run.calls))

        def write(given: str | None) -> None:
            if given:
                target = self._folder / given
                text = written(runs[screen.chosen], target).text
                self._background.do("write the test", lambda: self._write(target, text))

        told = [(run.which, (*run.notes, *written(run, path).doubts)) for run in runs]
        which, doubts = told[0]
        others = told[1:]
        if others:
            which = which or THEN
        shown = str(path.relative_to(self._folder))
        screen = SaveTestScreen(
            runs[0].entry.name, shown, doubts, self._problem, self._palette(), which=which, others=others
        )
        self._app.push_screen(screen, write)

    def _problem(self, given: str) -> str:
        path = self._folder / given.strip()
        if not given.strip() or path.suffix != ".py":
            return "a test is a file that ends in .py"
        if not path.name.startswith("test_"):
            return "pytest finds files whose names begin with test_"
        return "there is such a file, and nothing is overwritten" if path.exists() else ""

    def _write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:  # never over a file that came up meanwhile
            file.write(text)
        shown = path.relative_to(self._folder) if path.is_relative_to(self._folder) else path
        hint = f"pytest {shown} runs it."
        title = f"The test is in {shown}"
        self._post(events.Notice("", time.time(), title, "", hint, tone="success"))
        self._app.call_later(self._show_above, title, hint)

    def _show_above(self, title: str, hint: str) -> None:
        """Where another screen lies over the conversation, say it there."""
        if len(self._app.screen_stack) > 1:
            self._app.notify(hint, title=title, markup=False)


def _check_open(data: Mapping[str, Any]) -> None:
    """Raise ConfigError for a call with a secret in it: test files are given to others."""
    mask = Masker()
    written = (str(data.get(key, "")) for key in ("arguments", "result", "error"))
    if any(mask(text) != text for text in written):
        raise ConfigError(
            "this call cannot be saved as a test: a secret stands in it",
            hint="Call it without, then save that.",
        )


def outcome(data: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a test of a traced call would hold it to."""
    return tuple(data.get(key) for key in ("status", "result", "error"))


def _savable(run: Candidate) -> bool:
    try:
        check_savable(run.entry.data)
        _check_open(run.entry.data)
    except WorkbenchError:
        return False
    return True


def _varies(entry: Entry, calls: Sequence[Entry]) -> bool:
    """Whether the session has seen other results of the same call."""
    return any(
        call.data.get("tool_name") == entry.data.get("tool_name")
        and call.data.get("status") in ("success", "error")
        and dict(call.arguments) == dict(entry.arguments)
        and call.data.get("result") != entry.data.get("result")
        for call in calls
    )


def _sentence(text: str) -> str:
    text = visible_line(text)
    return text[:1].upper() + text[1:]
