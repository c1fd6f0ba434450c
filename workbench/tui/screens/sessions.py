"""The sessions of the project: go on with one, fork it, compare it, find a text in all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, Literal

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from workbench.tui.commands import bindings
from workbench.tui.do import Errand
from workbench.tui.events import SessionRow
from workbench.tui.filter_line import FilterLine
from workbench.tui.key_hints import hint_spans, hints_of
from workbench.tui.palette import Palette
from workbench.tui.panels.status import Line
from workbench.tui.render import Span, clip, fit, spans_width
from workbench.tui.rows import RowList
from workbench.tui.screens.box import BoxScreen
from workbench.tui.words import ago
from workbench.visible import visible_line

Deed = Literal["resume", "fork", "compare", "export"]

_READING: Final[tuple[Span, ...]] = (("Reading the sessions…", "subtle"),)
_EMPTY: Final[tuple[Span, ...]] = (
    ("There is no session yet.", "subtle"),
    ("Each conversation is kept here, in .workbench/sessions, from its first turn on.", "muted"),
)
_SEARCHING: Final[tuple[Span, ...]] = (("Looking through the sessions…", "subtle"),)
_NOTHING: Final[tuple[Span, ...]] = (
    ("That text is in no session.", "subtle"),
    ("Prompts, answers, calls and results were searched, whatever their case.", "muted"),
)
_EDGE: Final = 2
_AGENT: Final = 16
_TURNS: Final = 7
_STATE: Final = 13
_STATE_FROM: Final = 64
_PROMPT: Final = 12
"""Cells of the first prompt that a session's name leaves at least."""


class _Title(Line):
    background = "raised"
    count = 0

    def spans(self, width: int) -> list[Span]:
        name: list[Span] = [("  Sessions", "text strong"), (f"  {self.count or ''}", "muted")]
        blanks = _EDGE + _AGENT - spans_width(name)
        heads = fit(
            "begins with", width - 2 * _EDGE - _AGENT - _TURNS - (_STATE if width >= _STATE_FROM else 0)
        )
        state = fit("written", _STATE, right=True) if width >= _STATE_FROM else ""
        return [*name, (" " * blanks + heads + fit("turns", _TURNS, right=True) + state, "muted")]


class _Foot(Line):
    background = "raised"
    note = ""
    some = False
    searching = False

    def spans(self, width: int) -> list[Span]:
        if self.searching:
            return []  # the search says its keys itself
        keys = hints_of("sessions")
        hints = hint_spans(keys if self.some else keys[-1:], width - 2 * _EDGE)
        spans: list[Span] = [("  ", "muted"), *hints, ("   ", "muted")]
        return [*spans, (clip(self.note, width - _EDGE - spans_width(spans)), "subtle")]


def _around(excerpt: str, hit: tuple[int, int], room: int) -> list[Span]:
    """As much of an excerpt as there is room for, with what was searched in the middle."""
    before, found, behind = (
        visible_line(part) for part in (excerpt[: hit[0]], excerpt[slice(*hit)], excerpt[hit[1] :])
    )
    found = clip(found, room)
    free = room - cell_len(found)
    left = min(cell_len(before), max(free // 2, free - cell_len(behind)))
    if cell_len(before) > left:
        while before and cell_len(before) > max(0, left - 1):
            before = before[1:]
        before = "…" + before if left else ""
    return [(before, "subtle"), (found, "accent"), (fit(behind, free - cell_len(before)), "subtle")]


class SessionsScreen(BoxScreen[None]):
    """Shows the rows that it is given with ``show``; what shall be done is asked for with messages.

    ``now`` gives Unix seconds.
    """

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    BINDINGS: ClassVar[list[BindingType]] = bindings("sessions")

    @dataclass
    class Wanted(Errand):
        """Do this with the session of the row."""

        row: SessionRow
        deed: Deed

    @dataclass
    class Search(Errand):
        """Show where this text is; an empty one shows all sessions."""

        text: str

    def __init__(self, palette: Palette, *, now: Callable[[], float] = time.time) -> None:
        super().__init__()
        self._now = now
        self._title = _Title(palette)
        self._search = FilterLine("text in prompts, answers, calls and results", "search", "all")
        self._list: RowList[SessionRow] = RowList(self._draw, palette, background="raised", empty=_READING)
        self._foot = _Foot(palette)

    def compose(self) -> ComposeResult:
        """Title with the heads, rows, keys."""
        with Vertical(id="sessions-box"):
            yield self._title
            yield self._search
            yield self._list
            yield self._foot

    def on_mount(self) -> None:
        """The rows take the keys."""
        self._list.focus()

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._list.palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._title.palette = self._list.palette = self._foot.palette = palette

    def show(self, rows: Sequence[SessionRow], note: str = "", *, over: bool = True) -> None:
        """These are the sessions, or the places that were found; so far, until it is ``over``."""
        found = _NOTHING if over else _SEARCHING
        self._list.empty = found if self._search.text else _EMPTY
        self._list.show(list(rows))
        if self._list.cursor < 0 and rows:
            self._list.go_to(0)
        self._title.count, self._foot.some, self._foot.note = len(rows), bool(rows), note
        self._title.refresh()
        self._foot.refresh()

    def on_descendant_focus(self) -> None:
        """The keys are those of what is typed into."""
        self._foot.searching = self._search.has_focus_within
        self._foot.refresh()

    on_descendant_blur = on_descendant_focus

    # keys

    def action_resume(self) -> None:
        """Go on with the highlighted session."""
        self._want("resume")

    def action_fork(self) -> None:
        """Go on in a copy of it."""
        self._want("fork")

    def action_compare(self) -> None:
        """Compare it with the present one."""
        self._want("compare")

    def action_export(self) -> None:
        """Write it as Markdown."""
        self._want("export")

    def _want(self, deed: Deed) -> None:
        row = self._list.current
        if row is not None:
            self.post_message(self.Wanted(row, deed))

    @on(RowList.Clicked)
    def _clicked(self, event: RowList.Clicked) -> None:
        if event.chain == 2:
            self._want("resume")

    def action_search(self) -> None:
        """Type what to look for."""
        self._search.open()

    @on(FilterLine.Left)
    def _left(self, event: FilterLine.Left) -> None:
        event.stop()
        if event.keep and self._search.text:
            self.post_message(self.Search(self._search.text))
        else:
            self._search.close()
            self.post_message(self.Search(""))
        self._list.focus()

    def action_close(self) -> None:
        """Leave the search, then the list."""
        if self._search.display:
            self._search.close()
            self.post_message(self.Search(""))
        else:
            self.dismiss()

    # drawing

    def _draw(self, row: SessionRow, width: int) -> list[Span]:
        head = row.head
        wide = width >= _STATE_FROM
        room = width - 2 * _EDGE - _AGENT - _TURNS - (_STATE if wide else 0)
        name = "text strong" if row.current else "text"
        spans: list[Span] = [
            ("  ", "muted"),
            (fit(visible_line(head.agent), _AGENT - 2), name),
            ("  ", "muted"),
        ]
        spans += self._said(row, room)
        turns = f"{row.turn} of {head.last}" if row.turn else str(head.turns)
        spans.append((fit(turns, _TURNS, right=True), "subtle"))
        if wide:
            text, key = self._state(row)
            spans.append((fit(text, _STATE, right=True), key))
        return spans

    def _said(self, row: SessionRow, room: int) -> list[Span]:
        head = row.head
        if head.problem:
            return [("✗ ", "error"), (fit(visible_line(head.problem), room - 2), "error")]
        if row.excerpt:
            return _around(row.excerpt, row.hit, room)
        fork, origin = "", head.origin
        if origin is not None:
            where = f"in turn {origin.turns + 1}" if origin.inside else f"of turn {origin.turns}"
            fork = f"  fork {where}"
        name = f"  {visible_line(head.path.stem.removeprefix(f'{head.agent}_'))}"  # what /resume takes
        if fork and len(fork) + len(name) + _PROMPT <= room:
            fork += name
        text = clip(visible_line(head.first) or "(no turn yet)", max(8, room - len(fork) - 1))
        return [(text, "subtle"), (fit(fork, room - spans_width([(text, "")])), "muted")]

    def _state(self, row: SessionRow) -> Span:
        if row.current:
            return "this one", "accent"
        if row.head.running:
            return "in use", "warning"
        if row.head.interrupted:
            return "interrupted", "warning"
        return ago(self._now() - row.head.written), "muted"
