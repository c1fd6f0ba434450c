"""Where a call's test goes: one field with a good answer in it, and what should be known of the test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import wrap
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Input

from workbench.tui.commands import binding, bindings, key_of
from workbench.tui.key_hints import Hint, hint_spans, hints_of
from workbench.tui.palette import Palette
from workbench.tui.pieces import Piece, PieceRow, PieceRows
from workbench.tui.render import Span, clip, name_spans, spans_width
from workbench.tui.screens.dimmed import DimmedScreen
from workbench.tui.title_row import TitleRow
from workbench.visible import visible_line

_FULL_BELOW = 80


class _Field(Input):
    """The path; Enter and Escape are the screen's."""

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("save_test.write", "screen.write"),
        binding("save_test.other", "screen.other"),
        binding("save_test.leave", "screen.leave"),
    ]


class SaveTestScreen(DimmedScreen[str]):
    """Gives back the path to write to, None if nothing shall be written.

    ``problem`` says why a path cannot be written, empty when it can. ``doubts`` are shown, and ``which`` run
    of the call is saved. ``others`` are other runs that may be, each with its doubts; ``chosen`` counts them
    from 1, and is 0 for the first run.
    """

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    BINDINGS: ClassVar[list[BindingType]] = bindings("save_test")

    def __init__(
        self,
        tool: str,
        path: str,
        doubts: Sequence[str],
        problem: Callable[[str], str],
        palette: Palette,
        *,
        which: str = "",
        others: Sequence[tuple[str, Sequence[str]]] = (),
    ) -> None:
        super().__init__()
        self._tool = tool
        self._runs = [(which, doubts), *others]
        self.chosen = 0
        self._palette = palette
        self._problem = problem
        self._title = TitleRow(self._title_spans, palette)
        self._field = _Field(path, compact=True, id="test-path", select_on_focus=False)
        self._said = PieceRows(palette, id="test-said")
        self._foot = TitleRow(self._foot_spans, palette)

    def compose(self) -> ComposeResult:
        """What is saved, where to, what should be known, the keys."""
        with Vertical(id="test-box"):
            yield self._title
            yield self._field
            yield self._said
            yield self._foot

    def on_mount(self) -> None:
        """Type here."""
        self._field.focus()
        self._judge()

    def on_resize(self, event: events.Resize) -> None:
        """The whole width of a narrow screen."""
        self.set_class(event.size.width < _FULL_BELOW, "-full")
        self._judge()

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = palette
        self._title.restyle(palette, "raised")
        self._foot.restyle(palette, "raised")
        self._said.palette = palette

    @on(Input.Changed)
    def _judge(self) -> bool:
        """Say whether the path can be written."""
        problem = self._problem(self._field.value)
        width = max(10, min(self.size.width, 80) - 8)
        rows = [PieceRow([Piece("  ✗ " + clip(visible_line(problem), width), "error")])]
        if not problem:
            rows = [PieceRow([Piece("  ✓ a new file", "success")])]
        for doubt in self._runs[self.chosen][1]:
            lines = wrap(visible_line(doubt), width)
            rows += [
                PieceRow([Piece(("    " if at else "  ◇ ") + line, "warning")])
                for at, line in enumerate(lines)
            ]
        self._said.show(rows)
        return not problem

    def _title_spans(self, width: int) -> list[Span]:
        spans: list[Span] = [("  ", "text"), *name_spans(self._tool, "text strong")]
        which = self._runs[self.chosen][0]
        said = "  as a pytest" + (f": {which}" if which else "")
        return [*spans, (clip(said, width - spans_width(spans) - 2), "muted")]

    def _foot_spans(self, width: int) -> list[Span]:
        shown = hints_of("save_test")
        if self._runs[1:]:
            shown.insert(1, Hint(key_of("save_test.other"), "the other run"))
        return [("  ", "text"), *hint_spans(shown, width - 4)]

    def action_other(self) -> None:
        """Save the other run, or the first again."""
        self.chosen = (self.chosen + 1) % len(self._runs)
        self._title.refresh()
        self._judge()

    def action_write(self) -> None:
        """Take the path, if it can be written."""
        if self._judge():
            self.dismiss(self._field.value.strip())

    def action_leave(self) -> None:
        """Write nothing."""
        self.dismiss(None)
