"""The main screen at another size: as if it had been opened there."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from rich.console import RenderableType
from textual._compositor import LayoutUpdate
from textual.color import Color
from textual.geometry import Region
from textual.pilot import Pilot
from textual.screen import Screen

from tests.tui.stage import STORY, StageApp
from workbench.tui.filter_line import FilterLine
from workbench.tui.transcript.painter import MARGIN

SIZES = [(120, 40), (80, 24), (150, 45), (40, 12), (104, 30)]


def regions(app: StageApp) -> dict[str, Region]:
    """Where each part of the screen stands."""
    return {str(widget.id): widget.region for widget in app.main.query("*") if widget.id and widget.display}


async def settled(pilot: Pilot[None], app: StageApp, wanted: dict[str, Region]) -> None:
    """Wait until everything stands where it should."""
    async with asyncio.timeout(60):
        while regions(app) != wanted:
            await pilot.pause()


@pytest.mark.parametrize("first", SIZES[:3])
async def test_after_a_resize_everything_stands_where_it_would_have_been_from_the_start(
    first: tuple[int, int],
) -> None:
    wanted: list[dict[str, Region]] = []
    for size in SIZES:
        fresh = StageApp(STORY)
        async with fresh.run_test(size=size) as pilot:
            await pilot.pause()
            wanted.append(regions(fresh))
    app = StageApp(STORY)
    async with app.run_test(size=first) as pilot:
        for size, there in [*zip(SIZES, wanted, strict=True), (first, wanted[SIZES.index(first)])]:
            await pilot.resize_terminal(*size)
            await settled(pilot, app, there)


class Watched(StageApp):
    """Remembers each painting of the whole screen: for which width the conversation was laid out then."""

    painted: list[int]

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if isinstance(renderable, LayoutUpdate) and screen is self.main:
            self.painted.append(self.main.conversation.document.width)
        super()._display(screen, renderable)


@pytest.mark.parametrize("size", SIZES[1:])
async def test_a_new_size_is_painted_once_with_everything_laid_out_for_it(size: tuple[int, int]) -> None:
    app = Watched(STORY)
    app.painted = []
    async with app.run_test(size=SIZES[0]) as pilot:
        await pilot.pause()
        app.painted.clear()
        await pilot.resize_terminal(*size)
        async with asyncio.timeout(60):
            while app.main.size != size or not app.painted:
                await pilot.pause()
        await pilot.pause()
        assert app.painted == [app.main.conversation.size.width - 2 * MARGIN]


async def test_a_filter_has_the_colour_of_the_page_in_a_tab_and_of_its_panel_beside_others() -> None:
    app = StageApp(STORY)
    async with app.run_test(size=SIZES[0]) as pilot:
        lines = app.main.query(FilterLine)
        for size, token in ((SIZES[0], "surface"), (SIZES[1], "background"), (SIZES[0], "surface")):
            await pilot.resize_terminal(*size)
            async with asyncio.timeout(60):
                while app.main.size != size:
                    await pilot.pause()
            wanted = Color.parse(app.palette.colors[token])
            assert {line.background_colors[1] for line in lines} == {wanted}
