"""Rows are as wide as the box that they stand in, whatever stands beside them."""

from __future__ import annotations

import pytest

from tests.tui.hostile import SCREENS
from tests.tui.stage import StageApp, palette_of
from tests.tui.test_hostile import settled
from workbench.tui.line_view import LineView
from workbench.tui.panels.status import Line
from workbench.tui.row_view import RowView


@pytest.mark.parametrize("size", [(120, 40), (40, 12)], ids=["wide", "narrow"])
@pytest.mark.parametrize("name", SCREENS)
async def test_rows_reach_both_edges(name: str, size: tuple[int, int]) -> None:
    app = StageApp(())
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        screen = SCREENS[name](palette_of("graphite"))
        app.call_later(app.push_screen, screen)
        await settled(pilot)
        for widget in [*screen.query(RowView), *screen.query(LineView), *screen.query(Line)]:
            box = widget.parent
            if widget.region and box is not None and box.layout.name == "vertical":
                assert widget.region.width == box.content_region.width, widget
