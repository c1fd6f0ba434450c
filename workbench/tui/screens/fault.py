"""Choosing what shall go wrong in the calls of a tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Final

from textual import events as textual_events
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from workbench.engine.fault_injection import Fault, FaultKind
from workbench.errors import ConfigError
from workbench.tui.commands import binding, bindings, key_text_of
from workbench.tui.fault_text import EXAMPLES, parse_fault, text_of
from workbench.tui.key_hints import hint_spans, pairs_of
from workbench.tui.palette import Palette
from workbench.tui.panels.status import Line
from workbench.tui.render import Span, clip, fit, spans_width
from workbench.tui.rows import RowList
from workbench.visible import visible_line

FULL_BELOW: Final = 104
"""Cells of width under which it takes the whole screen."""

_EDGE: Final = 2
_NAME: Final = 10
_TIMES: Final[tuple[int | None, ...]] = (None, 1, 3)
_DOES: Final[dict[FaultKind, str]] = {
    "delay": "waits, then runs the tool as usual",
    "raise": "raises an error",
    "timeout": "fails as at its time limit",
    "huge": "gives megabytes of text",
    "empty": "gives an empty text",
    "hostile": "gives escape codes, markup, orders to the model",
}


@dataclass(slots=True, eq=False)
class Kind:
    """One row: a kind of fault, and how a person would write it."""

    kind: FaultKind
    text: str


class _Title(Line):
    background = "raised"
    tool = ""
    on = ""

    def spans(self, width: int) -> list[Span]:
        head: Span = ("  Fault", "text strong")
        spans: list[Span] = [head, ("  " + clip(visible_line(self.tool), width // 2), "subtle")]
        state: Span = (f"on: {visible_line(self.on)}", "warning") if self.on else ("none is on", "muted")
        room = width - spans_width(spans) - _EDGE - 3
        return [*spans, ("   " + fit(state[0], room, right=True), state[1])] if room > 8 else spans


class _Verdict(Line):
    background = "raised"
    text = ""
    key = "muted"

    def spans(self, width: int) -> list[Span]:
        mark: Span = ("  ✗ ", "error") if self.key == "error" else ("    ", "muted")
        return [mark, (clip(visible_line(self.text), width - 6), self.key)]


class _Foot(Line):
    background = "raised"
    editing = False

    def spans(self, width: int) -> list[Span]:
        pairs = pairs_of("fault")
        if self.editing:
            pairs = [("enter", "put it in"), (key_text_of("field.leave"), "leave")]
        return [("  ", "muted"), *hint_spans(pairs, width - 2 * _EDGE)]


class _Field(Input):
    BINDINGS: ClassVar[list[BindingType]] = [binding("field.leave")]

    def action_leave(self) -> None:
        """Back to the kinds."""
        self.screen.query_one(RowList).focus()


class FaultScreen(ModalScreen[None]):
    """Offers the kinds of faults; the field holds the words for the one that is put in with Enter.

    ``now`` is the text of the fault that is on, empty if none is. ``put`` and ``clear`` change it.
    """

    # one look for both screens that set something for a tool
    CSS_PATH = str(Path(__file__).with_name("breakpoints.tcss"))
    BINDINGS: ClassVar[list[BindingType]] = bindings("fault")

    def __init__(
        self,
        palette: Palette,
        tool: str,
        now: str,
        *,
        put: Callable[[Fault], object],
        clear: Callable[[], object],
    ) -> None:
        super().__init__()
        self._put, self._clear = put, clear
        self._title, self._verdict, self._foot = _Title(palette), _Verdict(palette), _Foot(palette)
        self._title.tool, self._title.on = tool, now
        self._kinds = [Kind(kind, text) for kind, text in EXAMPLES.items()]
        for each in self._kinds:
            if now.startswith(each.kind):
                each.text = now
        self._list: RowList[Kind] = RowList(self._draw, palette, rows=self._kinds, background="raised")
        self._field = _Field(compact=True, id="fault")

    def compose(self) -> ComposeResult:
        """Title, the kinds, the words for one, keys."""
        with Vertical(id="fault-box"):
            yield self._title
            yield self._list
            yield self._field
            yield self._verdict
            yield self._foot

    def on_mount(self) -> None:
        """Begin with the one that is on, else with the first."""
        at = next((at for at, each in enumerate(self._kinds) if each.text == self._title.on), 0)
        self._list.go_to(at)
        self._list.focus()
        self._show_words()

    def on_resize(self, event: textual_events.Resize) -> None:
        """Small screens are filled."""
        self.set_class(event.size.width < FULL_BELOW, "-full")

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._list.palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        for part in (self._title, self._list, self._verdict, self._foot):
            part.palette = palette

    # keys

    def action_put(self) -> None:
        """Put the fault into the calls, if the words make sense."""
        fault = self._judge()
        if fault is not None:
            self._put(fault)
            self.dismiss()

    def action_times(self) -> None:
        """In all calls, in one, in three."""
        fault = self._judge()
        if fault is not None:
            place = _TIMES.index(fault.times) + 1 if fault.times in _TIMES else 0
            self._field.value = text_of(replace(fault, times=_TIMES[place % len(_TIMES)]))

    def action_words(self) -> None:
        """Write it in other words."""
        self._field.focus()

    def action_take_out(self) -> None:
        """No fault in this tool any more."""
        self._clear()
        self.dismiss()

    def action_close(self) -> None:
        """Go back; nothing changes."""
        self.dismiss()

    def on_descendant_focus(self) -> None:
        """The keys belong to what has the focus."""
        self._foot.editing = self._field.has_focus
        self._foot.refresh()

    on_descendant_blur = on_descendant_focus

    # the words

    @on(RowList.Moved)
    def _moved(self, event: RowList.Moved) -> None:
        event.stop()
        self._show_words()

    @on(RowList.Clicked)
    def _clicked(self, event: RowList.Clicked) -> None:
        event.stop()
        if event.chain == 2:
            self.action_put()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._judge()

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_put()

    def _show_words(self) -> None:
        kind = self._list.current
        if kind is not None:
            self._field.value = kind.text
            self._judge()

    def _judge(self) -> Fault | None:
        try:
            fault = parse_fault(self._field.value)
        except ConfigError as error:
            self._say(f"{error.message}   {error.hint or ''}", "error")
            return None
        when = (
            "in every call"
            if fault.times is None
            else ("in the next call" if fault.times == 1 else f"in the next {fault.times} calls")
        )
        then = "then the tool runs" if fault.kind == "delay" else "the tool does not run"
        self._say(f"{when}; {then}")
        return fault

    def _say(self, text: str, key: str = "muted") -> None:
        self._verdict.text, self._verdict.key = text, key
        self._verdict.refresh()

    def _draw(self, kind: Kind, width: int) -> list[Span]:
        on = bool(self._title.on) and kind.text == self._title.on
        spans: list[Span] = [("  ■ " if on else "  □ ", "warning" if on else "muted")]
        spans.append((fit(kind.kind, _NAME), "text"))
        return [*spans, (clip(_DOES[kind.kind], width - spans_width(spans) - _EDGE), "muted")]
