"""A widget that is drawn in the colours of a palette."""

from __future__ import annotations

from textual.widget import Widget

from workbench.tui.palette import Palette


class Painted(Widget):
    """Has a ``palette`` that can be exchanged while it is shown; whoever makes it sets ``_palette``."""

    _palette: Palette

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = palette
        self.repaint()

    def repaint(self) -> None:
        """The colours are others now; a widget of several parts hands them on."""
        self.refresh()
