"""The one raised row above the rows of a panel."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from textual.strip import Strip

from workbench.tui.painted import Painted
from workbench.tui.palette import Palette, Token
from workbench.tui.render import Span, row


class TitleRow(Painted):
    """A panel's name, a count, the heads of its columns."""

    DEFAULT_CSS = "TitleRow { height: 1; }"

    def __init__(
        self, draw: Callable[[int], Iterable[Span]], palette: Palette, background: Token = "raised"
    ) -> None:
        super().__init__()
        self._draw = draw
        self._palette = palette
        self._background: Token = background

    def restyle(self, palette: Palette, background: Token) -> None:
        """Draw in these colours from now on."""
        self._background = background
        self.palette = palette

    def render_line(self, y: int) -> Strip:
        """The row."""
        width = self.size.width
        return row(self._draw(width), width, self._palette, self._background)
