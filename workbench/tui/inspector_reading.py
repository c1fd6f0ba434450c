"""How the inspector's pages are being read: which view of each, and what is unfolded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.tui.inspector_about import About
from workbench.tui.inspector_errors import Frame, failing_frames
from workbench.tui.inspector_pages import Lines, Page, View
from workbench.tui.json_tree import JsonTree, Node
from workbench.tui.trace_records import Entry
from workbench.tui.wrapped import Line


class Reading:
    """The page that is open. A view that was chosen for a page holds for the next entries too."""

    def __init__(self) -> None:
        self.tree: JsonTree | None = None
        self._page: Page | None = None
        self._entry: Entry | None = None
        self._views: dict[str, str] = {}
        self._trees: dict[tuple[int, str], JsonTree] = {}
        self._owners: list[int] = []

    def open(self, entry: Entry, page: Page) -> None:
        """Read this page of this entry; what was unfolded in it still is."""
        self._entry, self._page, self.tree = entry, page, None
        self._owners = []
        view = self.view_of(page)
        if view.lines is None:
            key = entry.serial, page.name
            self.tree = self._trees.get(key)
            if self.tree is None or self.tree.value != view.value:  # it may have been edited meanwhile
                self.tree = self._trees[key] = JsonTree(view.value)

    def view_of(self, page: Page) -> View:
        """The view that was chosen for it, or its first one."""
        chosen = self._views.get(page.name)
        return next((view for view in page.views if view.name == chosen), page.views[0])

    def next_view(self) -> None:
        """Choose the next view of the page; it has to be opened anew."""
        if self._page is not None:
            views = self._page.views
            place = views.index(self.view_of(self._page))
            self._views[self._page.name] = views[(place + 1) % len(views)].name

    @property
    def slow(self) -> Lines | None:
        """What makes the lines of the open page, where that is to be done on another thread."""
        view = self.view_of(self._page) if self._page is not None and self.tree is None else None
        return view.lines if view is not None and view.slow else None

    def lines(self, width: int) -> list[Line]:
        """The page for a width in cells."""
        if self.tree is not None:
            lines, self._owners = self.tree.lines(width)
            return lines
        view = self.view_of(self._page) if self._page is not None else None
        return view.lines(width) if view is not None and view.lines is not None else []

    def unfold_to(self, text: str) -> bool:
        """Unfold what hides the text in the open tree; False if nothing hid it."""
        return self.tree is not None and self.tree.unfold_to(text)

    def node(self, line: int) -> Node | None:
        """The value that a line of the tree belongs to."""
        if self.tree is None or not 0 <= line < len(self._owners):
            return None
        return self.tree.nodes[self._owners[line]]

    def toggle(self, line: int) -> bool:
        """Fold or unfold the value of a line; False if there is nothing to fold."""
        if self.tree is None or not 0 <= line < len(self._owners):
            return False
        return self.tree.toggle(self._owners[line])


def source_of(entry: Entry, about: About) -> tuple[str, int] | None:
    """The file and line that is looked for: where a call failed, else where its tool begins.

    Of a call that failed within a library it is the last line outside of that.
    """
    frame = _failing(entry.data)
    if frame is not None and isinstance(frame.get("line"), int):
        return str(frame["file"]), frame["line"]
    tool = about.now or about.then
    return (tool.file, tool.line or 1) if tool is not None and tool.file else None


def _failing(data: Mapping[str, Any]) -> Frame | None:
    """The frame of the person's own that failed; None where it is in no file."""
    failing = data.get("failing_frame")
    if not isinstance(failing, Mapping):
        return None
    place = failing.get("file"), failing.get("line")
    frames = failing_frames(data)
    errors = (each.get("error") for each in frames if (each.get("file"), each.get("line")) == place)
    error = next(errors, None)
    found: Frame = next((each for each in frames if error and each.get("error") == error), failing)
    return None if str(found.get("file") or "<").startswith("<") else found
