"""What if a past call had ended otherwise: another result, or a failure, to go on from in a fork."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import TextArea

from workbench.tui.commands import bindings, commands, key_text
from workbench.tui.palette import Palette
from workbench.tui.panels.status import Line
from workbench.tui.render import Span, clip, spans_width
from workbench.tui.screens.box import BoxScreen
from workbench.tui.session_keeper import Instead
from workbench.tui.states import GLYPHS
from workbench.tui.steady_area import SteadyArea
from workbench.visible import visible, visible_line

_ROOMY: Final = 60


class _Title(Line):
    background = "raised"
    name = ""
    said = ""

    def spans(self, width: int) -> list[Span]:
        spans: list[Span] = [("  What if ", "text strong"), (self.name, "accent strong")]
        room = width - 2 - spans_width(spans) - 2
        return [*spans, ("  ", "muted"), (clip(self.said, room), "muted")]


class _Kind(Line):
    """Whether the text is a result or an error."""

    background = "raised"
    failed = False
    note = ""

    def spans(self, width: int) -> list[Span]:
        glyph, key = GLYPHS["error" if self.failed else "success"]
        what = "had failed with this error" if self.failed else "had given this result"
        spans: list[Span] = [("  ", "muted"), (f"{glyph} ", key), (what, "text")]
        return [*spans, (clip(f"   {self.note}", width - 2 - spans_width(spans)), "warning")]


class _Foot(Line):
    background = "raised"

    def spans(self, width: int) -> list[Span]:
        gap = "   " if width >= _ROOMY else "  "
        spans: list[Span] = [("  ", "muted")]
        for command in commands("what_if"):
            label = command.label if width >= _ROOMY else command.label.partition(" from")[0]
            spans += [(key_text(command.keys[0]), "subtle"), (f" {label}{gap}", "muted")]
        return spans


class WhatIfScreen(BoxScreen[Instead | None]):
    """Begins with what the call gave; ends with what it shall have given, or None.

    ``name`` and ``arguments`` are safe to paint. ``result`` is the text as the model read it. ``written`` is
    what was written before and was ``refused`` for a reason.
    """

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    BINDINGS: ClassVar[list[BindingType]] = bindings("what_if")

    def __init__(
        self,
        call_id: str,
        name: str,
        arguments: str,
        result: str,
        palette: Palette,
        *,
        failed: bool = False,
        written: Instead | None = None,
        refused: str = "",
    ) -> None:
        super().__init__()
        self._call_id = call_id
        self._was = (visible(result), failed)
        self._written = written
        self._title = _Title(palette)
        self._title.name, self._title.said = visible_line(name), arguments
        self._kind = _Kind(palette)
        self._kind.failed = failed if written is None else written.failed
        self._kind.note = visible_line(refused)
        text = visible(result) if written is None else written.text
        self._text = SteadyArea(text, id="what-if-text", compact=True, soft_wrap=True)
        self._foot = _Foot(palette)

    def compose(self) -> ComposeResult:
        """The call, result or error, the text, keys."""
        with Vertical(id="what-if-box"):
            yield self._title
            yield self._kind
            yield self._text
            yield self._foot

    def on_mount(self) -> None:
        """The text takes the keys, all of it selected: most write something else than what was given."""
        self._text.focus()
        if self._written is None:
            self._text.select_all()
        else:
            self._text.move_cursor(self._text.document.end)

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._title.palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._title.palette = self._kind.palette = self._foot.palette = palette

    def action_fails(self) -> None:
        """From a result to an error, and back."""
        self._kind.failed = not self._kind.failed
        self._kind.refresh()
        self._say("")

    def action_go(self) -> None:
        """Go on from there."""
        if (self._text.text, self._kind.failed) == self._was:
            self._say("That is what it gave. Write something else.")
        else:
            self.dismiss(Instead(self._call_id, self._text.text, self._kind.failed))

    def action_close(self) -> None:
        """Leave it as it was."""
        self.dismiss(None)

    @on(TextArea.Changed)
    def _changed(self) -> None:
        self._say("")

    def _say(self, note: str) -> None:
        self._kind.note = note
        self._kind.refresh()
