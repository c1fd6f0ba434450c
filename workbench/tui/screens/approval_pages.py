"""What the tabs below the calls show: the diff, the arguments, the schema, the model's reason."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import Final

from workbench.errors import WorkbenchError
from workbench.tui.approval import ApprovalRequest, Batch, BatchRow, Preview
from workbench.tui.diff import Diff, diff, diff_lines
from workbench.tui.json_view import argument_lines, json_lines
from workbench.tui.line_view import Line
from workbench.tui.matching import never
from workbench.visible import visible, visible_line

_log = logging.getLogger("workbench.approval")

_AT_ONCE = 400
"""Lines that may be compared before the first frame; the rest is compared in a thread."""

_SHORT_REASON: Final = 24
"""Characters of a reason for asking that the list shows whole; longer ones stand below the arguments."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """A call's file change, compared, and the lines that show it."""

    preview: Preview
    diff: Diff
    lines: Sequence[Line]

    @classmethod
    def of(cls, preview: Preview, stopped: Callable[[], bool] = never) -> FileChange:
        """Compare; slow for long texts. Raises CancelledError soon after ``stopped`` turned true."""
        found = diff(preview.old, preview.new, stopped=stopped)
        return cls(preview, found, diff_lines(found))


Ready = Callable[[int, FileChange | str | None], None]
"""Told from a thread what a call would change now, why that is unknown, or None where no tool says it."""


Make = Callable[[], Preview | None]


class Pages:
    """The pages of a batch, made when they are looked at. ``ready`` hears of diffs that took a thread."""

    def __init__(self, batch: Batch, ready: Ready) -> None:
        self._batch = batch
        self._request: ApprovalRequest = batch.request
        self._ready = ready
        self._faults: dict[int, str | None] = {}
        self._untold: dict[int, str] = {}
        previews, forecasts = self._request.previews, self._request.forecasts
        self._changes: dict[int, FileChange | None] = {
            index: None
            for index, row in enumerate(batch.rows)
            if row.call.id in previews or row.call.id in forecasts
        }
        self._later: dict[int, Make] = {}
        self._closed = threading.Event()
        self._compare_at_once()

    def start(self) -> None:
        """Do in threads what takes too long before the first frame.

        Texts are compared one after the other; a tool that still tells its change holds up no other.
        """
        later, self._later = self._later, {}
        if later:
            self._compare(later)
        for index, row in enumerate(self._batch.rows):
            if row.call.id in self._request.forecasts:
                self._compare({index: self._request.forecasts[row.call.id]})

    def close(self) -> None:
        """Nobody looks any more: what is being compared is left."""
        self._closed.set()

    def tabs(self, index: int) -> tuple[str, ...]:
        """The tabs that a call has, from the left."""
        rest = ("arguments", "schema") if self._request.by_hand else ("arguments", "schema", "said")
        return ("diff", *rest) if index in self._changes else rest

    def fault(self, index: int) -> str | None:
        """What is wrong with a call's arguments, as the model would read it; None where nothing is."""
        if index not in self._faults:
            row = self._batch.rows[index]
            self._faults[index] = self._request.check(row.call.name, row.arguments)
        return self._faults[index]

    def change(self, index: int) -> FileChange | None:
        """The file change that a call would make, once it has been compared."""
        return self._changes.get(index)

    def lines(self, index: int, tab: str) -> Sequence[Line]:
        """A page."""
        row = self._batch.rows[index]
        if tab == "diff":
            return self._diff_page(index)
        if tab == "schema":
            return self._schema_page(row)
        return self._said_page() if tab == "said" else self._arguments_page(index, row)

    def compared(self, index: int, change: FileChange | str | None) -> None:
        """Take in what ``ready`` was told."""
        self._untold.pop(index, None)
        if isinstance(change, FileChange):
            self._changes[index] = change
            return
        self._changes.pop(index, None)
        if change is not None:
            self._untold[index] = change

    def edited(self, index: int) -> None:
        """The call's arguments changed: its file change is made anew, in a thread."""
        self._faults.pop(index, None)
        self._untold.pop(index, None)
        if index in self._changes:
            self._changes[index] = None
        row = self._batch.rows[index]
        self._compare({index: partial(self._request.preview, row.call.name, row.arguments)})

    def _compare_at_once(self) -> None:
        room = _AT_ONCE
        for index in self._changes:
            preview = self._request.previews.get(self._batch.rows[index].call.id)
            if preview is None:
                continue
            room -= preview.old.count("\n") + preview.new.count("\n") + 2
            if room >= 0:
                self._changes[index] = FileChange.of(preview)
            else:
                self._later[index] = partial(_as_is, preview)

    def _compare(self, jobs: Mapping[int, Make]) -> None:
        batch = self._batch
        arguments = {index: batch.rows[index].arguments for index in jobs}

        def work() -> None:
            for index, make in jobs.items():
                change: FileChange | str | None
                try:
                    preview = make()
                    change = None if preview is None else FileChange.of(preview, self._closed.is_set)
                except CancelledError:
                    return
                except WorkbenchError as error:
                    change = str(error)
                except Exception as error:  # noqa: BLE001  # without a diff the call can still be judged
                    _log.exception("no preview of %s", batch.rows[index].call.name)
                    change = f"{type(error).__name__}: {error}"
                if batch.rows[index].arguments is arguments[index]:
                    self._ready(index, change)

        # a daemon: a preview that never ends must not keep the app from ending
        threading.Thread(
            target=copy_context().run, args=(work,), name="approval-preview", daemon=True
        ).start()

    def _diff_page(self, index: int) -> Sequence[Line]:
        change = self._changes.get(index)
        if change is None:
            return [
                Line("● working out what would change", "accent"),
                Line("Nobody has to wait for it: the arguments stand on the next tab.", "muted", words=True),
            ]
        if not change.lines:
            return _no_difference(change.preview)
        others = [
            other
            for other, known in self._changes.items()
            if other != index and known is not None and known.preview.path == change.preview.path
        ]
        if not others:
            return change.lines
        with_it = f"call {others[0] + 1}" if len(others) == 1 else f"{len(others)} other calls"
        said = f"Compared with the file as it is now, which {with_it} would change too."
        return [Line(said, "warning", words=True), Line(), *change.lines]

    def _schema_page(self, row: BatchRow) -> Sequence[Line]:
        schema = self._request.schemas.get(row.call.name)
        if schema is None:
            return _empty("No schema is known.", "There may be no tool of this name; the model will be told.")
        return json_lines(schema)

    def _said_page(self) -> Sequence[Line]:
        if not self._request.said.strip():
            return _empty("The model gave no reason.", "What it writes beside its calls stands here.")
        return [Line(text, words=True) for text in visible(self._request.said).split("\n")]

    def _arguments_page(self, index: int, row: BatchRow) -> Sequence[Line]:
        fault = self.fault(index)
        lines = [Line(text, "error", words=True) for text in visible(fault).split("\n")] if fault else []
        if index in self._untold and not fault:
            told = visible_line(self._untold[index])
            lines += [Line(f"There is no diff to judge by: {told}", "warning", words=True)]
        lines += argument_lines(row.arguments) or _empty("No arguments.", "The tool is called without any.")
        if row.edited is not None:
            lines += [
                Line(),
                Line("The model sent", "subtle"),
                *argument_lines(row.call.arguments, key="muted"),
            ]
        because = visible_line(row.call.asks_because)
        if row.call.permission != "allow" and len(because) > _SHORT_REASON:
            title = "Cannot run" if row.locked else "Asks because"
            lines += [Line(), Line(title, "subtle"), Line(because, words=True)]
        return lines


def _empty(what: str, then: str) -> list[Line]:
    return [Line(what, "subtle"), Line(then, "muted", words=True)]


def _no_difference(preview: Preview) -> list[Line]:
    if preview.new:
        return _empty("Nothing would change.", "The file has this very content already.")
    return _empty("Nothing would be in the file.", "It is empty now, or not there, and would be empty.")


def first_tab(tabs: Iterable[str], wanted: str) -> str:
    """The wanted tab if the call has it, else its first one."""
    found = tuple(tabs)
    return wanted if wanted in found else found[0]


def _as_is(preview: Preview) -> Preview:
    return preview
