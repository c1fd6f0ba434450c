"""A list and a field under it in which something is set for a tool, judged while it is typed."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Input

from workbench.tui.commands import Scope, binding, key_of
from workbench.tui.key_hints import Hint, hint_spans, hints_of
from workbench.tui.palette import Palette
from workbench.tui.render import Span
from workbench.tui.rows import RowList
from workbench.tui.screens.box import BoxScreen
from workbench.tui.title_row import TitleRow

EDGE = 2
"""Cells that stay free at either side."""


R = TypeVar("R")


class _Field(Input):
    BINDINGS: ClassVar[list[BindingType]] = [binding("field.leave")]

    def action_leave(self) -> None:
        """Back to the rows."""
        self.screen.query_one(RowList).focus()


class ToolSettingScreen(BoxScreen[None], Generic[R]):
    """Title, rows, the field with what is thought of its text, keys.

    A subclass says in ``title_spans``, ``draw_row`` and ``verdict_spans`` what is shown, in ``judge`` what it
    thinks of the text in the field, and in ``entered`` what Enter does there.
    """

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))

    def __init__(
        self, scope: Scope, palette: Palette, field: str = "", *, placeholder: str = "", enters: str = ""
    ) -> None:
        """``scope`` has the keys at the foot; ``field`` is what stands in the field at first.

        ``enters`` is the word for what Enter does in the field; without one there is no field.
        """
        super().__init__()
        self._scope: Scope = scope
        self._enters = enters
        self._title = TitleRow(self.title_spans, palette)
        self._list: RowList[R] = RowList(self.draw_row, palette, background="raised")
        self._field = _Field(field, placeholder=placeholder, compact=True)
        self._verdict = TitleRow(self.verdict_spans, palette)
        self._foot = TitleRow(self._foot_spans, palette)

    def compose(self) -> ComposeResult:
        """Title, rows, the field with the verdict on it, keys."""
        with Vertical(id="tool-setting-box"):
            yield self._title
            yield self._list
            if self._enters:
                yield self._field
            yield self._verdict
            yield self._foot

    def on_mount(self) -> None:
        """The rows take the keys, or the field where something is to be mended in it first."""
        (self._field if self.begins_in_field else self._list).focus()

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._list.palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        for part in (self._title, self._list, self._verdict, self._foot):
            part.palette = palette

    # what a subclass says

    @property
    def begins_in_field(self) -> bool:
        """Whether the field has the keys at first."""
        return False

    def title_spans(self, width: int) -> list[Span]:
        """The row above the list."""
        raise NotImplementedError

    def draw_row(self, record: R, width: int) -> list[Span]:
        """One row of the list."""
        raise NotImplementedError

    def verdict_spans(self, width: int) -> list[Span]:
        """The row under the field."""
        raise NotImplementedError

    def judge(self) -> object:
        """Think again about the text in the field, which is another one now."""
        raise NotImplementedError

    def entered(self) -> None:
        """Enter was pressed in the field."""
        raise NotImplementedError

    def foot_hints(self) -> list[Hint]:
        """The keys that hold in the list."""
        return hints_of(self._scope)

    # keys

    def action_close(self) -> None:
        """Go back."""
        self.dismiss()

    def on_descendant_focus(self) -> None:
        """The keys belong to what has the focus, and so may what is said of the field."""
        self._foot.refresh()
        self._verdict.refresh()

    on_descendant_blur = on_descendant_focus

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.judge()

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.entered()

    def _foot_spans(self, width: int) -> list[Span]:
        shown = self.foot_hints()
        if self._field.has_focus:
            shown = [Hint("enter", self._enters), Hint(key_of("field.leave"), "leave")]
        return [("  ", "muted"), *hint_spans(shown, width - 2 * EDGE)]
