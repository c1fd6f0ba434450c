"""The list of models to choose from, grouped by provider, with a filter."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.events import Resize
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input

from workbench.providers.keys import full_name
from workbench.tui.commands import bindings, commands, key_text
from workbench.tui.model_rows import GroupRow, ModelRow, Row, WrittenRow, columns_width, draw, heads, rows
from workbench.tui.palette import Palette
from workbench.tui.panels.status import Line
from workbench.tui.render import Span, clip, fit, spans_width
from workbench.tui.rows import RowList
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.providers.catalog import Snapshot

FULL_BELOW: Final = 104
"""Cells of width under which the list takes the whole screen."""

_EMPTY: Final[tuple[Span, ...]] = (
    ("No model matches.", "subtle"),
    ("Any name that litellm knows can be written here and taken as it is.", "muted"),
)


@dataclass(frozen=True, slots=True)
class Choice:
    """The model that was chosen, and where its server is if it runs on this machine."""

    model: str
    base_url: str | None = None


class _List(RowList[Row], can_focus=False):
    """The rows. The filter has the keys all the time, so the cursor looks as if the list had them."""

    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, palette: Palette) -> None:
        super().__init__(draw, palette, background="raised", empty=_EMPTY)
        self.set_reactive(Widget.has_focus, True)

    def on_resize(self) -> None:
        """The cursor stays in view."""
        super().on_resize()
        self._reveal()

    def place(self, key: str | None) -> None:
        """Put the cursor on the row with this key; without one on the first model."""
        at = next((index for index, record in enumerate(self.rows) if record.key == key), None)
        if at is None:
            at = next(
                (index for index, record in enumerate(self.rows) if not isinstance(record, GroupRow)), 0
            )
        self.go_to(at)
        if at == 1:
            self.scroll_to(y=0, animate=False, force=True)  # with the header of the first group


class _Title(Line):
    background = "raised"

    def spans(self, width: int) -> list[Span]:
        left: list[Span] = [("  Models", "text strong"), ("   type to filter", "muted")]
        right = heads(width)
        blanks = width - spans_width(left) - columns_width(width)
        if blanks < 1:
            left, blanks = left[:1], blanks + spans_width(left[1:])
        return [*left, (" " * max(0, blanks), "text"), *right]


class _Foot(Line):
    """The keys, and what is still being looked for or went wrong."""

    background = "raised"
    looking = ""
    problem = ""

    def spans(self, width: int) -> list[Span]:
        keys: list[Span] = []
        for command in commands("models")[:2]:
            keys += [(key_text(command.keys[0]), "subtle"), (f" {command.label}   ", "muted")]
        room = width - 4 - spans_width(keys)
        if self.problem:
            note: list[Span] = [("✗ ", "error"), (fit(visible_line(self.problem), room - 2), "error")]
        elif self.looking:
            text = clip(self.looking, room - 2)
            note = [("● ", "accent"), (text, "muted")]
        else:
            note = []
        return [("  ", "text"), *keys, *note]


class ModelsScreen(ModalScreen[Choice | None]):
    """Shows the snapshots that it is given with ``show`` and ends with a choice, or None."""

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    BINDINGS: ClassVar[list[BindingType]] = bindings("models")

    def __init__(self, current: str, palette: Palette) -> None:
        """``current`` is the name of the model that answers now."""
        super().__init__()
        self._current = full_name(current)
        self._palette = palette
        self._snapshot: Snapshot | None = None
        self._folded: set[str] = set()
        self._met: set[str] = set()
        self._moved = False
        self._title = _Title(palette)
        self._filter = Input(
            placeholder="filter, or any name that litellm knows", id="models-filter", compact=True
        )
        self._list = _List(palette)
        self._foot = _Foot(palette)

    def compose(self) -> ComposeResult:
        """Title with the heads, filter, rows, keys."""
        with Vertical(id="models-box"):
            yield self._title
            yield self._filter
            yield self._list
            yield self._foot

    def on_mount(self) -> None:
        """The filter takes the keys."""
        self._filter.focus()

    def on_resize(self, event: Resize) -> None:
        """Small screens are filled."""
        self.set_class(event.size.width < FULL_BELOW, "-full")

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = palette
        for part in (self._title, self._list, self._foot):
            part.palette = palette

    def show(self, snapshot: Snapshot) -> None:
        """These are the models now; the cursor stays where a person put it."""
        self._snapshot = snapshot
        for group in snapshot.groups:
            # what cannot be used is folded when it first comes up, unless the model in use is there
            if group.title not in self._met:
                self._met.add(group.title)
                in_use = any(info.name == self._current for info in group.models)
                if not group.usable and not in_use:
                    self._folded.add(group.title)
        self._foot.looking, self._foot.problem = snapshot.looking, snapshot.problem
        self._foot.refresh()
        current = self._list.current
        self._draw(current.key if self._moved and current is not None else self._current_key())

    def _current_key(self) -> str | None:
        for group in self._snapshot.groups if self._snapshot is not None else ():
            if any(info.name == self._current for info in group.models):
                return f"model {group.title} {self._current}"
        return None

    def _draw(self, key: str | None) -> None:
        if self._snapshot is None:
            return
        self._list.show(rows(self._snapshot, self._filter.value, self._folded, self._current))
        self._list.place(key)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._moved = False
        self._draw(None if event.value.strip() else self._current_key())

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_choose()

    @on(RowList.Clicked)
    def _clicked(self, event: RowList.Clicked) -> None:
        event.stop()
        self.action_choose()

    def action_choose(self) -> None:
        """Take the model under the cursor, or fold or unfold the group."""
        match self._list.current:
            case GroupRow(group=group) as record:
                if not self._filter.value.strip():
                    self._folded ^= {group.title}
                    self._moved = True
                    self._draw(record.key)
            case ModelRow(info=info):
                self.dismiss(Choice(info.name, info.base_url))
            case WrittenRow(name=name):
                self.dismiss(Choice(name))
            case None:
                pass

    def action_close(self) -> None:
        """Keep the model that answers now."""
        self.dismiss(None)

    def action_move(self, step: int) -> None:
        """A row up or down."""
        self._moved = True
        if step < 0:
            self._list.action_cursor_up()
        else:
            self._list.action_cursor_down()

    def action_page(self, step: int) -> None:
        """A screen up or down."""
        self._moved = True
        if step < 0:
            self._list.action_page_up()
        else:
            self._list.action_page_down()
