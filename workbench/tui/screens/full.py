"""A screen that takes the whole terminal: a top row, what it is about, the line of keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widget import Widget

from workbench.tui.commands import Scope, hints
from workbench.tui.palette import Palette
from workbench.tui.panels.status import HintLine
from workbench.tui.render import Span
from workbench.tui.title_row import TitleRow

T = TypeVar("T")


class FullScreen(Screen[T]):
    """Between its top row and its hints stands what ``body`` gives; ``dress`` gives that its colours.

    ``scope`` is the one whose keys it shows. Below ``low`` rows it is of class ``-low``.
    """

    scope: ClassVar[Scope]
    low: ClassVar[int] = 16

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette
        self._top = TitleRow(self.top_spans, palette, "background")
        self._hints = HintLine(palette)
        self._hints.show(hints([self.scope]))

    def compose(self) -> ComposeResult:
        """Where it is, what it is about, the keys."""
        yield self._top
        yield from self.body()
        yield self._hints

    def body(self) -> Iterable[Widget]:
        """What stands between the top row and the keys."""
        raise NotImplementedError

    def dress(self, palette: Palette) -> None:
        """Give what ``body`` gave these colours."""
        raise NotImplementedError

    def top_spans(self, width: int) -> list[Span]:
        """What the top row says."""
        raise NotImplementedError

    def on_resize(self, event: events.Resize) -> None:
        """A low screen has no room for blank rows."""
        self.set_class(event.size.height < self.low, "-low")

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = self._top.palette = self._hints.palette = palette
        self.dress(palette)
