"""The inspector: all that the trace holds of one entry, page by page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.screen import Screen

from workbench.tui.commands import bindings, hints
from workbench.tui.filter_line import FilterLine
from workbench.tui.inspector_about import About
from workbench.tui.inspector_pages import Page, fact_lines, facts, facts_text, line_page, opening, pages
from workbench.tui.inspector_reading import Reading, source_of
from workbench.tui.inspector_tabs import Tabs
from workbench.tui.lab_wishes import OpenSource, RunAgain, SaveTest, Wanted, WhatIf
from workbench.tui.page_view import PageView
from workbench.tui.palette import Palette
from workbench.tui.panels.status import HintLine
from workbench.tui.render import Span, arguments_text, clip, fit, spans_width, time_cells
from workbench.tui.title_row import TitleRow
from workbench.tui.trace_records import Entry
from workbench.tui.trace_rows import state_glyph
from workbench.visible import visible_line

_NARROW = 104
_LOW = 16


class InspectorScreen(Screen[Entry]):
    """Shows one of ``entries``, the one at ``index`` first; the others are one key away.

    ``about`` tells what is known of an entry besides. Leaving it gives back the entry shown last.
    """

    BINDINGS = bindings("inspector")
    CSS_PATH = "inspector.tcss"

    def __init__(
        self,
        entries: Sequence[Entry],
        index: int,
        palette: Palette,
        about: Callable[[Entry], About] | None = None,
    ) -> None:
        super().__init__()
        self._about = about or (lambda _: About())
        self._reading = Reading()
        self._entries = entries
        self._index = index
        self._palette = palette
        self._pages: list[Page] = []
        self._page = 0
        self._top = TitleRow(self._top_spans, palette, "background")
        self._subject = TitleRow(self._subject_spans, palette, "background")
        self._subject.id = "subject"
        self._tabs = Tabs(palette)
        self._view = PageView(palette, "background", "pages")
        self._facts = PageView(palette, "surface", "facts")
        self._search = FilterLine("look for", "enter done   esc leave")
        self._hints = HintLine(palette)

    def compose(self) -> ComposeResult:
        """Where it is, what it is, the tabs, the page beside the facts, the keys."""
        yield self._top
        yield self._subject
        yield self._tabs
        yield self._search
        with Horizontal():
            yield self._view
            yield self._facts
        yield self._hints

    def on_mount(self) -> None:
        """Begin with the entry that was asked for."""
        self._facts.can_focus = False
        self._hints.show(hints(["inspector"]))
        self._show_entry()
        self._view.focus()

    def on_resize(self, event: events.Resize) -> None:
        """Below 104 columns the facts are a page; lines are broken anew."""
        self.set_class(event.size.width < _NARROW, "-narrow")
        self.set_class(event.size.height < _LOW, "-low")
        self._show_entry(keep=True)

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = palette
        self._top.restyle(palette, "background")
        self._subject.restyle(palette, "background")
        for part in (self._tabs, self._view, self._facts, self._hints):
            part.palette = palette

    @property
    def entry(self) -> Entry:
        """The entry that is shown."""
        return self._entries[self._index]

    @property
    def page(self) -> str:
        """The name of the page that is shown."""
        return self._pages[self._page].name

    # what is shown

    def _show_entry(self, *, keep: bool = False) -> None:
        name = self.page if keep and self._pages else ""
        self._pages = pages(self.entry, self._about(self.entry))
        if self.has_class("-narrow"):
            sections = facts(self.entry)
            shown = partial(fact_lines, sections)
            self._pages.append(line_page("Facts", "", shown, lambda: facts_text(sections)))
        names = [page.name for page in self._pages]
        self._page = names.index(name) if name in names else opening(self._pages)
        self._facts.show(fact_lines(facts(self.entry), 38))
        self._top.refresh()
        self._subject.refresh()
        self._show_page()

    def _show_page(self) -> None:
        shown = self._pages[self._page]
        tabs = [(page.name, self._count(page) if page is shown else page.count) for page in self._pages]
        self._tabs.show(tabs, self._page)
        self._view.scroll_to(y=0, animate=False, force=True)
        self._view.leave_cursor()
        self._reading.open(self.entry, self._pages[self._page])
        if self._reading.tree is not None:
            self._view.place_cursor(0)
        self._show_lines()

    def _count(self, page: Page) -> str:
        """What stands beside the name of the open page: a count, and how it is shown where one can choose."""
        view = self._reading.view_of(page).name if len(page.views) > 1 else ""
        return f"{page.count} {view}".strip()

    def _show_lines(self) -> None:
        width = self.size.width - (0 if self.has_class("-narrow") else 38)
        self._view.show(self._reading.lines(max(20, width)))
        self._find()

    def _find(self) -> None:
        self._view.find(self._search.text)
        self._say_match()

    def _say_match(self) -> None:
        found = f"{self._view.match} of {len(self._view.matches)}"
        self._search.say(found if self._search.text else "")

    def _top_spans(self, width: int) -> list[Span]:
        entry = self.entry
        left: list[Span] = [("  ", "text"), (entry.turn.agent, "text strong")]
        left += [(f"   {_where(entry)}", "subtle")]
        right: list[Span] = [(f"{self._index + 1} of {len(self._entries)}", "subtle")]
        if width >= _NARROW:
            for key, label in (("k", "previous"), ("j", "next")):
                right += [("   " + key, "subtle"), (" " + label, "muted")]
        room = width - 2 - spans_width(left) - spans_width(right)
        return [*left, (" " * room, "text"), *right] if room > 0 else left

    def _subject_spans(self, width: int) -> list[Span]:
        entry = self.entry
        glyph, key = state_glyph(entry)
        left: list[Span] = [("  ", "text"), (glyph + " ", key), (entry.name, "text strong")]
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
        if self._view.marked:
            self._unmark()
        elif self._search.display:
            self._search.close()
            self._find()
        else:
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

    def action_next_page(self) -> None:
        """The next tab, after the last one the first."""
        self._turn((self._page + 1) % len(self._pages))

    def action_previous_page(self) -> None:
        """The tab before."""
        self._turn((self._page - 1) % len(self._pages))

    def _turn(self, page: int) -> None:
        self._page = page
        self._show_page()

    @on(Tabs.Chosen)
    def _tab_chosen(self, event: Tabs.Chosen) -> None:
        event.stop()
        self._turn(event.index)

    # searching and copying

    def action_search(self) -> None:
        """Type what to look for in the page."""
        self._search.open()

    def action_match(self, step: int) -> None:
        """Go to the next match, or to the one before."""
        self._view.go_on(step)
        self._say_match()

    @on(FilterLine.Typed)
    def _typed(self, event: FilterLine.Typed) -> None:
        event.stop()
        self._find()

    @on(FilterLine.Left)
    def _left(self, event: FilterLine.Left) -> None:
        event.stop()
        if not event.keep or not self._search.text:
            self._search.close()
            self._find()
        self._view.focus()

    # views, folds and copies

    def action_view(self) -> None:
        """Show the page in another way: as a table, a tree, text."""
        self._reading.next_view()
        self._show_page()

    def action_fold(self) -> None:
        """Fold or unfold the value under the cursor."""
        if self._reading.toggle(self._view.cursor):
            self._show_lines()

    def action_mark(self) -> None:
        """Mark lines from here on; up and down take more, y copies them."""
        if self._view.marked:
            self._unmark()
        else:
            self._view.mark()

    def _unmark(self) -> None:
        self._view.unmark()
        if self._reading.tree is None:
            self._view.leave_cursor()

    def on_page_view_pressed(self, event: PageView.Pressed) -> None:
        """A click on a value folds or unfolds it."""
        event.stop()
        if self._reading.tree is not None:
            self._view.place_cursor(event.line)
            self.action_fold()

    def action_copy(self) -> None:
        """Copy what is marked, else the value under the cursor, else all of the page."""
        node = self._reading.node(self._view.cursor)
        if self._view.marked:
            self._copied("Marked", self._view.marked_text())
            self._unmark()
        elif node is not None:
            self._copied(visible_line(node.path), node.text())
        else:
            self.action_copy_all()

    def action_copy_all(self) -> None:
        """Put what the page shows into the clipboard, whole."""
        page = self._pages[self._page]
        self._copied(page.name, page.text())

    def _copied(self, what: str, text: str) -> None:
        self.app.copy_to_clipboard(text)
        self.notify(f"{what}: {len(text):,} characters copied.", markup=False, timeout=2)

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

    # scrolling

    def action_lines(self, count: int) -> None:
        """Move the cursor, where there is one, or scroll by lines."""
        if self._view.cursor >= 0:
            self._view.place_cursor(self._view.cursor + count)
        else:
            self._view.lines(count)

    def action_screens(self, count: int) -> None:
        """The same by screens."""
        self.action_lines(count * max(1, self._view.size.height - 1))

    def action_ends(self, end: int) -> None:
        """The same to the first (0) or the last (1) line."""
        if self._view.cursor >= 0:
            self._view.place_cursor(end * len(self._view.rows))
        else:
            self._view.ends(end)


def _where(entry: Entry) -> str:
    if entry.turn.by_hand:
        return "by you"
    return f"turn {entry.turn.number}   iteration {entry.iteration.number}"
