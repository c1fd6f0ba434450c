"""The themes: which there are, which one is worn, choosing another, and taking in what was saved."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual.app import App

from workbench.tui import events
from workbench.tui.desk import Doers
from workbench.tui.palette import Palette, Repaintable
from workbench.tui.themes import textual_theme
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.tui.screens.themes import ThemesScreen

Keep = Callable[[str], None]
"""Has a theme's name kept for the next start; returns at once."""


class ThemeDesk:
    """Paints the app: ``name`` is the theme in use. ``keep`` is told what was chosen for good."""

    def __init__(self, app: App[Any], palettes: Mapping[str, Palette], name: str) -> None:
        self._app = app
        self._palettes = dict(palettes)
        self._name = name
        self._list: ThemesScreen | None = None
        self.keep: Keep | None = None

    @property
    def palette(self) -> Palette:
        """The colours in use."""
        return self._palettes[self._name]

    def doers(self) -> Doers:
        """``/theme``."""
        return {"app.theme": self._choose}

    def dress(self) -> None:
        """Know no other themes than these, and wear the one in use. Once, when the app is made."""
        for name in list(self._app.available_themes):
            self._app.unregister_theme(name)
        for palette in self._palettes.values():
            self._app.register_theme(textual_theme(palette))
        self._app.theme = self._name

    def watch(self) -> None:
        """Paint every screen when the theme changes, whoever changes it. Once the app runs."""
        self._app.theme_changed_signal.subscribe(self._app, lambda theme: self._paint(theme.name))

    def take_in(self, batch: Sequence[events.AgentEvent]) -> None:
        """A theme was saved: the one in use is drawn anew, others can be chosen."""
        for event in batch:
            if isinstance(event, events.ThemeSaved):
                self._saved(event.palette)

    def _saved(self, palette: Palette) -> None:
        if self._palettes.get(palette.name) == palette:
            return
        renamed = palette.path is not None and self.palette.path == palette.path
        self._palettes = dict(sorted({**self._palettes, palette.name: palette}.items()))
        self._app.register_theme(textual_theme(palette))
        if renamed and palette.name != self._name:
            self._wear(palette.name)
        elif palette.name == self._name:
            self._app.mutate_reactive(App.theme)
        if self._list is not None:
            self._list.show(self._palettes.values())

    def _wear(self, name: str) -> None:
        self._name = name
        self._app.theme = name

    def _paint(self, name: str) -> None:
        self._name = name
        for screen in self._app.screen_stack:
            if isinstance(screen, Repaintable):
                screen.palette = self.palette

    def _choose(self, name: str) -> None:
        """Wear the theme of that name, or list them all; whatever the list is on is worn meanwhile."""
        if name in self._palettes:
            self._decide(name)
        elif name:
            near = difflib.get_close_matches(name, self._palettes, n=3, cutoff=0.6)
            what = f"Did you mean {', '.join(near)}?" if near else f"There are {', '.join(self._palettes)}."
            self._app.notify(
                visible_line(what),
                title=visible_line(f"There is no theme {name}"),
                markup=False,
                severity="warning",
            )
        elif self._list is None:
            from workbench.tui.screens.themes import ThemesScreen

            before = self._name
            self._list = ThemesScreen(self._palettes.values(), before, self.palette, self._wear)
            self._app.push_screen(self._list, lambda chosen: self._closed(chosen, before))

    def _closed(self, chosen: str | None, before: str) -> None:
        self._list = None
        if chosen is None:
            self._wear(before)
        elif chosen != before:
            self._decide(chosen)

    def _decide(self, name: str) -> None:
        self._wear(name)
        if self.keep is not None:
            self.keep(name)
            text = "It is used from now on, and the next time too."
            self._app.notify(text, title=visible_line(f"Theme {name}"), markup=False, timeout=3)
