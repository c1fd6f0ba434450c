"""What if a past call had ended otherwise: another result, or a failure, to go on from in a fork."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import TextArea

from workbench.tui.commands import bindings, key_of
from workbench.tui.key_hints import Hint, hint_spans, hints_of
from workbench.tui.palette import Palette
from workbench.tui.panels.status import Line
from workbench.tui.render import Span, clip, spans_width
from workbench.tui.screens.box import BoxScreen
from workbench.tui.session_keeper import Instead
from workbench.tui.states import GLYPHS
from workbench.tui.steady_area import SteadyArea
from workbench.visible import visible, visible_line

_ROOMY: Final = 60
_NARROW: Final = 44

_FAILURE: Final = "Error executing {}: RuntimeError: it could not be done"
"""What stands as the error of a call that gave a result, until it is written; of the tool of that name."""


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
    failed = False

    def spans(self, width: int) -> list[Span]:
        key, other = key_of("what_if.fails"), "give a result" if self.failed else "make it fail"
        if width < _NARROW:
            other = other.rpartition(" ")[2]
        shown = [Hint(key, other) if each.key == key else each for each in hints_of("what_if")]
        gap = "   "
        if width < _ROOMY:
            shown, gap = [Hint(each.key, each.label.partition(" from")[0]) for each in shown], "  "
        return [("  ", "muted"), *hint_spans(shown, width - 4, gap)]


class WhatIfScreen(BoxScreen[Instead | None]):
    """Begins with what the call gave; ends with what it shall have given, or None.

    A result and an error are two texts, of which one is shown.

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
        texts = {failed: visible(result), not failed: "" if failed else _FAILURE.format(self._title.name)}
        if written is not None:
            texts[written.failed] = written.text
        self._texts = {kind: SteadyArea(text, compact=True, soft_wrap=True) for kind, text in texts.items()}
        self._foot = _Foot(palette)

    def compose(self) -> ComposeResult:
        """The call, result or error, the text, keys."""
        with Vertical(id="what-if-box"):
            yield self._title
            yield self._kind
            yield from self._texts.values()
            yield self._foot

    def on_mount(self) -> None:
        """The text takes the keys, all of it selected: most write something else than what stands there."""
        for kind, text in self._texts.items():
            if self._written is not None and self._written.failed == kind:
                text.move_cursor(text.document.end)
            else:
                text.select_all()
        self._show()

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._title.palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._title.palette = self._kind.palette = self._foot.palette = palette

    @property
    def _text(self) -> SteadyArea:
        """The text that holds: the result or the error."""
        return self._texts[self._kind.failed]

    def _show(self) -> None:
        for text in self._texts.values():
            text.display = text is self._text
        self._foot.failed = self._kind.failed
        self._foot.refresh()
        self._text.focus()

    def action_fails(self) -> None:
        """From a result to an error, and back; each keeps its text."""
        self._kind.failed = not self._kind.failed
        self._show()
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
