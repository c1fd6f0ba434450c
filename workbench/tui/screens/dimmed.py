"""A screen over another one, which shows dimmed through it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual.app import RenderResult
from textual.color import Color
from textual.css.styles import RulesMap
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.style import Style as BaseStyle
from textual.visual import RenderOptions, Visual

from workbench.tui.screens.patient import PatientScreen

Result = TypeVar("Result")

_MOST: Final = 4_096
"""Styles that are kept dimmed: several times what a screen has."""


class _Dimming:
    """Styles with a tint over their colours, and without what a click on them would do."""

    def __init__(self, tint: Color, base: Style) -> None:
        self.key = (tint, base)
        self._tint = tint
        self._base = base
        self._known: dict[Style | None, Style] = {}

    def strip(self, strip: Strip) -> Strip:
        """The same text, dimmed."""
        known = self._known
        if len(known) > _MOST:
            known.clear()
        segments = []
        for text, style, _ in strip:
            dimmed = known.get(style)
            if dimmed is None:
                dimmed = known[style] = self._dim(style)
            segments.append(Segment(text, dimmed))
        return Strip(segments, strip.cell_length)

    def _dim(self, style: Style | None) -> Style:
        # Textual's own tint, of one character: the colours are those that it would give
        (dimmed,) = BackgroundScreen.process_segments([Segment(" ", style)], self._tint)
        return self._base + dimmed.style if dimmed.style is not None else self._base


class _Below(Visual):
    """Another screen as it is now."""

    def __init__(self, screen: Screen[Any], dimming: Callable[[Style], _Dimming]) -> None:
        self._screen = screen
        self._dimming = dimming

    def render_strips(
        self, width: int, height: int | None, style: BaseStyle, options: RenderOptions
    ) -> list[Strip]:
        """Its rows."""
        # nothing but its compositor can tell what a screen shows
        strips = self._screen._compositor.render_strips()[:height]
        dimming = self._dimming(style.rich_style)
        return [dimming.strip(strip.crop(0, width)) for strip in strips]

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        """All there is."""
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        """As high as it is."""
        return self._screen.size.height


class DimmedScreen(PatientScreen[Result], ModalScreen[Result]):
    """A modal screen that costs little to paint: each style of what lies below is dimmed once.

    Textual dims every piece of text below anew whenever the whole is painted, which is most of what
    opening a modal screen takes. What one sees is the same.
    """

    _known: _Dimming | None = None

    def render(self) -> RenderResult:  # type: ignore[override]  # Textual draws a visual as it does any other
        """What lies below, if any of it can be seen."""
        shown = super().render()
        if isinstance(shown, BackgroundScreen):
            return _Below(shown.screen, partial(self._dimming, shown.color))
        return shown

    def _dimming(self, tint: Color, base: Style) -> _Dimming:
        if self._known is None or self._known.key != (tint, base):
            self._known = _Dimming(tint, base)
        return self._known
