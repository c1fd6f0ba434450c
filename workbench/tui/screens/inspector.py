"""The inspector: all that the trace holds of one entry, page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from textual.widget import Widget

from workbench.tui.commands import bindings, hints, key_of
from workbench.tui.inspector_about import About
from workbench.tui.inspector_pages import facts, pages
from workbench.tui.inspector_reading import source_of
from workbench.tui.key_hints import hint
from workbench.tui.lab_wishes import OpenSource, RunAgain, SaveTest, Wanted, WhatIf
from workbench.tui.palette import Palette
from workbench.tui.reader import NARROW, Reader
from workbench.tui.render import Span, arguments_text, clip, fit, name_spans, spans_width, time_cells
from workbench.tui.screens.full import FullScreen
from workbench.tui.screens.reading import ReaderKeys
from workbench.tui.subject_row import SubjectRow
from workbench.tui.trace_records import Entry
from workbench.tui.trace_rows import state_glyph
from workbench.visible import visible_line

_OF_ITS_AGENT: Final = frozenset({"inspector.again", "inspector.again_edited", "inspector.save_test"})
"""What takes the agent that made the call."""


class InspectorScreen(ReaderKeys, FullScreen[Entry]):
    """Shows one of ``entries``, the one at ``index`` first; the others are one key away.

    ``about`` tells what is known of an entry besides. Leaving it gives back the entry shown last.
    """

    BINDINGS = bindings("inspector")
    CSS_PATH = "inspector.tcss"
    scope = "inspector"

    def __init__(
        self,
        entries: Sequence[Entry],
        index: int,
        palette: Palette,
        about: Callable[[Entry], About] | None = None,
    ) -> None:
        super().__init__(palette)
        self._about = about or (lambda _: About())
        self._entries = entries
        self._index = index
        self._left_out: frozenset[str] = frozenset()
        self._subject = SubjectRow(self._subject_spans, palette)
        self.reader = Reader(palette)
        self.scrolled = self.reader

    def body(self) -> Iterable[Widget]:
        """What it is, the pages beside the facts."""
        return self._subject, self.reader

    def dress(self, palette: Palette) -> None:
        """Both are painted anew."""
        self._subject.palette = palette
        self.reader.restyle(palette)

    def on_mount(self) -> None:
        """Begin with the entry that was asked for."""
        self._show_entry()
        self.reader.view.focus()

    def on_descendant_focus(self) -> None:
        """While one types what to look for, the keys are the search's, which says them itself."""
        self._show_hints()
        self._top.refresh()

    on_descendant_blur = on_descendant_focus

    @property
    def entry(self) -> Entry:
        """The entry that is shown."""
        return self._entries[self._index]

    @property
    def page(self) -> str:
        """The name of the page that is shown."""
        return self.reader.page

    # what is shown

    def _show_entry(self) -> None:
        about = self._about(self.entry)
        self._left_out = _OF_ITS_AGENT if about.gone else frozenset()
        self.reader.show(self.entry, pages(self.entry, about), facts(self.entry))
        self._show_hints()
        self._top.refresh()
        self._subject.refresh()

    def _show_hints(self) -> None:
        offered = () if self.reader.typing else hints(["inspector"])
        self._hints.show(row for row in offered if row.id not in self._left_out)

    def top_spans(self, width: int) -> list[Span]:
        """Whose entry it is, and which of how many."""
        entry = self.entry
        left: list[Span] = [("  ", "text"), (entry.turn.agent, "text strong")]
        left += [(f"   {_where(entry)}", "subtle")]
        right: list[Span] = [(f"{self._index + 1} of {len(self._entries)}", "subtle")]
        if width >= NARROW and not self.reader.typing:
            for label in ("previous", "next"):
                right += [("   ", "text"), *hint(key_of(f"inspector.{label}"), label)]
        room = width - 2 - spans_width(left) - spans_width(right)
        return [*left, (" " * room, "text"), *right] if room > 0 else left

    def _subject_spans(self, width: int) -> list[Span]:
        entry = self.entry
        glyph, key = state_glyph(entry)
        left: list[Span] = [("  ", "text"), (glyph + " ", key), *name_spans(entry.name, "text strong")]
        status, time = str(entry.data.get("status", entry.state)), time_cells(entry.ms).strip()
        right: list[Span] = [(status, key)] if status != "success" else []
        right += [("  " + time, "text")] if time else []
        room = width - spans_width(left) - spans_width(right) - 2
        model = visible_line(str(entry.data.get("model", "")))
        said = arguments_text(entry.arguments) if entry.kind == "tool" else model
        if room > 4:
            left.append((fit("  " + clip(said, room - 4), room), "muted"))
        return left + right

    # keys

    def action_back(self) -> None:
        """Leave; what is marked, and then a search that is kept, goes first."""
        if not self.reader.step_back():
            self.dismiss(self.entry)

    def action_next_entry(self) -> None:
        """The entry after."""
        self._go(1)

    def action_previous_entry(self) -> None:
        """The entry before."""
        self._go(-1)

    def _go(self, step: int) -> None:
        index = self._index + step
        if 0 <= index < len(self._entries):
            self._index = index
            self._show_entry()

    def action_copy_all(self) -> None:
        """Put what the page shows into the clipboard, whole."""
        self.reader.copy_all()

    # what can be done with it

    def action_again(self) -> None:
        """Run the call again."""
        self._run_again(edit=False)

    def action_again_edited(self) -> None:
        """Run the call again with other arguments."""
        self._run_again(edit=True)

    def _run_again(self, *, edit: bool) -> None:
        if self.entry.kind == "tool":
            self.post_message(Wanted(RunAgain((self.entry,), edit)))

    def action_save_test(self) -> None:
        """Write a test of the call."""
        if self.entry.kind == "tool":
            self.post_message(Wanted(SaveTest(self.entry)))

    def action_what_if(self) -> None:
        """Go on from the call as if it had ended otherwise."""
        if self.entry.kind == "tool":
            self.post_message(Wanted(WhatIf(self.entry)))

    def action_source(self) -> None:
        """Open the failing line, or else the tool, in the editor."""
        place = source_of(self.entry, self._about(self.entry))
        if place is None:
            self.notify("There is no Python file of it.", markup=False, severity="warning")
        else:
            self.post_message(Wanted(OpenSource(*place)))


def _where(entry: Entry) -> str:
    if entry.turn.by_hand:
        return "by you"
    return f"turn {entry.turn.number}   iteration {entry.iteration.number}"
