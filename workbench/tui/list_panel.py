"""A panel that is a title over a list of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical

from workbench.tui.filter_line import FilterLine
from workbench.tui.painted import Painted
from workbench.tui.palette import Palette, Token
from workbench.tui.render import Span
from workbench.tui.rows import RowList
from workbench.tui.title_row import TitleRow

R = TypeVar("R")


class ListPanel(Vertical, Painted, Generic[R]):
    """Draws the title and hands colours on; what is in the list is the panel's own.

    ``compact`` is for a tab, which carries the panel's name. A subclass says in ``title_spans`` what stands
    behind its name, and draws records in ``draw_record``.
    """

    # what stands in it paints every cell
    BLANK = True

    name_shown: str

    def __init__(
        self,
        palette: Palette,
        *,
        rows: list[R] | None = None,
        rests: Callable[[R], bool] | None = None,
        empty: Sequence[Span] = (),
        follows: bool = False,
        id: str | None = None,  # noqa: A002  Textual's own name for it
    ) -> None:
        super().__init__(id=id)
        self._palette = palette
        self._compact = False
        self._title = TitleRow(self._whole_title, palette)
        self._rows: RowList[R] = RowList(
            self.draw_record, palette, rows=rows, rests=rests, empty=empty, follows=follows
        )

    def compose(self) -> ComposeResult:
        """The title row over the list."""
        yield self._title
        yield self._rows

    def draw_record(self, record: R, width: int) -> list[Span]:
        """One row of the list."""
        raise NotImplementedError

    def title_spans(self, width: int, used: int) -> list[Span]:
        """What stands in the title from cell ``used`` on."""
        raise NotImplementedError

    @property
    def compact(self) -> bool:
        """Whether the panel sits in a tab, which carries its name and has the colour of the page."""
        return self._compact

    @compact.setter
    def compact(self, compact: bool) -> None:
        if compact == self._compact:
            return
        self._compact = compact
        self.query(FilterLine).set_class(compact, "-compact")
        self._rows.background = "background" if compact else "surface"
        self.repaint()

    @property
    def focus_target(self) -> RowList[R]:
        """The list below the title, which takes the focus."""
        return self._rows

    def repaint(self) -> None:
        """Title and rows have the colours of the panel."""
        ground: Token = "background" if self._compact else "raised"
        self._title.restyle(self._palette, ground)
        self._rows.palette = self._palette

    def _whole_title(self, width: int) -> list[Span]:
        spans: list[Span] = [("  ", "muted")]
        used = 2
        if not self._compact:
            focused = "accent strong" if self.has_focus_within else "subtle strong"
            spans += [(self.name_shown, focused), ("  ", "muted")]
            used += len(self.name_shown) + 2
        return spans + self.title_spans(width, used)

    @on(RowList.Moved)
    def _moved(self) -> None:
        self._title.refresh()

    def on_descendant_focus(self) -> None:
        """The title says where the focus is."""
        self._title.refresh()

    def on_descendant_blur(self) -> None:
        """The title says where the focus is."""
        self._title.refresh()
