"""A call that ran again: both runs beside each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from workbench.tui.commands import bindings, hints
from workbench.tui.lab_wishes import Inspect, RunAgain, SaveTest, Wanted
from workbench.tui.page_view import PageView
from workbench.tui.palette import Palette
from workbench.tui.panels.status import HintLine
from workbench.tui.render import Span, arguments_text, clip, fit, name_spans, spans_width
from workbench.tui.rerun import Rerun
from workbench.tui.rerun_lines import rerun_lines, rerun_text
from workbench.tui.title_row import TitleRow
from workbench.tui.trace_records import Entry


class RerunScreen(Screen[None]):
    """Shows ``run``; ``refresh_run`` says that there is news of it.

    ``stop`` ends what runs. ``traced`` finds the new run in the trace once it ended.
    """

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    BINDINGS: ClassVar[list[BindingType]] = bindings("rerun")

    def __init__(
        self,
        run: Rerun,
        palette: Palette,
        *,
        stop: Callable[[], object],
        traced: Callable[[Rerun], Entry | None],
    ) -> None:
        super().__init__()
        self.run = run
        self._palette = palette
        self._stop = stop
        self._traced = traced
        self._top = TitleRow(self._top_spans, palette, "background")
        self._subject = TitleRow(self._subject_spans, palette, "background")
        self._subject.id = "subject"
        self._view = PageView(palette, "background", "runs")
        self._hints = HintLine(palette)

    def compose(self) -> ComposeResult:
        """Where it is, what it is, the two runs, the keys."""
        yield self._top
        yield self._subject
        yield self._view
        yield self._hints

    def on_mount(self) -> None:
        """Show what is known."""
        self._view.focus()
        self.refresh_run()

    def on_resize(self, event: events.Resize) -> None:
        """Lines are broken anew."""
        self.set_class(event.size.height < 16, "-low")
        self.refresh_run()

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = palette
        self._top.restyle(palette, "background")
        self._subject.restyle(palette, "background")
        self._view.palette = self._hints.palette = palette

    def refresh_run(self) -> None:
        """Show what has become of the run."""
        self._view.show(rerun_lines(self.run, max(20, self.size.width)))
        self._top.refresh()
        self._subject.refresh()
        held = hints(["rerun"])
        if self.run.state != "ended":
            held = [command for command in held if command.id == "rerun.back"]
        elif self.run.data is None:
            held = [command for command in held if command.id not in ("rerun.inspect", "rerun.save")]
        self._hints.show(held)

    def _top_spans(self, width: int) -> list[Span]:
        turn = self.run.entry.turn
        where = "by you" if turn.by_hand else f"turn {turn.number}"
        left: list[Span] = [("  ", "text"), (turn.agent, "text strong"), (f"   {where}, run again", "subtle")]
        said, key = self.run.compared
        room = width - 2 - spans_width(left)
        return [*left, (fit(clip(said, room - 2), room, right=True), key)] if room > 6 else left

    def _subject_spans(self, width: int) -> list[Span]:
        entry = self.run.entry
        left: list[Span] = [("  ", "text"), *name_spans(entry.name, "text strong")]
        room = width - spans_width(left) - 2
        said = arguments_text(self.run.arguments)
        return [*left, (clip("  " + said, room), "muted")] if room > 4 else left

    # keys

    def action_back(self) -> None:
        """Go back; stop what runs first."""
        if self.run.state == "running":
            self._stop()
        else:
            self.dismiss()

    def action_again(self) -> None:
        """Run it once more, with the arguments of the last time."""
        self._again(edit=False)

    def action_edit(self) -> None:
        """Run it with other arguments."""
        self._again(edit=True)

    def _again(self, *, edit: bool) -> None:
        if self.run.state == "ended":
            self.post_message(Wanted(RunAgain((self.run.entry,), edit, self.run.arguments)))

    def action_inspect(self) -> None:
        """Show all of the new run."""
        entry = self._traced(self.run)
        if entry is not None:
            self.post_message(Wanted(Inspect(entry)))

    def action_save_test(self) -> None:
        """Write a test of the new run."""
        entry = self._traced(self.run)
        if entry is not None:
            self.post_message(Wanted(SaveTest(entry, "the run of now, not the one of then")))

    def action_copy(self) -> None:
        """Both results into the clipboard."""
        text = rerun_text(self.run)
        self.app.copy_to_clipboard(text)
        self.notify(f"Both results: {len(text):,} characters copied.", markup=False, timeout=2)

    def action_lines(self, count: int) -> None:
        """Scroll by lines."""
        self._view.lines(count)

    def action_screens(self, count: int) -> None:
        """Scroll by screens."""
        self._view.screens(count)

    def action_ends(self, end: int) -> None:
        """Scroll to the first (0) or the last (1) line."""
        self._view.ends(end)
