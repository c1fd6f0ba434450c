"""Tabs, the page that is open beside the facts, and a search in it: how all of an entry is read."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from workbench.tui.filter_line import FilterLine
from workbench.tui.inspector_pages import Lines, Page, fact_lines, facts_text, line_page, opening
from workbench.tui.inspector_reading import Reading
from workbench.tui.inspector_tabs import Tabs
from workbench.tui.page_view import PageView
from workbench.tui.palette import Palette
from workbench.tui.trace_records import Entry
from workbench.tui.wrapped import Line
from workbench.visible import visible_line

NARROW: Final = 104
"""Cells below which the facts are a page."""
_LOW: Final = 16
_FACTS: Final = 38

Sections: TypeAlias = Sequence[tuple[str, list[tuple[str, str]]]]
"""Facts: a heading, then a label and a value each."""


class Reader(Vertical):
    """Shows the pages of one entry; the keys are the screen's. ``keyed``: the page takes the focus."""

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")

    def __init__(self, palette: Palette, *, keyed: bool = True) -> None:
        super().__init__()
        self._entry: Entry | None = None
        self._given: list[Page] = []
        self._pages: list[Page] = []
        self._sections: Sections = ()
        self._page = 0
        self._reading = Reading()
        self._tabs = Tabs(palette)
        self._search = FilterLine("look for", "done", "leave")
        self.view = PageView(palette, "background", "pages")
        self._facts = PageView(palette, "surface", "facts")
        self._facts.can_focus = False
        self.view.can_focus = keyed
        self._body = Horizontal(self.view, self._facts)

    def compose(self) -> ComposeResult:
        """The tabs, the search, the page beside the facts."""
        yield self._tabs
        yield self._search
        yield self._body

    def on_resize(self) -> None:
        """Below 104 columns the facts are a page; lines are broken anew."""
        self.set_class(self.size.width < NARROW, "-narrow")
        self.set_class(self.app.size.height < _LOW, "-low")
        if self._entry is not None:
            self.show(self._entry, self._given, self._sections, name=self.page)

    def restyle(self, palette: Palette) -> None:
        """Draw in these colours from now on."""
        for part in (self._tabs, self.view, self._facts):
            part.palette = palette

    # what is shown

    @property
    def page(self) -> str:
        """The name of the page that is shown."""
        return self._pages[self._page].name if self._pages else ""

    @property
    def sought(self) -> str:
        """What is looked for."""
        return self._search.text

    @property
    def typing(self) -> bool:
        """Whether the search takes the keys."""
        return self._search.display and self._search.has_focus_within

    def show(self, entry: Entry, given: list[Page], sections: Sections, *, name: str = "") -> None:
        """Show these pages of an entry, first the one of that name, or else the one to begin with."""
        self._entry, self._given, self._sections = entry, given, sections
        self._pages = list(given)
        if self.has_class("-narrow"):
            shown = partial(fact_lines, sections)
            self._pages.append(line_page("Facts", "", shown, lambda: facts_text(sections)))
        names = [page.name for page in self._pages]
        self._page = names.index(name) if name in names else opening(self._pages)
        self._facts.show(fact_lines(sections, _FACTS))
        self._show_page()

    def turn(self, step: int) -> None:
        """Show the page so many further on, after the last one the first."""
        self._go_to((self._page + step) % len(self._pages))

    @on(Tabs.Chosen)
    def _tab_chosen(self, event: Tabs.Chosen) -> None:
        event.stop()
        self._go_to(event.index)

    def _go_to(self, page: int) -> None:
        self._page = page
        self._show_page()

    def _show_page(self) -> None:
        shown = self._pages[self._page]
        tabs = [(page.name, self._count(page) if page is shown else page.count) for page in self._pages]
        self._tabs.show(tabs, self._page)
        self.view.scroll_to(y=0, animate=False, force=True)
        self.view.leave_cursor()
        if self._entry is not None:
            self._reading.open(self._entry, shown)
        if self._reading.tree is not None:
            self.view.place_cursor(0)
        self._show_lines()

    def _count(self, page: Page) -> str:
        """What stands beside the name of the open page: a count, and how it is shown where one can choose."""
        view = self._reading.view_of(page).name if len(page.views) > 1 else ""
        return f"{page.count} {view}".strip()

    def _show_lines(self) -> None:
        width = self._width()
        slow = self._reading.slow
        if slow is None:
            self._take(self._reading.lines(width))
        else:
            self._take([(("  It is being drawn.", "muted"),)])
            self.run_worker(self._draw(slow, width), group="draw", exclusive=True)

    def _width(self) -> int:
        """The cells that a line of the page has."""
        return max(20, self.app.size.width - (0 if self.has_class("-narrow") else _FACTS))

    def _take(self, lines: list[Line]) -> None:
        self.view.show(lines)
        self._find()

    async def _draw(self, slow: Lines, width: int) -> None:
        lines = await asyncio.to_thread(slow, width)
        if self._reading.slow is slow:  # else another page is open by now
            self._take(lines)

    # another widget in the place of the page

    def cover(self, widget: Widget) -> None:
        """Show a widget where the page is."""
        self._body.mount(widget, before=0)
        self.view.display = False

    def uncover(self) -> None:
        """Show the page again; the widget is whoever's brought it."""
        self.view.display = True

    # searching

    def search(self) -> None:
        """Type what to look for in the page."""
        self._search.open()

    def match(self, step: int) -> None:
        """Go to the next match, or to the one before."""
        self.view.go_on(step)
        self._say_match()

    def step_back(self) -> bool:
        """Take away what is marked, or else a search that is kept; False if there is neither."""
        if self.view.marked:
            self._unmark()
        elif self._search.display:
            self._search.close()
            self._find()
        else:
            return False
        return True

    def _find(self) -> None:
        if self._reading.unfold_to(self._search.text):
            self.view.show(self._reading.lines(self._width()))
        self.view.find(self._search.text)
        self._say_match()

    def _say_match(self) -> None:
        found = f"{self.view.match} of {len(self.view.matches)}"
        self._search.say(found if self._search.text else "")

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
        self.screen.set_focus(self.view if self.view.can_focus else None)

    # views, folds and copies

    def next_view(self) -> None:
        """Show the page in another way: as a table, a tree, text."""
        self._reading.next_view()
        self._show_page()

    def fold(self) -> None:
        """Fold or unfold the value under the cursor."""
        if self._reading.toggle(self.view.cursor):
            self._show_lines()

    def mark(self) -> None:
        """Mark lines from here on; up and down take more, copying takes them."""
        if self.view.marked:
            self._unmark()
        else:
            self.view.mark()

    def _unmark(self) -> None:
        self.view.unmark()
        if self._reading.tree is None:
            self.view.leave_cursor()

    def on_page_view_pressed(self, event: PageView.Pressed) -> None:
        """A click on a value folds or unfolds it."""
        event.stop()
        if self._reading.tree is not None:
            self.view.place_cursor(event.line)
            self.fold()

    def copy(self) -> None:
        """Copy what is marked, else the value under the cursor, else all of the page."""
        node = self._reading.node(self.view.cursor)
        if self.view.marked:
            self._copied("Marked", self.view.marked_text())
            self._unmark()
        elif node is not None:
            self._copied(visible_line(node.path), node.text())
        else:
            self.copy_all()

    def copy_all(self) -> None:
        """Put what the page shows into the clipboard, whole."""
        page = self._pages[self._page]
        self._copied(page.name, page.text())

    def _copied(self, what: str, text: str) -> None:
        self.app.copy_to_clipboard(text)
        self.notify(f"{what}: {len(text):,} characters copied.", markup=False, timeout=2)

    # scrolling

    def lines(self, count: int) -> None:
        """Move the cursor, where there is one, or scroll by lines."""
        if self.view.cursor >= 0:
            self.view.place_cursor(self.view.cursor + count)
        else:
            self.view.lines(count)

    def screens(self, count: int) -> None:
        """The same by screens."""
        self.lines(count * max(1, self.view.size.height - 1))

    def ends(self, end: int) -> None:
        """The same to the first (0) or the last (1) line."""
        if self.view.cursor >= 0:
            self.view.place_cursor(end * len(self.view.rows))
        else:
            self.view.ends(end)
