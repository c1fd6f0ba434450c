"""What is typed into the filter of a panel stays there, whatever is pressed in between."""

from __future__ import annotations

import pytest

from tests.tui.driving import driven
from workbench.tui.filter_line import FilterLine


@pytest.mark.parametrize("panel", ["trace", "tools"])
@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_tab_in_a_filter_never_leads_to_the_message(panel: str, size: tuple[int, int]) -> None:
    async with driven(size=size) as it:
        await it.turn("add(a=1, b=2)")
        await it.focus(panel)
        await it.press("slash")
        line = next(each for each in it.app.main.query(FilterLine) if each.display)
        await it.until(lambda: line.has_focus_within)
        mode = it.shown().splitlines()[0]
        await it.write("zz")
        for key in ("tab", "tab", "shift+tab"):
            await it.press(key)
            await it.write("a")
        assert line.text == "zzaaa"
        await it.press("enter")
        await it.pilot.pause()
        assert it.app.main.focused_panel == panel
        assert it.app.main.prompt.draft == ""
        assert it.shown().splitlines()[0] == mode
        assert len([entry for entry in it.trace if entry["type"] == "user_input"]) == 1


async def test_the_hints_of_the_panel_give_way_to_those_of_its_filter() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=2)")
        await it.focus("trace")
        hints = it.app.main.hint_line
        await it.until(lambda: "fold" in it.shown(hints))
        await it.press("slash")
        await it.until(lambda: "fold" not in it.shown(hints) and "next panel" not in it.shown(hints))
        await it.press("escape")
        await it.until(lambda: "fold" in it.shown(hints))
