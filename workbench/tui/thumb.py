"""The thumb of a scrollbar: which rows it covers, where a drag on it leads, and how it is painted."""

from __future__ import annotations

from typing import Final, NamedTuple

from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment, Segments
from rich.style import Style
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip

from workbench.tui.palette import Palette

_GLYPH: Final = "▐"


class Thumb(NamedTuple):
    """The thumb for a view of ``height`` rows, ``total`` rows to show, and the row at the top."""

    height: int
    total: int
    top: int

    @property
    def shown(self) -> bool:
        """Whether there is more than fits."""
        return self.total > self.height > 0

    def covers(self, y: int) -> bool:
        """Whether the thumb is on a row of the view."""
        if not self.shown:
            return False
        length = max(round(self.height * self.height / self.total), 1)
        start = round((self.height - length) * self.top / (self.total - self.height))
        return start <= y < start + length

    def top_for(self, y: int) -> int:
        """The row to scroll to when the thumb is held at a row of the view."""
        fraction = max(min(y / max(self.height - 1, 1), 1.0), 0.0)
        return round(fraction * max(self.total - self.height, 0))


def with_thumb(strip: Strip, width: int, palette: Palette, background: str) -> Strip:
    """The row of ``width`` cells with a piece of the thumb in its last one."""
    return Strip([*strip.crop(0, width - 1), Segment(_GLYPH, palette.style("rule", background))], width)


class SideBar(ScrollBarRender):
    """How Textual's own widgets paint their upright scrollbars: as every other thumb, without a track."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """A row for each cell; a press on the thumb grabs it, one beside it scrolls that way."""
        if not self.vertical:
            yield from super().__rich_console__(console, options)
            return
        thumb = Thumb(options.height or console.height, self.virtual_size, round(self.position))
        covered = [y for y in range(thumb.height) if thumb.covers(y)]
        colours = console.get_style(self.style)
        held, above, below = (
            colours + Style(meta={"@mouse.down": does}) for does in ("grab", "scroll_up", "scroll_down")
        )
        blank = " " * self.thickness
        yield Segments(
            [
                Segment(_GLYPH.rjust(self.thickness), held)
                if y in covered
                else Segment(blank, above if covered and y < covered[0] else below)
                for y in range(thumb.height)
            ],
            new_lines=True,
        )


ScrollBar.renderer = SideBar  # one for the whole program; every panel that draws a thumb imports this
