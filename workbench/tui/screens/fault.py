"""Choosing what shall go wrong in the calls of a tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from textual import on
from textual.binding import BindingType

from workbench.engine.fault_injection import Fault, FaultKind
from workbench.errors import ConfigError
from workbench.tui.commands import bindings
from workbench.tui.fault_text import EXAMPLES, parse_fault, text_of
from workbench.tui.palette import Palette
from workbench.tui.render import Span, clip, fit, spans_width
from workbench.tui.rows import RowList
from workbench.tui.screens.tool_setting import EDGE, ToolSettingScreen
from workbench.visible import visible_line

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
    """One row: a kind of fault, and the words that stand in the field while it is gone to."""

    kind: FaultKind
    text: str


class FaultScreen(ToolSettingScreen[Kind]):
    """Offers the kinds of faults; the field holds the words for the one that is put in with Enter.

    ``now`` is the text of the fault that is on, empty if none is. ``put`` and ``clear`` change it.
    """

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
        super().__init__("fault", palette, enters="put it in")
        self._put, self._clear = put, clear
        self._tool, self._now = tool, now
        self._said: Span = ("", "muted")
        self._on: Kind | None = None
        self._shown: Kind | None = None
        self._kinds = [Kind(kind, text) for kind, text in EXAMPLES.items()]
        for each in self._kinds:
            if now.startswith(each.kind):
                each.text, self._on = now, each
        self._list.rows = self._kinds

    def on_mount(self) -> None:
        """Begin with the one that is on, else with the first."""
        self._list.go_to(self._kinds.index(self._on) if self._on is not None else 0)
        self._show_words()

    # keys

    def action_put(self) -> None:
        """Put the fault into the calls, if the words make sense."""
        fault = self.judge()
        if fault is not None:
            self._put(fault)
            self.dismiss()

    def action_times(self) -> None:
        """In all calls, in one, in three."""
        fault = self.judge()
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

    def entered(self) -> None:
        """Put it in."""
        self.action_put()

    def _show_words(self) -> None:
        kind = self._shown = self._list.current
        if kind is not None:
            self._field.value = kind.text
            self.judge()

    def judge(self) -> Fault | None:
        """The fault that the words mean, None if they mean none; the row keeps the words."""
        if self._shown is not None:
            self._shown.text = self._field.value
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
        self._said = (visible_line(text), key)
        self._verdict.refresh()

    # drawing

    def title_spans(self, width: int) -> list[Span]:
        """The tool, and the fault that is on."""
        spans: list[Span] = [("  Fault", "text strong")]
        spans.append(("  " + clip(visible_line(self._tool), width // 2), "subtle"))
        state: Span = (f"on: {visible_line(self._now)}", "warning") if self._now else ("none is on", "muted")
        room = width - spans_width(spans) - EDGE - 3
        return [*spans, ("   " + fit(state[0], room, right=True), state[1])] if room > 8 else spans

    def verdict_spans(self, width: int) -> list[Span]:
        """What the words mean, or what is wrong with them."""
        text, key = self._said
        mark: Span = ("  ✗ ", "error") if key == "error" else ("    ", "muted")
        return [mark, (clip(text, width - 6), key)]

    def draw_row(self, record: Kind, width: int) -> list[Span]:
        """A kind of fault and what it does."""
        on = record is self._on
        spans: list[Span] = [("  ■ " if on else "  □ ", "warning" if on else "muted")]
        spans.append((fit(record.kind, _NAME), "text"))
        return [*spans, (clip(_DOES[record.kind], width - spans_width(spans) - EDGE), "muted")]
