"""The list of themes beside the screen, which wears whatever the list is on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path, PurePath
from typing import ClassVar, Final

from textual import on
from textual.binding import BindingType
from textual.events import Resize
from textual.widget import Widget
from textual.widgets import Static

from workbench.tui.commands import bindings
from workbench.tui.palette import Palette
from workbench.tui.render import Span, clip, spans_width
from workbench.tui.rows import RowList
from workbench.tui.screens.choosing import LOOK, ChoosingScreen, holding
from workbench.visible import visible_line

_LOW: Final = 24
_NARROW: Final = 60
_EMPTY: Final[tuple[Span, ...]] = (("No theme matches.", "subtle"), ("esc keeps the one before.", "muted"))


class ThemesScreen(ChoosingScreen[Palette, str]):
    """Ends with the name of the theme that was taken, or None; ``look`` is told of each one on the way."""

    CSS_PATH: ClassVar[list[str | PurePath]] = [LOOK, Path(__file__).with_suffix(".tcss")]
    BINDINGS: ClassVar[list[BindingType]] = bindings("themes")
    full_below = 0  # it stands at the side, where the rest of the screen shows what a theme looks like
    clicks = 2  # the first one only looks

    def __init__(
        self, themes: Iterable[Palette], before: str, palette: Palette, look: Callable[[str], None]
    ) -> None:
        """``before`` is the name of the theme in use, where the list begins."""
        super().__init__("themes", palette, placeholder="filter", empty=_EMPTY)
        self._themes = list(themes)
        self._look = look
        self._before = before
        self._looked_at = before
        self._about = Static("", markup=False, id="themes-about")

    def under_rows(self) -> Iterable[Widget]:
        """What the theme is like."""
        return [self._about]

    def on_resize(self, event: Resize) -> None:
        """A small screen is filled from top to bottom."""
        self.set_class(event.size.height < _LOW, "-low")
        self.set_class(event.size.width < _NARROW, "-narrow")

    def on_mount(self) -> None:
        """Begin on the theme in use."""
        self.narrow("")

    def show(self, themes: Iterable[Palette]) -> None:
        """These are the themes now; the cursor stays on its own."""
        self._themes = list(themes)
        self.narrow(self._line.value)

    def title_spans(self, width: int) -> list[Span]:
        """What it lists."""
        return [("  Themes", "text strong"), ("   type to filter", "muted")]

    def draw_row(self, record: Palette, width: int) -> list[Span]:
        """A theme's name, and whether it is dark."""
        kind = "dark" if record.dark else "light"
        mark = " in use" if record.name == self._before else ""
        name = clip(visible_line(record.name), width - 6 - len(kind) - len(mark))
        left: list[Span] = [("  ", "text"), (name, "text"), (mark, "muted")]
        return [*left, (" " * (width - 2 - len(kind) - spans_width(left)), "text"), (kind, "muted")]

    def narrow(self, text: str) -> None:
        """Show the themes with every word in name, kind or description."""
        words = text.lower().split()
        kinds = {True: "dark", False: "light"}
        texts = [f"{theme.name} {kinds[theme.dark]} {theme.about}".lower() for theme in self._themes]
        found = holding(words, self._themes, texts)
        self._list.show(found)
        self._list.go_to(next((at for at, theme in enumerate(found) if theme.name == self._looked_at), 0))
        self._tell()

    def take(self, record: Palette) -> None:
        """Keep it."""
        self.dismiss(record.name)

    @on(RowList.Moved)
    def _moved(self, event: RowList.Moved) -> None:
        event.stop()
        self._tell()

    def _tell(self) -> None:
        """Say what the theme under the cursor is like, and have it worn."""
        theme = self._list.current
        self._about.update(visible_line(theme.about) if theme is not None else "")
        if theme is not None and theme.name != self._looked_at:
            self._looked_at = theme.name
            self._look(theme.name)
