"""What the tabs below the calls show: the diff, the arguments, the schema, the model's reason."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial

from workbench.tui.approval import ApprovalRequest, Batch, BatchRow, Preview
from workbench.tui.diff import Diff, diff, diff_lines
from workbench.tui.json_view import argument_lines, json_lines
from workbench.tui.line_view import Line
from workbench.visible import visible

_log = logging.getLogger("workbench.approval")

_AT_ONCE = 400
"""Lines that may be compared before the first frame; the rest is compared in a thread."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """A call's file change, compared, and the lines that show it."""

    preview: Preview
    diff: Diff
    lines: Sequence[Line]

    @classmethod
    def of(cls, preview: Preview) -> FileChange:
        """Compare; slow for long texts."""
        found = diff(preview.old, preview.new)
        return cls(preview, found, diff_lines(found))


Ready = Callable[[int, FileChange | None], None]
"""Told from a thread what a call would change now; None where it has no preview any more."""


Make = Callable[[], Preview | None]


class Pages:
    """The pages of a batch, made when they are looked at. ``ready`` hears of diffs that took a thread."""

    def __init__(self, batch: Batch, ready: Ready) -> None:
        self._batch = batch
        self._request: ApprovalRequest = batch.request
        self._ready = ready
        self._faults: dict[int, str | None] = {}
        self._changes: dict[int, FileChange | None] = {
            index: None for index, row in enumerate(batch.rows) if row.call.id in self._request.previews
        }
        self._later: dict[int, Make] = {}
        self._compare_at_once()

    def start(self) -> None:
        """Compare in a thread what is too long to be compared before the first frame."""
        later, self._later = self._later, {}
        if later:
            self._compare(later)

    def tabs(self, index: int) -> tuple[str, ...]:
        """The tabs that a call has, from the left."""
        rest = ("arguments", "schema") if self._request.by_hand else ("arguments", "schema", "said")
        return ("diff", *rest) if index in self._changes else rest

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

    def compared(self, index: int, change: FileChange | None) -> None:
        """Take in what ``ready`` was told."""
        if change is None:
            self._changes.pop(index, None)
        else:
            self._changes[index] = change

    def edited(self, index: int) -> None:
        """The call's arguments changed: its file change is made anew, in a thread."""
        self._faults.pop(index, None)
        if index in self._changes:
            self._changes[index] = None
        row = self._batch.rows[index]
        self._compare({index: partial(self._request.preview, row.call.name, row.arguments)})

    def _compare_at_once(self) -> None:
        room = _AT_ONCE
        for index in self._changes:
            preview = self._request.previews[self._batch.rows[index].call.id]
            room -= preview.old.count("\n") + preview.new.count("\n") + 2
            if room >= 0:
                self._changes[index] = FileChange.of(preview)
            else:
                self._later[index] = partial(_as_is, preview)

    def _compare(self, jobs: Mapping[int, Make]) -> None:
        rows = self._batch.rows
        arguments = {index: rows[index].arguments for index in jobs}

        def work() -> None:
            for index, make in jobs.items():
                change = None
                try:
                    preview = make()
                    change = None if preview is None else FileChange.of(preview)
                except Exception:  # noqa: BLE001  # a tool's own code: without it the call can still be judged
                    _log.exception("no preview of %s", rows[index].call.name)
                if rows[index].arguments is arguments[index]:
                    self._ready(index, change)

        # a daemon: a preview that never ends must not keep the app from ending
        threading.Thread(
            target=copy_context().run, args=(work,), name="approval-preview", daemon=True
        ).start()

    def _diff_page(self, index: int) -> Sequence[Line]:
        change = self._changes.get(index)
        if change is None:
            return [Line("● comparing", "accent")]
        if not change.lines:
            return _empty("Nothing would change.", "The file has this very content already.")
        return change.lines

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
        if index not in self._faults:
            self._faults[index] = self._request.check(row.call.name, row.arguments)
        fault = self._faults[index]
        lines = [Line(text, "error", words=True) for text in visible(fault).split("\n")] if fault else []
        lines += argument_lines(row.arguments) or _empty("No arguments.", "The tool is called without any.")
        if row.edited is not None:
            lines += [
                Line(),
                Line("The model sent", "subtle"),
                *argument_lines(row.call.arguments, key="muted"),
            ]
        return lines


def _empty(what: str, then: str) -> list[Line]:
    return [Line(what, "subtle"), Line(then, "muted", words=True)]


def first_tab(tabs: Iterable[str], wanted: str) -> str:
    """The wanted tab if the call has it, else its first one."""
    found = tuple(tabs)
    return wanted if wanted in found else found[0]


def _as_is(preview: Preview) -> Preview:
    return preview
