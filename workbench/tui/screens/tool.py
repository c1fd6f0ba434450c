"""All that there is to say about a tool, whole: what its rows in the tools panel have no room for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar, Final

from textual import events
from textual.binding import BindingType
from textual.widget import Widget

from workbench.tui.commands import bindings
from workbench.tui.page_view import PageView
from workbench.tui.palette import Palette
from workbench.tui.render import Span, fit, name_spans, spans_width
from workbench.tui.screens.full import FullScreen
from workbench.tui.screens.reading import ScrollKeys
from workbench.tui.wrapped import Line, wrapped

_LABEL: Final = 12
_EDGE: Final = 2
_COUNT: Final = re.compile(r"[\d,]+ ×  | +|")
"""How often, before the first of several; as many blanks before the others."""


class ToolScreen(ScrollKeys, FullScreen[None]):
    """Shows what is said about ``tool``: a label and a text each, of which the one at ``index`` is tinted."""

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    BINDINGS: ClassVar[list[BindingType]] = bindings("tool")
    scope = "tool"

    def __init__(self, tool: str, said: Sequence[tuple[str, str]], index: int, palette: Palette) -> None:
        super().__init__(palette)
        self._tool = tool
        self._said = said
        self._index = index
        self._view = PageView(palette, "background", "said")
        self.scrolled = self._view

    def body(self) -> Iterable[Widget]:
        """The texts."""
        return (self._view,)

    def dress(self, palette: Palette) -> None:
        """They are painted anew."""
        self._view.palette = palette

    def on_mount(self) -> None:
        """The keys scroll."""
        self._view.focus()

    def on_resize(self, event: events.Resize) -> None:
        """Lines are broken anew, and the text that is wanted is in view."""
        lines: list[Line] = []
        added: list[Line] = []
        wanted = range(0)
        for index, (label, text) in enumerate(self._said):
            several = len(added) > 1
            head = label if not index or self._said[index - 1][0] != label else ""
            added = list(_lines(head, text, event.size.width))
            if not head and (several or len(added) > 1):
                lines.append(())  # else nobody sees where the one ends and the next begins
            if index == self._index:
                wanted = range(len(lines), len(lines) + len(added))
            lines += added
        self._view.show(lines)
        for line in (wanted[-1:], wanted[:1]):  # its end too, where there is room for it
            if line:
                self._view.place_cursor(line[0])

    def top_spans(self, width: int) -> list[Span]:
        """Which tool it is."""
        return [("  ", "text"), *name_spans(self._tool, "text strong")]

    def action_back(self) -> None:
        """Go back."""
        self.dismiss()

    def action_copy(self) -> None:
        """Put all of it into the clipboard."""
        text = "\n".join(f"{label}: {text}" for label, text in self._said)
        self.app.copy_to_clipboard(text)
        self.notify(f"{len(text):,} characters copied.", markup=False, timeout=2)


def _lines(label: str, text: str, width: int) -> Iterable[Line]:
    """A text beside its label, below it where there is little room; how often stands before all of it."""
    beside = width >= 3 * _LABEL
    edge: Span = (" " * _EDGE, "text")
    head: Span = (fit(label, _LABEL) if beside else " " * _EDGE, "muted")
    if label and not beside:
        yield edge, (label, "muted")
    counted = _COUNT.match(text)
    count: Span = (counted.group() if counted is not None else "", "text")
    indent = spans_width([edge, head, count])
    for number, line in enumerate(wrapped(text[len(count[0]) :], width, indent=indent, words=True)):
        yield line if number else (edge, head, count, *line[1:])
