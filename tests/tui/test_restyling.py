"""Another theme, applied in steps: the end is the same, and nothing is painted half."""

from __future__ import annotations

import itertools
import time
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.color import Color
from textual.containers import Vertical
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.events import Key
from textual.geometry import Region
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from tests.tui.panel_app import GRAPHITE, PAPER, until
from workbench.tui.palette import Palette
from workbench.tui.restyling import Restyling
from workbench.tui.themes import css_variables, textual_theme

PALETTES = {palette.name: palette for palette in (GRAPHITE, PAPER)}


class Plain(App[None]):
    """Many lines and a field, styled by Textual itself."""

    CSS = "Screen { background: $surface; } Static { background: $raised; color: $accent; }"

    def __init__(self) -> None:
        super().__init__()
        for palette in PALETTES.values():
            self.register_theme(textual_theme(palette))
        self.theme = GRAPHITE.name

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The palette's tokens."""
        return css_variables(PALETTES.get(self.theme, GRAPHITE))

    def compose(self) -> ComposeResult:
        """The lines and the field."""
        with Vertical():
            for number in range(200):
                yield Static(f"line {number}")
        yield Input()

    def colours(self) -> list[tuple[Color, Color]]:
        """Background and text of everything."""
        nodes = [self.screen, *self.screen.walk_children()]
        return [(node.styles.background, node.styles.color) for node in nodes]


class Stepped(Plain):
    """The same, in steps; remembers the pairs of colours that a painting began with."""

    def __init__(self) -> None:
        self.restyling = Restyling(self)
        self.painted: list[set[Color]] = []
        super().__init__()

    def refresh_css(self, animate: bool = True) -> None:
        """In steps."""
        self.restyling.begin(animate=animate)

    def _display(self, screen: Any, renderable: Any) -> None:
        if renderable is not None and not self._batch_count:
            self.painted.append({line.styles.background for line in self.query(Static)})
        super()._display(screen, renderable)


def background(palette: Palette, token: str) -> Color:
    """A colour of a theme."""
    return Color.parse(palette.colors[token])


async def switched(app: Plain, *names: str) -> list[tuple[Color, Color]]:
    """The colours after the theme was switched to each of these, the last one having come through."""
    async with app.run_test() as pilot:
        for name in names:
            app.theme = name
        wanted = background(PALETTES[names[-1]], "surface")
        await until(pilot, lambda: app.screen.styles.background == wanted)
        await until(pilot, lambda: not isinstance(app, Stepped) or not app.restyling.busy)
        await pilot.pause()
        return app.colours()


@pytest.mark.parametrize("names", [["paper"], ["paper", "graphite", "paper"], ["paper", "graphite"]])
async def test_the_steps_end_where_textual_ends(names: list[str]) -> None:
    assert await switched(Stepped(), *names) == await switched(Plain(), *names)


async def test_no_painting_shows_two_themes() -> None:
    app = Stepped()
    await switched(app, "paper")
    assert {background(PAPER, "raised")} in app.painted
    assert all(len(colours) == 1 for colours in app.painted)


async def test_a_key_pressed_meanwhile_waits_for_a_few_widgets_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = Stepped()
    steps: list[int] = []
    styled = Stylesheet.update_nodes

    def counted(sheet: Stylesheet, nodes: list[DOMNode], animate: bool = False) -> None:
        steps.append(len(list(nodes)))
        styled(sheet, nodes, animate)

    async with app.run_test() as pilot:
        field = app.query_one(Input)
        field.focus()
        await pilot.pause()
        taken_while_busy: list[bool] = []
        app.watch(field, "value", lambda: taken_while_busy.append(app.restyling.busy), init=False)
        monkeypatch.setattr(Stylesheet, "update_nodes", counted)
        app.restyling.begin(animate=False)
        app.post_message(Key("x", "x"))
        await until(pilot, lambda: field.value == "x")
        await until(pilot, lambda: not app.restyling.busy)
        assert taken_while_busy == [True]
        assert max(steps) <= 20
        assert sum(steps) >= 200


async def test_a_screen_below_another_is_styled_as_well_and_one_that_closed_is_left_alone() -> None:
    app = Stepped()
    async with app.run_test() as pilot:
        below = app.screen
        await app.push_screen(ModalScreen())
        app.theme = "paper"
        app.pop_screen()
        await until(pilot, lambda: below.styles.background == background(PAPER, "surface"))
        await until(pilot, lambda: not app.restyling.busy)
        assert {line.styles.color for line in app.query(Static)} == {background(PAPER, "accent")}


async def test_a_widget_is_not_told_once_more_for_each_colour_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = Stepped()
    told: list[Widget] = []
    refresh = Widget.refresh

    def counted(widget: Widget, *regions: Region, **what: bool) -> Widget:
        told.append(widget)
        return refresh(widget, *regions, **what)

    async with app.run_test() as pilot:
        lines = app.query(Static)
        monkeypatch.setattr(Widget, "refresh", counted)
        app.theme = "paper"
        await until(pilot, lambda: set(lines) <= set(told) and not app.restyling.busy)
        assert {told.count(line) for line in lines} == {1}


async def test_steps_come_however_late_the_clock_is(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Stepped()
    async with app.run_test() as pilot:
        late = itertools.count(time.monotonic(), 0.01)
        monkeypatch.setattr("textual._time.get_time", lambda: next(late))
        app.theme = "paper"
        wanted = background(PAPER, "surface")
        await until(pilot, lambda: app.screen.styles.background == wanted and not app.restyling.busy)
