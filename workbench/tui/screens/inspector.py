"""The inspector: all that the trace holds of one entry, page by page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.screen import Screen

from workbench.tui.commands import bindings, hints
from workbench.tui.filter_line import FilterLine
from workbench.tui.inspector_pages import Page, fact_lines, facts, facts_text, opening, pages
from workbench.tui.page_view import PageView
from workbench.tui.palette import Palette
from workbench.tui.panels.status import HintLine
from workbench.tui.panels.status import Line as OneRow
from workbench.tui.render import Span, arguments_text, clip, fit, spans_width, time_cells
from workbench.tui.title_row import TitleRow
from workbench.tui.trace_records import Entry
from workbench.tui.trace_rows import state_glyph

_NARROW = 104
_LOW = 16


class _Tabs(OneRow):
    """The names of the pages; the one that is shown has the colour of the page."""

    background = "raised"

    @dataclass
    class Chosen(Message):
        """A tab was clicked."""

        index: int

    def __init__(self, palette: Palette) -> None:
        super().__init__(palette)
        self._tabs: Sequence[tuple[str, str]] = ()
        self._active = 0
        self._ends: list[int] = []

    def show(self, tabs: Sequence[tuple[str, str]], active: int) -> None:
        """Draw these names and counts."""
        self._tabs, self._active = tabs, active
        self.refresh()

    def spans(self, width: int) -> list[Span]:
        """Each name with 2 cells on either side; those before the active one leave when there is no room."""
        parts = [[*self._tab(index)] for index in range(len(self._tabs))]
        first = 0
        while first < self._active and sum(map(spans_width, parts[first : self._active + 1])) > width:
            first += 1
        self._ends, used = [], 0
        for index, part in enumerate(parts):
            used += spans_width(part) if index >= first else 0
            self._ends.append(used)
        return [span for part in parts[first:] for span in part]

    def _tab(self, index: int) -> list[Span]:
        name, count = self._tabs[index]
        active = index == self._active
        ground = " on:background" if active else ""
        spans: list[Span] = [(f"  {name}", ("text strong" if active else "subtle") + ground)]
        if count:
            spans.append((f" {count}", "muted" + ground))
        return [*spans, ("  ", "muted" + ground)]

    def on_click(self, event: events.Click) -> None:
        """Show the page."""
        for index, end in enumerate(self._ends):
            if event.x < end:
                self.post_message(self.Chosen(index))
                return


class InspectorScreen(Screen[Entry]):
    """Shows one of ``entries``, the one at ``index`` first; the others are one key away.

    Leaving it gives back the entry that was shown last.
    """

    BINDINGS = bindings("inspector")
    CSS_PATH = "inspector.tcss"

    def __init__(self, entries: Sequence[Entry], index: int, palette: Palette) -> None:
        super().__init__()
        self._entries = entries
        self._index = index
        self._palette = palette
        self._pages: list[Page] = []
        self._page = 0
        self._top = TitleRow(self._top_spans, palette, "background")
        self._subject = TitleRow(self._subject_spans, palette, "background")
        self._subject.id = "subject"
        self._tabs = _Tabs(palette)
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
        self._pages = pages(self.entry)
        if self.has_class("-narrow"):
            sections = facts(self.entry)
            self._pages.append(
                Page("Facts", "", lambda width: fact_lines(sections, width), lambda: facts_text(sections))
            )
        names = [page.name for page in self._pages]
        self._page = names.index(name) if name in names else opening(self._pages)
        self._facts.show(fact_lines(facts(self.entry), 38))
        self._top.refresh()
        self._subject.refresh()
        self._show_page()

    def _show_page(self) -> None:
        self._tabs.show([(page.name, page.count) for page in self._pages], self._page)
        width = self.size.width - (0 if self.has_class("-narrow") else 38)
        self._view.show(self._pages[self._page].lines(max(20, width)))
        self._view.scroll_to(y=0, animate=False, force=True)
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
        left += [(f"   turn {entry.turn.number}   iteration {entry.iteration.number}", "subtle")]
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
        said = arguments_text(entry.arguments) if entry.kind == "tool" else str(entry.data.get("model", ""))
        if room > 4:
            left.append((fit("  " + clip(said, room - 4), room), "muted"))
        return left + right

    # keys

    def action_back(self) -> None:
        """Leave; a search that is kept goes first."""
        if self._search.display:
            self._search.close()
            self._find()
            return
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

    @on(_Tabs.Chosen)
    def _tab_chosen(self, event: _Tabs.Chosen) -> None:
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

    def action_copy(self) -> None:
        """Put what the page shows into the clipboard, whole."""
        page = self._pages[self._page]
        text = page.text()
        self.app.copy_to_clipboard(text)
        what = f"{page.name}: {len(text):,} characters copied."
        self.notify(what, markup=False, timeout=2)

    # scrolling

    def action_lines(self, count: int) -> None:
        """Scroll by lines."""
        self._view.lines(count)

    def action_screens(self, count: int) -> None:
        """Scroll by screens."""
        self._view.screens(count)

    def action_ends(self, end: int) -> None:
        """Scroll to the first (0) or the last (1) line."""
        self._view.ends(end)
