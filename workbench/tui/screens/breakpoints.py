"""The list of breakpoints, of all tools or of one, and a field for a condition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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

from workbench.tui.commands import binding, bindings, key_text_of
from workbench.tui.conditions import fault_of, moment_of
from workbench.tui.events import BreakRow
from workbench.tui.key_hints import hint_spans, pairs_of
from workbench.tui.palette import Palette
from workbench.tui.panels.status import Line
from workbench.tui.render import Span, clip, fit, name_spans, spans_width
from workbench.tui.rows import RowList
from workbench.visible import visible_line

FULL_BELOW: Final = 104
"""Cells of width under which the list takes the whole screen."""

_EDGE: Final = 2
_WHEN: Final = 11
_MOMENTS: Final = ("before", "after", "on error")
_ORDER: Final = {moment: place for place, moment in enumerate(_MOMENTS)}
_STEP: Final = BreakRow("", "step")
"""The row of step mode, which is no breakpoint of a tool."""


@dataclass(slots=True, eq=False)
class Choice:
    """One row: a breakpoint that is there, or one that could be."""

    row: BreakRow
    there: bool

    @property
    def on(self) -> bool:
        """Whether it pauses."""
        return self.there and self.row.enabled


class _Title(Line):
    background = "raised"
    tool = ""
    count = 0

    def spans(self, width: int) -> list[Span]:
        spans: list[Span] = [("  Breakpoints", "text strong"), ("  ", "muted")]
        if self.tool:
            return [*spans, (clip(visible_line(self.tool), width - 2 - spans_width(spans)), "subtle")]
        return [*spans, (str(self.count) if self.count else "", "muted")]


class _Verdict(Line):
    background = "raised"
    fault: str | None = None
    text = ""

    def spans(self, width: int) -> list[Span]:
        if self.fault:
            return [("  ✗ ", "error"), (clip(visible_line(self.fault), width - 6), "error")]
        if self.text:
            said = f"pauses {moment_of(self.text)} each call where it holds"
            return [("  ✓ ", "success"), (clip(said, width - 6), "muted")]
        about = "over arguments, name, iteration, error, result (its value where it is JSON)"
        return [("    ", "muted"), (clip(about, width - 6), "muted")]


class _HowTo(Line):
    background = "raised"

    def spans(self, width: int) -> list[Span]:
        key = key_text_of("trace.break")
        said = f"{key} on a call or a tool sets one; or /breakpoints TOOL CONDITION"
        return [("    ", "muted"), (clip(said, width - 6), "muted")]


class _Foot(Line):
    background = "raised"
    editing = False
    of_a_tool = False

    def spans(self, width: int) -> list[Span]:
        pairs = pairs_of("breakpoints")
        if self.editing:
            pairs = [("enter", "set"), (key_text_of("field.leave"), "leave")]
        elif not self.of_a_tool:
            pairs = [pair for pair in pairs if pair[1] != "condition"]
        return [("  ", "muted"), *hint_spans(pairs, width - 2 * _EDGE)]


class _Field(Input):
    BINDINGS: ClassVar[list[BindingType]] = [binding("field.leave")]

    def action_leave(self) -> None:
        """Back to the rows."""
        self.screen.query_one(RowList).focus()


class BreakpointsScreen(ModalScreen[None]):
    """Shows what ``show`` tells it; ``put``, ``remove`` and ``step`` are asked to change it.

    With ``tool`` it offers what can be set for that tool; ``condition`` then stands in the field.
    """

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    BINDINGS: ClassVar[list[BindingType]] = bindings("breakpoints")

    def __init__(
        self,
        palette: Palette,
        *,
        put: Callable[[BreakRow, BreakRow | None], object],
        remove: Callable[[BreakRow], object],
        step: Callable[[], object],
        tool: str = "",
        condition: str = "",
    ) -> None:
        super().__init__()
        self._put, self._remove, self._step = put, remove, step
        self._tool = tool
        self._title, self._verdict, self._foot = _Title(palette), _Verdict(palette), _Foot(palette)
        self._how_to = _HowTo(palette)
        self._title.tool, self._foot.of_a_tool = tool, bool(tool)
        self._list: RowList[Choice] = RowList(self._draw, palette, background="raised")
        self._field = _Field(
            condition,
            placeholder="arguments['path'].startswith('/etc')",
            compact=True,
            id="condition",
        )

    def compose(self) -> ComposeResult:
        """Title, rows, the field with the verdict on it, keys."""
        with Vertical(id="breakpoints-box"):
            yield self._title
            yield self._list
            if self._tool:
                yield self._field
                yield self._verdict
            else:
                yield self._how_to
            yield self._foot

    def on_mount(self) -> None:
        """The rows take the keys."""
        self._judge()
        self._list.focus()

    def on_resize(self, event: textual_events.Resize) -> None:
        """Small screens are filled."""
        self.set_class(event.size.width < FULL_BELOW, "-full")

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._list.palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        for part in (self._title, self._list, self._verdict, self._how_to, self._foot):
            part.palette = palette

    def show(self, points: Sequence[BreakRow], step: bool) -> None:
        """These are set now; the cursor stays on its row."""
        choices = [Choice(point, True) for point in points if not self._tool or point.tool == self._tool]
        if self._tool:
            there = {choice.row.when for choice in choices if not choice.row.condition}
            choices += [Choice(BreakRow(self._tool, when), False) for when in _MOMENTS if when not in there]
            choices.sort(key=lambda choice: (bool(choice.row.condition), _ORDER[choice.row.when]))
        else:
            choices.sort(key=lambda choice: (choice.row.tool, _ORDER[choice.row.when]))
        choices.append(Choice(replace(_STEP, enabled=step), True))
        known = {replace(choice.row, enabled=True): choice for choice in self._list.rows}
        for at, choice in enumerate(choices):
            kept = known.get(replace(choice.row, enabled=True))
            if kept is not None:
                kept.row, kept.there = choice.row, choice.there
                choices[at] = kept
        self._title.count = len(points)
        self._title.refresh()
        self._list.show(choices)

    # keys

    def action_switch(self) -> None:
        """Set the breakpoint, or switch it on or off."""
        choice = self._list.current
        if choice is None:
            return
        if choice.row.when == _STEP.when:
            self._step()
        elif choice.there:
            self._put(replace(choice.row, enabled=not choice.row.enabled), choice.row)
        else:
            self._put(choice.row, None)

    def action_take_out(self) -> None:
        """Take the breakpoint out."""
        choice = self._list.current
        if choice is not None and choice.there and choice.row.when != _STEP.when:
            self._remove(choice.row)

    def action_condition(self) -> None:
        """Type a condition."""
        if self._tool:
            self._field.focus()

    def action_close(self) -> None:
        """Go back."""
        self.dismiss()

    @on(RowList.Clicked)
    def _clicked(self, event: RowList.Clicked) -> None:
        event.stop()
        if event.chain == 2 or event.x <= _EDGE + 1:
            self.action_switch()

    def on_descendant_focus(self) -> None:
        """The keys belong to what has the focus."""
        self._foot.editing = self._field.has_focus
        self._foot.refresh()

    on_descendant_blur = on_descendant_focus

    # the condition

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._judge()

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        text = self._field.value.strip()
        if text and self._judge() is None:
            self._put(BreakRow(self._tool, moment_of(text), text), None)
            self._field.value = ""
            self._list.focus()

    def _judge(self) -> str | None:
        text = self._field.value.strip()
        fault = fault_of(text) if text else None
        self._verdict.text, self._verdict.fault = text, fault
        self._verdict.refresh()
        return fault

    # drawing

    def _draw(self, choice: Choice, width: int) -> list[Span]:
        row = choice.row
        if row.when == _STEP.when:
            said = "on: every call pauses" if row.enabled else "the next call pauses, wherever it is"
            spans = [_box(row.enabled), ("step mode  ", "text" if row.enabled else "subtle")]
            return [*spans, (clip(said, width - spans_width(spans) - _EDGE), "muted")]
        key = "text" if choice.on else "muted"
        spans = [_box(choice.on)]
        if not self._tool:
            names = max(spans_width(name_spans(each.row.tool)) for each in self._list.rows) + 2
            names = min(names, max(8, width // 2 - _WHEN))
            name = name_spans(row.tool)
            if spans_width(name) > names - 2:
                name = [(clip("".join(text for text, _ in name), names - 2), "text")]
            spans += [*name, (" " * (names - spans_width(name)), "muted")]
        what = _condition(row)
        spans.append((fit(row.when, _WHEN), key))
        return [*spans, (clip(what, width - spans_width(spans) - _EDGE), "subtle" if choice.on else "muted")]


def _box(on: bool) -> Span:
    return ("  ■ " if on else "  □ ", "muted")


def _condition(row: BreakRow) -> str:
    words = f"where {visible_line(row.condition)}" if row.condition else ""
    if row.failure:
        words += f"  failed: {visible_line(row.failure)}"
    if not words:
        words = "a call that failed" if row.when == "on error" else "each call"
    return f"{words}  @xray only" if row.xray_only else words
