"""The main screen at another size: as if it had been opened there."""

from __future__ import annotations

import asyncio

import pytest
from textual.geometry import Region
from textual.pilot import Pilot

from tests.tui.stage import STORY, StageApp

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
