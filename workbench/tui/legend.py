"""What the bars and glyphs of the trace mean."""

from __future__ import annotations

from typing import Final

from textual.geometry import Size
from textual.strip import Strip

from workbench.tui.painted import Painted
from workbench.tui.palette import Palette
from workbench.tui.render import Span, row
from workbench.tui.trace_rows import Grid

_BARS: Final[tuple[tuple[Span, str], ...]] = (
    (("─", "accent"), "first token"),
    (("◆ ━", "accent"), "model"),
    (("✓ ━", "success"), "tool"),
    (("✗ ━", "error"), "failed"),
    (("─", "muted"), "hooks"),
    (("┄", "warning"), "you"),
)
_GLYPHS: Final[tuple[tuple[Span, str], ...]] = (
    (("●", "accent"), "runs"),
    (("○", "muted"), "pending"),
    (("✓", "success"), "ran"),
    (("✗", "error"), "error"),
    (("⊘", "warning"), "refused"),
    (("–", "muted"), "cancelled"),
    (("◇", "warning"), "you"),
)


class Legend(Painted):
    """The shades of the bars where there are any, then the glyphs; as many rows as that takes."""

    DEFAULT_CSS = "Legend { height: auto; display: none; }"

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """How many rows it takes."""
        return len(_lines(width))

    def render_line(self, y: int) -> Strip:
        """One row."""
        width = self.size.width
        lines = _lines(width)
        return row(lines[y] if y < len(lines) else (), width, self._palette, "surface")


def _lines(width: int) -> list[list[Span]]:
    lines: list[list[Span]] = []
    for items in (_BARS, _GLYPHS) if Grid.of(width).lane else (_GLYPHS,):
        line: list[Span] = [("  ", "muted")]
        used = 2
        for (glyph, key), word in items:
            cells = len(glyph) + 1 + len(word)
            if used + cells > width - 2:
                lines.append(line)
                line, used = [("  ", "muted")], 2
            line += [(glyph, key), (f" {word}  ", "muted")]
            used += cells + 2
        lines.append(line)
    return lines
