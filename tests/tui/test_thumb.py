"""The scrollbars of Textual's own widgets look and work as ours do."""

from __future__ import annotations

from textual.geometry import Offset
from textual.scrollbar import ScrollBar

from tests.tui.driving import Driven, driven
from workbench.tui.thumb import Thumb


def bar_of(it: Driven) -> ScrollBar:
    return it.app.main.prompt.area.vertical_scrollbar


def painted(it: Driven) -> list[str]:
    return it.shown(bar_of(it)).split("\n")


def expected(it: Driven) -> list[str]:
    bar = bar_of(it)
    thumb = Thumb(bar.size.height, int(bar.window_virtual_size), round(bar.position))
    return ["▐" if thumb.covers(y) else " " for y in range(thumb.height)]


async def test_the_bar_of_a_text_area_is_a_thin_thumb_without_a_track() -> None:
    async with driven() as it:
        await it.draft("\n".join(f"line {n}" for n in range(20)))
        await it.until(lambda: painted(it)[-1] == "▐")  # the cursor is at the end

        assert painted(it) == expected(it)
        assert " " in painted(it)


async def test_a_press_beside_the_thumb_scrolls_towards_the_mouse() -> None:
    async with driven() as it:
        await it.draft("\n".join(f"line {n}" for n in range(20)))
        await it.until(lambda: painted(it)[-1] == "▐")
        before = bar_of(it).position

        await it.pilot.mouse_down(bar_of(it), offset=Offset(0, 0))

        await it.until(lambda: bar_of(it).position < before)
        await it.until(lambda: painted(it) == expected(it))
