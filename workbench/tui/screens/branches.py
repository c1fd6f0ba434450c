"""Two sessions beside each other, turn by turn, and how the step under the cursor differs."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import Screen

from workbench.tui.branches import Pair, Step, TurnHead
from workbench.tui.commands import bindings, hints
from workbench.tui.palette import Palette
from workbench.tui.panels.status import HintLine, Line
from workbench.tui.render import Span, clip, fit, spans_width
from workbench.tui.result_diff import result_lines
from workbench.tui.row_view import RowView
from workbench.tui.rows import RowList
from workbench.tui.states import GLYPHS
from workbench.tui.wrapped import Line as TextLine
from workbench.tui.wrapped import wrapped
from workbench.visible import visible_line

Row = TurnHead | Pair

_EMPTY: Final[tuple[Span, ...]] = (
    ("Neither session has a turn.", "subtle"),
    ("Both will be compared turn by turn once they have.", "muted"),
)
_GAP: Final = 3
_GLYPHS: Final = {"prompt": ("❯", "accent"), "text": ("◆", "accent"), "end": ("✗", "error")}


class _Heads(Line):
    background = "raised"
    left = ""
    right = ""

    def spans(self, width: int) -> list[Span]:
        room = (width - 2 - _GAP - 2) // 2
        return [
            ("  ", "muted"),
            (fit(clip(self.left, room), room), "subtle strong"),
            (" " * _GAP, "muted"),
            (fit(clip(self.right, room), room), "text strong"),
        ]


class BranchesScreen(Screen[None]):
    """Compares; ``left`` and ``right`` name the sessions, ``rows`` are what ``compare`` gave."""

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    BINDINGS: ClassVar[list[BindingType]] = bindings("branches")

    def __init__(self, left: str, right: str, rows: list[Row], palette: Palette) -> None:
        super().__init__()
        self._palette = palette
        self._heads = _Heads(palette)
        self._heads.left, self._heads.right = visible_line(left), visible_line(right)
        self._list: RowList[Row] = RowList(
            self._draw, palette, rows=rows, rests=lambda row: isinstance(row, Pair), empty=_EMPTY
        )
        self._detail: RowView[TextLine] = RowView(
            lambda line, _width: line, palette, background="background", id="branches-detail"
        )
        self._detail.can_focus = False
        self._hints = HintLine(palette)

    def compose(self) -> ComposeResult:
        """The two names, the steps, what differs in the one under the cursor, keys."""
        yield self._heads
        with Vertical():
            yield self._list
            yield self._detail
        yield self._hints

    def on_mount(self) -> None:
        """Begin at the first difference."""
        self._hints.show(hints(["branches"]))
        self._list.focus()
        self.call_after_refresh(self.action_difference, 1)

    def on_resize(self, event: events.Resize) -> None:
        """What differs is broken anew."""
        self.set_class(event.size.height < 16, "-low")
        self._show_detail()

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = palette
        self._heads.palette = self._list.palette = self._detail.palette = self._hints.palette = palette

    def action_difference(self, step: int) -> None:
        """Go to the next place where the two differ, or to the one before."""
        rows = self._list.rows
        at = self._list.cursor
        around = range(at + 1, len(rows)) if step > 0 else range(at - 1, -1, -1)
        found = next(
            (index for index in around if isinstance(row := rows[index], Pair) and not row.same), None
        )
        if found is not None:
            self._list.go_to(found)
        elif at < 0 and rows:
            self._list.go_to(0)
        self._show_detail()

    def action_close(self) -> None:
        """Go back."""
        self.dismiss()

    @on(RowList.Moved)
    def _moved(self) -> None:
        self._show_detail()

    def _show_detail(self) -> None:
        width = max(20, self.size.width)
        self._detail.show(self._detail_lines(self._list.current, width))
        self._detail.scroll_to(y=0, animate=False, force=True)

    def _detail_lines(self, row: Row | None, width: int) -> list[TextLine]:
        if not isinstance(row, Pair):
            return []
        left, right = (step.detail if step is not None else "" for step in (row.left, row.right))
        if row.left is not None and row.right is not None and left != right:
            return result_lines(left, right, width)
        return list(wrapped(right or left, width, "subtle"))

    # drawing

    def _draw(self, row: Row, width: int) -> list[Span]:
        return _turn_spans(row) if isinstance(row, TurnHead) else _pair_spans(row, width)


def _turn_spans(head: TurnHead) -> list[Span]:
    said: Span = ("the same", "muted")
    if head.only:
        said = (f"only on the {head.only}", "subtle")
    elif head.different:
        said = (f"{head.different} differ" + "s" * (head.different == 1), "subtle")
    return [("  ", "muted"), (f"turn {head.turn}", "text strong"), ("   ", "muted"), said]


def _pair_spans(pair: Pair, width: int) -> list[Span]:
    room = (width - 2 - _GAP - 2) // 2
    sign: Span = ("   ", "muted") if pair.same else (" ± ", "accent")
    key = "muted" if pair.same else "text"
    left = _step_spans(pair.left, room, "muted" if pair.same else "subtle")
    return [("  ", "muted"), *left, sign, *_step_spans(pair.right, room, key)]


def _step_spans(step: Step | None, room: int, key: str) -> list[Span]:
    if step is None:
        return [(fit("  –", room), "muted")]
    glyph = GLYPHS.get(step.status, ("?", "muted")) if step.kind == "call" else _GLYPHS[step.kind]  # type: ignore[call-overload]  # a record may hold any status
    head = clip(step.head, room * 3 // 5 if step.kind == "call" else room - 4)
    spans: list[Span] = [("  ", "muted"), glyph, (" ", "muted"), (head, key)]
    if step.kind == "call":
        rest = room - spans_width(spans) - 2
        spans += [("  ", "muted"), (clip(visible_line(step.detail), rest), "muted")]
    return [*spans, (" " * (room - spans_width(spans)), "muted")]
