"""The calls of the trace, newest first, to run one of them again while another one is paused."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import PurePath
from typing import ClassVar, Final

from textual.binding import BindingType

from workbench.tui.commands import bindings
from workbench.tui.palette import Palette
from workbench.tui.render import (
    TIME_WIDTH,
    Span,
    arguments_text,
    clip,
    fit,
    name_spans,
    spans_width,
    time_cells,
)
from workbench.tui.screens.choosing import LOOK, ChoosingScreen, holding
from workbench.tui.trace_records import Entry
from workbench.tui.trace_rows import state_glyph
from workbench.tui.trace_texts import text_of

_EMPTY: Final[tuple[Span, ...]] = (
    ("No call that fits.", "subtle"),
    ("Calls stand here once they have ended.", "muted"),
)


class EarlierCallsScreen(ChoosingScreen[Entry, Entry]):
    """Ends with the call that shall run again, or with None. ``calls`` are newest first."""

    CSS_PATH: ClassVar[list[str | PurePath]] = [LOOK]
    BINDINGS: ClassVar[list[BindingType]] = bindings("earlier")

    def __init__(self, calls: Sequence[Entry], palette: Palette) -> None:
        super().__init__("earlier", palette, placeholder="words of the call", empty=_EMPTY)
        self._calls = list(calls)

    def on_mount(self) -> None:
        """Begin with all of them."""
        self.narrow("")

    def title_spans(self, width: int) -> list[Span]:
        """What it lists, and when it runs."""
        when = "once the turn is over: the agent stands still inside the paused call"
        spans: list[Span] = [("  Run a call again", "text strong")]
        return [*spans, (clip("   " + when, width - spans_width(spans) - 2), "muted")]

    def draw_row(self, record: Entry, width: int) -> list[Span]:
        """What was called, with what, and how long it took."""
        left: list[Span] = [("  ", "text"), state_glyph(record), (" ", "text"), *name_spans(record.name)]
        room = max(0, width - spans_width(left) - TIME_WIDTH - 4)
        said = fit("  " + clip(arguments_text(record.arguments), max(0, room - 2)), room)
        return [*left, (said, "muted"), ("  ", "text"), (time_cells(record.ms), "subtle")]

    @cached_property
    def _texts(self) -> list[str]:
        """What is said in each call; read for the first word that is looked for."""
        return [text_of(call).lower() for call in self._calls]

    def narrow(self, text: str) -> None:
        """Show the calls in which every word is said, whatever its case."""
        words = text.lower().split()
        self._list.show(holding(words, self._calls, self._texts) if words else self._calls)
        self._list.go_to(0)
        self._title.refresh()

    def take(self, record: Entry) -> None:
        """End with it."""
        self.dismiss(record)
