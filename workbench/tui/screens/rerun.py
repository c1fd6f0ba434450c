"""A call that ran again: both runs beside each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.widget import Widget

from workbench.tui.commands import bindings, hints, labelled
from workbench.tui.lab_wishes import NOW, Inspect, RunAgain, SaveTest, Wanted
from workbench.tui.page_view import PageView
from workbench.tui.palette import Palette
from workbench.tui.render import Span, arguments_text, clip, fit, name_spans, spans_width
from workbench.tui.rerun import Rerun
from workbench.tui.rerun_lines import rerun_lines, rerun_text
from workbench.tui.screens.full import FullScreen
from workbench.tui.screens.reading import ScrollKeys
from workbench.tui.subject_row import SubjectRow
from workbench.tui.trace_records import Entry


class RerunScreen(ScrollKeys, FullScreen[None]):
    """Shows ``run``; ``refresh_run`` says that there is news of it.

    ``stop`` ends what goes on with runs. ``traced`` finds the new run in the trace once it ended.
    """

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    BINDINGS: ClassVar[list[BindingType]] = bindings("rerun")
    scope = "rerun"

    def __init__(
        self,
        run: Rerun,
        palette: Palette,
        *,
        stop: Callable[[Sequence[Rerun]], object],
        traced: Callable[[Rerun], Entry | None],
    ) -> None:
        super().__init__(palette)
        self.run = run
        self._stop = stop
        self._traced = traced
        self._subject = SubjectRow(self._subject_spans, palette)
        self._view = PageView(palette, "background", "runs")
        self.scrolled = self._view

    def body(self) -> Iterable[Widget]:
        """What it is, the two runs."""
        return self._subject, self._view

    def dress(self, palette: Palette) -> None:
        """Both are painted anew."""
        self._subject.palette = self._view.palette = palette

    def on_mount(self) -> None:
        """Show what is known."""
        self._view.focus()
        self.refresh_run()

    def on_resize(self, event: events.Resize) -> None:
        """Lines are broken anew."""
        self.refresh_run()

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
        self._hints.show(labelled(held, "rerun.back", "stop") if self._stoppable else held)

    def top_spans(self, width: int) -> list[Span]:
        """Whose call it is, and how both runs compare."""
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

    @property
    def _stoppable(self) -> bool:
        """Whether it runs, or is being compared."""
        return self.run.state == "running" or self.run.comparing == "now"

    # keys

    def action_back(self) -> None:
        """Go back; end what goes on first."""
        if self._stoppable:
            self._stop([self.run])
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
            self.post_message(Wanted(SaveTest(entry, NOW)))

    def action_copy(self) -> None:
        """Both results into the clipboard."""
        text = rerun_text(self.run)
        self.app.copy_to_clipboard(text)
        self.notify(f"Both results: {len(text):,} characters copied.", markup=False, timeout=2)
