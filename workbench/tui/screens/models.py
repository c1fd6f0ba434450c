"""The list of models to choose from, grouped by provider, with a filter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import BindingType

from workbench.providers.keys import full_name
from workbench.tui.commands import bindings
from workbench.tui.model_rows import GroupRow, ModelRow, Row, WrittenRow, columns_width, draw, heads, rows
from workbench.tui.palette import Palette
from workbench.tui.render import Span, clip, fit, spans_width
from workbench.tui.screens.choosing import ChoosingScreen
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.providers.catalog import Snapshot

_EMPTY: Final[tuple[Span, ...]] = (
    ("No model matches.", "subtle"),
    ("Any name that litellm knows can be written here and taken as it is.", "muted"),
)


@dataclass(frozen=True, slots=True)
class Choice:
    """The model that was chosen, and where its server is if it runs on this machine."""

    model: str
    base_url: str | None = None


class ModelsScreen(ChoosingScreen[Row, Choice]):
    """Shows the snapshots that it is given with ``show`` and ends with a choice, or None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("models")

    def __init__(self, current: str, palette: Palette, known: Snapshot | None = None) -> None:
        """``current`` is the name of the model that answers now, ``known`` what is shown at first."""
        super().__init__(
            "models", palette, placeholder="filter, or any name that litellm knows", empty=_EMPTY
        )
        self._current = full_name(current)
        self._snapshot = known
        self._folded: set[str] = set()
        self._met: set[str] = set()
        self._moved = False

    def on_mount(self) -> None:
        """What is known can be chosen from at once; the line takes the keys, as in all such lists."""
        if self._snapshot is not None:
            self.show(self._snapshot)

    def title_spans(self, width: int) -> list[Span]:
        """What it lists, and the heads of the columns."""
        left: list[Span] = [("  Models", "text strong"), ("   type to filter", "muted")]
        right = heads(width)
        blanks = width - spans_width(left) - columns_width(width)
        if blanks < 1:
            left, blanks = left[:1], blanks + spans_width(left[1:])
        return [*left, (" " * max(0, blanks), "text"), *right]

    def foot_note(self, room: int) -> list[Span]:
        """What is still being looked for, or went wrong."""
        if self._snapshot is None:
            return []
        if self._snapshot.problem:
            problem = visible_line(self._snapshot.problem)
            return [("✗ ", "error"), (fit(problem, room - 4), "error")]
        if self._snapshot.looking:
            return [("● ", "accent"), (clip(self._snapshot.looking, room - 4), "muted")]
        return []

    def draw_row(self, record: Row, width: int) -> list[Span]:
        """A model or a group."""
        return draw(record, width)

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
        self._list.show(rows(self._snapshot, self._line.value, self._folded, self._current))
        self._place(key)

    def _place(self, key: str | None) -> None:
        """Put the cursor on the row with this key; without one on the first model."""
        shown = self._list.rows
        at = next((index for index, record in enumerate(shown) if record.key == key), None)
        if at is None:
            at = next((index for index, record in enumerate(shown) if not isinstance(record, GroupRow)), 0)
        self._list.go_to(at)
        if at == 1:
            self._list.scroll_to(y=0, animate=False, force=True)  # with the header of the first group

    def narrow(self, text: str) -> None:
        """Show the models that fit, from the first on; all of them from the one in use on."""
        self._moved = False
        self._draw(None if text.strip() else self._current_key())

    def take(self, record: Row) -> None:
        """End with the model, or fold or unfold the group."""
        match record:
            case GroupRow(group=group):
                if not self._line.value.strip():
                    self._folded ^= {group.title}
                    self._moved = True
                    self._draw(record.key)
            case ModelRow(info=info):
                self.dismiss(Choice(info.name, info.base_url))
            case WrittenRow(name=name):
                self.dismiss(Choice(name))

    def action_move(self, step: int) -> None:
        """A row up or down, where the cursor stays from then on."""
        self._moved = True
        super().action_move(step)

    def action_page(self, step: int) -> None:
        """A screen up or down, where the cursor stays from then on."""
        self._moved = True
        super().action_page(step)
