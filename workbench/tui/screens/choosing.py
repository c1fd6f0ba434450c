"""A list under a line for typing: whatever is typed narrows the rows, the other keys move in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import ClassVar, Final, Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Input

from workbench.tui.commands import Scope
from workbench.tui.key_hints import hint_spans, hints_of
from workbench.tui.palette import Palette
from workbench.tui.render import Span, spans_width
from workbench.tui.row_view import Draw
from workbench.tui.rows import RowList
from workbench.tui.screens.box import BoxScreen
from workbench.tui.title_row import TitleRow

R = TypeVar("R")
Result = TypeVar("Result")

LOOK: Final = Path(__file__).with_suffix(".tcss")
"""What all lists of this kind look like; a screen adds a file of its own to it in ``CSS_PATH``."""


def holding(words: Sequence[str], rows: Iterable[R], texts: Iterable[str]) -> list[R]:
    """The rows whose text holds every word; ``texts`` has one for each row, in lower case like the words."""
    return [row for row, text in zip(rows, texts, strict=True) if all(word in text for word in words)]


class ChoiceList(RowList[R], can_focus=False):
    """The rows. The line above has the keys all the time, so the cursor looks as if the list had them."""

    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, draw: Draw[R], palette: Palette, empty: Sequence[Span]) -> None:
        super().__init__(draw, palette, background="raised", empty=empty)
        self.set_reactive(Widget.has_focus, True)

    def on_resize(self) -> None:
        """The cursor stays in view."""
        super().on_resize()
        self._reveal()


class ChoosingScreen(BoxScreen[Result | None], Generic[R, Result]):
    """Title, line, rows and keys; ends with what was chosen, or with None.

    A subclass says in ``title_spans``, ``draw_row`` and ``foot_note`` what is shown, in ``narrow`` which rows
    fit a text, and in ``take`` what choosing a row does. Its bindings call the actions that are here.
    """

    CSS_PATH: ClassVar[list[str | PurePath]] = [LOOK]
    clicks: ClassVar[int] = 1
    """How many clicks on a row choose it."""

    def __init__(self, scope: Scope, palette: Palette, *, placeholder: str, empty: Sequence[Span]) -> None:
        """``scope`` has the keys at the foot; ``empty`` is said while no row fits."""
        super().__init__()
        self._scope: Scope = scope
        self._palette = palette
        self._title = TitleRow(self.title_spans, palette)
        self._line = Input(placeholder=placeholder, id="choosing-line", compact=True)
        self._list: ChoiceList[R] = ChoiceList(self.draw_row, palette, empty)
        self._foot = TitleRow(self._foot_spans, palette)

    def compose(self) -> ComposeResult:
        """Title, the line, rows, what a subclass puts under them, keys."""
        with Vertical(id="choosing-box"):
            yield self._title
            yield self._line
            yield self._list
            yield from self.under_rows()
            yield self._foot

    def on_mount(self) -> None:
        """The line takes the keys."""
        self._line.focus()

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = palette
        self._title.palette = self._list.palette = self._foot.palette = palette

    # what a subclass says

    def title_spans(self, width: int) -> list[Span]:
        """The row above the line."""
        raise NotImplementedError

    def draw_row(self, record: R, width: int) -> list[Span]:
        """One row of the list."""
        raise NotImplementedError

    def narrow(self, text: str) -> None:
        """Show the rows that fit ``text``, which was typed."""
        raise NotImplementedError

    def take(self, record: R) -> None:
        """This row was chosen."""
        raise NotImplementedError

    def foot_note(self, room: int) -> list[Span]:
        """What stands behind the keys, in ``room`` cells."""
        return []

    def under_rows(self) -> Iterable[Widget]:
        """What stands between the rows and the keys."""
        return ()

    # keys

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.narrow(event.value)

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_choose()

    @on(RowList.Clicked)
    def _clicked(self, event: RowList.Clicked) -> None:
        event.stop()
        if event.chain >= self.clicks:
            self.action_choose()

    def action_choose(self) -> None:
        """Take the row under the cursor."""
        current = self._list.current
        if current is not None:
            self.take(current)

    def action_close(self) -> None:
        """Take none."""
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

    def _foot_spans(self, width: int) -> list[Span]:
        spans: list[Span] = [("  ", "text"), *hint_spans(hints_of(self._scope), width - 4), ("   ", "muted")]
        return [*spans, *self.foot_note(width - spans_width(spans))]
