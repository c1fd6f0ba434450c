"""Calls that run again, and which results changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.widget import Widget

from workbench.tui.commands import bindings, hints, labelled
from workbench.tui.lab_wishes import Compare, RunAgain, Wanted
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
from workbench.tui.rerun import Rerun
from workbench.tui.rows import RowList
from workbench.tui.screens.full import FullScreen
from workbench.tui.states import GLYPHS
from workbench.tui.title_row import TitleRow
from workbench.visible import visible_line

_TIMES_FROM = 80


class RerunsScreen(FullScreen[None]):
    """Shows ``runs``; ``refresh_runs`` says that there is news of them.

    ``stop`` ends what goes on with runs.
    """

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    BINDINGS: ClassVar[list[BindingType]] = bindings("reruns")
    scope = "reruns"

    def __init__(
        self,
        title: str,
        runs: Sequence[Rerun],
        palette: Palette,
        *,
        stop: Callable[[Sequence[Rerun]], object],
    ) -> None:
        super().__init__(palette)
        self._said = visible_line(title)
        self.runs = runs
        self._stop = stop
        self._heads = TitleRow(self._head_spans, palette)
        self._list: RowList[Rerun] = RowList(self._draw, palette, rows=list(runs))

    def body(self) -> Iterable[Widget]:
        """The heads, the calls."""
        return self._heads, self._list

    def dress(self, palette: Palette) -> None:
        """Both are painted anew."""
        self._heads.palette = self._list.palette = palette

    def on_mount(self) -> None:
        """The rows take the keys."""
        self._list.focus()

    @property
    def running(self) -> bool:
        """Whether some of them have not ended."""
        return any(run.state != "ended" for run in self.runs)

    @property
    def _stoppable(self) -> bool:
        """Whether some run, or are being compared."""
        return self.running or any(run.comparing == "now" for run in self.runs)

    def show(self, runs: Sequence[Rerun]) -> None:
        """Show other runs of the same calls."""
        self.runs = runs
        at = self._list.cursor
        self._list.show(list(runs))
        self._list.go_to(max(0, at))
        self.refresh_runs()

    def refresh_runs(self) -> None:
        """Show what has become of the runs."""
        self._list.refresh()
        self._top.refresh()
        held = hints(["reruns"])
        if self.running:
            held = [command for command in held if command.id != "reruns.again"]
        self._hints.show(labelled(held, "reruns.back", "stop") if self._stoppable else held)

    def on_resize(self, event: events.Resize) -> None:
        """Columns follow the width."""
        self.refresh_runs()

    # drawing

    def top_spans(self, width: int) -> list[Span]:
        """What runs again, and how much of it changed."""
        ended = sum(run.state == "ended" for run in self.runs)
        changed = sum(run.changed for run in self.runs)
        left: list[Span] = [("  ", "text"), (self._said, "text strong")]
        if self.running:
            said: Span = (f"{ended:,} of {len(self.runs):,}", "accent")
        elif changed:
            said = (f"{changed:,} of {len(self.runs):,} changed", "accent")
        else:
            said = ("no result changed" if any(run.data for run in self.runs) else "nothing ran", "muted")
        room = width - 2 - spans_width(left)
        return [*left, (fit(said[0], room, right=True), said[1])] if room > len(said[0]) else left

    def _columns(self, width: int) -> tuple[int, int]:
        """Cells for the call and for how it compares."""
        times = 2 * (1 + TIME_WIDTH) if width >= _TIMES_FROM else 0
        room = width - 2 - 2 - 2 - 2 - times
        compared = min(28, max(12, room // 3))
        return room - compared, compared

    def _head_spans(self, width: int) -> list[Span]:
        call, compared = self._columns(width)
        heads = fit("call", 2 + call) + "  " + fit("result", compared)
        if width >= _TIMES_FROM:
            heads += " " + fit("then", TIME_WIDTH, right=True) + " " + fit("now", TIME_WIDTH, right=True)
        return [("  " + heads, "muted")]

    def _draw(self, run: Rerun, width: int) -> list[Span]:
        call, compared = self._columns(width)
        state = str((run.data or {}).get("status", run.state if run.state != "ended" else "cancelled"))
        glyph = GLYPHS.get(state, ("?", "muted"))  # type: ignore[call-overload]  # a word from a trace
        name = name_spans(run.entry.name)
        if spans_width(name) + 8 > call:
            name = name[-1:]
        label = [*name, ("  ", "muted")]
        room = call - spans_width(label)
        said, key = run.compared
        spans: list[Span] = [("  ", "muted"), glyph, (" ", "muted"), *label]
        spans.append((fit(arguments_text(run.arguments), max(0, room)), "muted"))
        spans += [("  ", "muted"), (fit(clip(said, compared), compared), key)]
        if width >= _TIMES_FROM:
            new = run.data.get("timing") if run.data else None
            spans += [(" " + time_cells(run.old.get("timing")), "muted"), (" " + time_cells(new), "text")]
        return spans

    # keys

    def action_open(self) -> None:
        """Show both runs of the call under the cursor."""
        run = self._list.current
        if run is not None:
            self.post_message(Wanted(Compare(run)))

    def on_row_list_clicked(self, event: RowList.Clicked) -> None:
        """A double click opens."""
        event.stop()
        if event.chain == 2:
            self.action_open()

    def action_back(self) -> None:
        """Go back; end what goes on first."""
        if self._stoppable:
            self._stop(self.runs)
        else:
            self.dismiss()

    def action_again(self) -> None:
        """Run all of them once more."""
        if not self.running:
            self.post_message(Wanted(RunAgain(tuple(run.entry for run in self.runs))))
