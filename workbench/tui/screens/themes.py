"""The list of themes beside the screen, which wears whatever the list is on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.events import Resize
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from workbench.tui.commands import bindings, commands, key_text
from workbench.tui.palette import Palette
from workbench.tui.panels.status import Line
from workbench.tui.render import Span, clip, spans_width
from workbench.tui.rows import RowList
from workbench.visible import visible_line

_LOW: Final = 24
_NARROW: Final = 60
_EMPTY: Final[tuple[Span, ...]] = (("No theme matches.", "subtle"), ("esc keeps the one before.", "muted"))


class _List(RowList[Palette], can_focus=False):
    """The rows. The filter has the keys all the time, so the cursor looks as if the list had them."""

    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, palette: Palette) -> None:
        super().__init__(self._row, palette, background="raised", empty=_EMPTY)
        self.before = ""
        self.set_reactive(Widget.has_focus, True)

    def _row(self, theme: Palette, width: int) -> list[Span]:
        kind = "dark" if theme.dark else "light"
        mark = " in use" if theme.name == self.before else ""
        name = clip(visible_line(theme.name), width - 6 - len(kind) - len(mark))
        left: list[Span] = [("  ", "text"), (name, "text"), (mark, "muted")]
        return [*left, (" " * (width - 2 - len(kind) - spans_width(left)), "text"), (kind, "muted")]


class _Title(Line):
    background = "raised"

    def spans(self, width: int) -> list[Span]:
        return [("  Themes", "text strong"), ("   type to filter", "muted")]


class _Foot(Line):
    background = "raised"

    def spans(self, width: int) -> list[Span]:
        spans: list[Span] = [("  ", "text")]
        for command in commands("themes")[:2]:
            spans += [(key_text(command.keys[0]), "subtle"), (f" {command.label}   ", "muted")]
        return spans


class ThemesScreen(ModalScreen[str | None]):
    """Ends with the name of the theme that was taken, or None; ``look`` is told of each one on the way."""

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    BINDINGS: ClassVar[list[BindingType]] = bindings("themes")

    def __init__(
        self, themes: Iterable[Palette], before: str, palette: Palette, look: Callable[[str], None]
    ) -> None:
        """``before`` is the name of the theme in use, where the list begins."""
        super().__init__()
        self._themes = list(themes)
        self._look = look
        self._looked_at = before
        self._title = _Title(palette)
        self._filter = Input(placeholder="filter", id="themes-filter", compact=True)
        self._list = _List(palette)
        self._list.before = before
        self._about = Static("", markup=False, id="themes-about")
        self._foot = _Foot(palette)

    def compose(self) -> ComposeResult:
        """Title, filter, rows, what the theme is like, keys."""
        with Vertical(id="themes-box"):
            yield self._title
            yield self._filter
            yield self._list
            yield self._about
            yield self._foot

    def on_resize(self, event: Resize) -> None:
        """A small screen is filled from top to bottom."""
        self.set_class(event.size.height < _LOW, "-low")
        self.set_class(event.size.width < _NARROW, "-narrow")

    def on_mount(self) -> None:
        """Begin on the theme in use; the filter takes the keys."""
        self._draw(self._looked_at)
        self._filter.focus()

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._list.palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        for part in (self._title, self._list, self._foot):
            part.palette = palette

    def show(self, themes: Iterable[Palette]) -> None:
        """These are the themes now; the cursor stays on its own."""
        self._themes = list(themes)
        self._draw(self._looked_at)

    def _draw(self, name: str) -> None:
        words = self._filter.value.lower().split()
        kinds = {True: "dark", False: "light"}
        found = [
            theme
            for theme in self._themes
            if all(word in f"{theme.name} {kinds[theme.dark]} {theme.about}".lower() for word in words)
        ]
        self._list.show(found)
        self._list.go_to(next((at for at, theme in enumerate(found) if theme.name == name), 0))
        self._tell()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._draw(self._looked_at)

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

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_choose()

    @on(RowList.Clicked)
    def _clicked(self, event: RowList.Clicked) -> None:
        event.stop()
        if event.chain == 2:
            self.action_choose()

    def action_choose(self) -> None:
        """Keep the theme under the cursor."""
        theme = self._list.current
        if theme is not None:
            self.dismiss(theme.name)

    def action_close(self) -> None:
        """Keep the one before."""
        self.dismiss(None)

    def action_move(self, step: int) -> None:
        """A row up or down."""
        if step < 0:
            self._list.action_cursor_up()
        else:
            self._list.action_cursor_down()

    def action_page(self, step: int) -> None:
        """A screen up or down."""
        if step < 0:
            self._list.action_page_up()
        else:
            self._list.action_page_down()
