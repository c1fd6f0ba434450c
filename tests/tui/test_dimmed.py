"""What lies below a modal screen looks as Textual would dim it, and each style is dimmed once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from rich.console import RenderableType
from rich.segment import Segment
from textual._compositor import LayoutUpdate
from textual.app import App, ComposeResult
from textual.color import Color
from textual.pilot import Pilot
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen
from textual.widgets import Button, Static

from tests.tui.panel_app import GRAPHITE, PAPER, until
from workbench.tui.screens.dimmed import DimmedScreen
from workbench.tui.themes import css_variables, textual_theme

CSS = "{ align: center middle; background: $background 70%; } Static { width: 20; background: $raised; }"


class Plain(ModalScreen[None]):
    """A box, dimmed by Textual."""

    CSS = f"Plain {CSS}"

    def compose(self) -> ComposeResult:
        """One line."""
        yield Static("asked")


class Dimmed(DimmedScreen[None]):
    """The same box, dimmed here."""

    CSS = f"Dimmed {CSS}"

    def compose(self) -> ComposeResult:
        """One line."""
        yield Static("asked")


class Below(App[None]):
    """Something to lie below, with links and wide characters."""

    CSS = "Screen { background: $surface; } #a { color: $accent; }"

    def __init__(self) -> None:
        super().__init__()
        for palette in (GRAPHITE, PAPER):
            self.register_theme(textual_theme(palette))
        self.theme = GRAPHITE.name

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The palette's tokens."""
        return css_variables(PAPER if self.theme == PAPER.name else GRAPHITE)

    def compose(self) -> ComposeResult:
        """A few widgets."""
        yield Static("one 漢字 two", id="a")
        yield Static("[@click=app.bell]press[/] [b]bold[/b]")
        yield Button("go")


def painted(app: App[None]) -> list[Segment]:
    """What stands on the screen, character by character, so that only looks count."""
    strips = app.screen._compositor.render_strips()
    return [Segment(char, style) for strip in strips for text, style, _ in strip for char in text]


async def both(pilot: Pilot[None]) -> tuple[list[Segment], list[Segment]]:
    """The screen with the box that Textual dims, then with our own."""
    found = []
    for box in (Plain(), Dimmed()):
        await pilot.app.push_screen(box)
        await pilot.pause()
        found.append(painted(pilot.app))
        pilot.app.pop_screen()
        await pilot.pause()
    return found[0], found[1]


@pytest.mark.parametrize("theme", [GRAPHITE.name, PAPER.name])
async def test_it_looks_as_textual_would_draw_it(theme: str) -> None:
    app = Below()
    async with app.run_test(size=(40, 10)) as pilot:
        app.theme = theme
        await pilot.pause()
        theirs, ours = await both(pilot)
        assert any(segment.text == "漢" for segment in ours)
        assert ours == theirs


async def test_one_box_over_another_looks_so_too() -> None:
    app = Below()
    async with app.run_test(size=(40, 10)) as pilot:
        await app.push_screen(Dimmed())
        theirs, ours = await both(pilot)
        assert ours == theirs


async def test_what_changes_below_is_seen() -> None:
    app = Below()
    async with app.run_test(size=(40, 10)) as pilot:
        below = app.screen
        await app.push_screen(Dimmed())
        await pilot.pause()
        below.query_one("#a", Static).update("other")
        await until(pilot, lambda: "other" in "".join(segment.text for segment in painted(app)))


async def test_another_theme_dims_anew() -> None:
    app = Below()
    async with app.run_test(size=(40, 10)) as pilot:
        await app.push_screen(Dimmed())
        await pilot.pause()
        before = painted(app)
        app.theme = PAPER.name
        await until(pilot, lambda: painted(app) != before)
        await pilot.pause()
        ours = painted(app)
        app.pop_screen()
        await app.push_screen(Plain())
        await until(pilot, lambda: painted(app) == ours)


async def test_a_style_is_dimmed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Below()
    async with app.run_test(size=(40, 10)) as pilot:
        await app.push_screen(Dimmed())
        await pilot.pause()
        dimmed: list[Color] = []

        def counted(segments: Iterable[Segment], tint: Color) -> Iterable[Segment]:
            dimmed.append(tint)
            return segments

        monkeypatch.setattr(BackgroundScreen, "process_segments", counted)
        app.screen.refresh()
        await pilot.pause()
        app.screen.refresh(layout=True)
        await pilot.pause()
        assert dimmed == []


class Counting(Below):
    """Remembers which screens were painted whole."""

    def __init__(self) -> None:
        self.painted: list[Screen[Any]] = []
        super().__init__()

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if isinstance(renderable, LayoutUpdate):
            self.painted.append(screen)
        super()._display(screen, renderable)


async def test_a_box_that_opens_is_painted_once() -> None:
    app = Counting()
    async with app.run_test() as pilot:
        box = Dimmed()
        await app.push_screen(box)
        await until(pilot, lambda: box in app.painted)
        await pilot.pause()
        assert app.painted.count(box) == 1
