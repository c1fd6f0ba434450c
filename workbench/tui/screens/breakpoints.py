"""The list of breakpoints, of all tools or of one, and a field for a condition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from textual import on
from textual.binding import BindingType

from workbench.tui.commands import bindings, key_text_of
from workbench.tui.conditions import fault_of, moment_of
from workbench.tui.events import BreakRow
from workbench.tui.key_hints import Hint
from workbench.tui.palette import Palette
from workbench.tui.render import Span, clip, fit, name_spans, spans_width
from workbench.tui.rows import RowList
from workbench.tui.screens.tool_setting import EDGE, ToolSettingScreen
from workbench.visible import visible_line

_WHEN: Final = 11
_MOMENTS: Final = ("before", "after", "on error")
_ORDER: Final = {moment: place for place, moment in enumerate(_MOMENTS)}
_IDLE: Final = "no such tool here  "
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


class BreakpointsScreen(ToolSettingScreen[Choice]):
    """Shows what ``show`` tells it; ``put``, ``remove`` and ``step`` are asked to change it.

    With ``tool`` it offers what can be set for that tool; ``condition`` then stands in the field, which has
    the keys at first if that makes no sense.
    """

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
        super().__init__(
            "breakpoints",
            palette,
            condition,
            placeholder="no condition; for example arguments['path'].startswith('/etc')",
            enters="set" if tool else "",
        )
        self._put, self._remove, self._step = put, remove, step
        self._tool = tool
        self._count = 0
        self._fault: str | None = None

    def on_mount(self) -> None:
        """What stands in the field is judged."""
        self.judge()

    @property
    def begins_in_field(self) -> bool:
        """A condition that came along and makes no sense is to be mended."""
        return self._fault is not None

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
        self._count = len(points)
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

    @on(RowList.Clicked)
    def _clicked(self, event: RowList.Clicked) -> None:
        event.stop()
        if event.chain == 2 or event.x <= EDGE + 1:
            self.action_switch()

    # the condition

    def entered(self) -> None:
        """Set a breakpoint with the condition, if it makes sense."""
        text = self._field.value.strip()
        if text and self.judge() is None:
            self._put(BreakRow(self._tool, moment_of(text), text), None)
            self._field.value = ""
            self._list.focus()

    def judge(self) -> str | None:
        """What is wrong with the condition, if anything."""
        text = self._field.value.strip()
        self._fault = fault_of(text) if text else None
        self._verdict.refresh()
        return self._fault

    # drawing

    def title_spans(self, width: int) -> list[Span]:
        """The tool, or how many there are."""
        spans: list[Span] = [("  Breakpoints", "text strong"), ("  ", "muted")]
        if self._tool:
            return [*spans, (clip(visible_line(self._tool), width - 2 - spans_width(spans)), "subtle")]
        return [*spans, (str(self._count) if self._count else "", "muted")]

    def verdict_spans(self, width: int) -> list[Span]:
        """What is thought of the condition; without a tool, how breakpoints come into the list."""
        text = self._field.value.strip()
        if not self._tool:
            key = key_text_of("trace.break")
            about = f"{key} on a call or a tool sets one; or /breakpoints TOOL CONDITION"
        elif self._fault:
            return [("  ✗ ", "error"), (clip(visible_line(self._fault), width - 6), "error")]
        elif text:
            pauses = f"pauses {moment_of(text)} each call where it holds"
            if any(choice.there and choice.row.condition == text for choice in self._list.rows):
                return [("  ■ ", "muted"), (clip(f"is set: {pauses}", width - 6), "muted")]
            how = "enter" if self._field.has_focus else f"{key_text_of('breakpoints.condition')}, enter"
            return [("  □ not set", "warning"), (clip(f"   {how} sets it: {pauses}", width - 13), "muted")]
        else:
            about = "over arguments, name, iteration, error, result (its value where it is JSON)"
        return [("    ", "muted"), (clip(about, width - 6), "muted")]

    def foot_hints(self) -> list[Hint]:
        """A condition is for one tool."""
        return [each for each in super().foot_hints() if self._tool or each.label != "condition"]

    def draw_row(self, record: Choice, width: int) -> list[Span]:
        """A breakpoint, or step mode."""
        row = record.row
        if row.when == _STEP.when:
            said = "on: every call pauses" if row.enabled else "the next call pauses, wherever it is"
            spans = [_box(row.enabled), ("step mode  ", "text" if row.enabled else "subtle")]
            return [*spans, (clip(said, width - spans_width(spans) - EDGE), "muted")]
        key = "text" if record.on and not row.idle else "muted"
        spans = [_box(record.on)]
        if not self._tool:
            names = max(spans_width(name_spans(each.row.tool)) for each in self._list.rows) + 2
            names = min(names, max(8, width // 2 - _WHEN))
            name = name_spans(row.tool)
            if spans_width(name) > names - 2:
                name = [(clip("".join(text for text, _ in name), names - 2), "text")]
            spans += [*name, (" " * (names - spans_width(name)), "muted")]
        what = _condition(row)
        spans.append((fit(row.when, _WHEN), key))
        if row.idle:
            spans.append((_IDLE, "warning" if record.on else "muted"))
        return [*spans, (clip(what, width - spans_width(spans) - EDGE), "subtle" if record.on else "muted")]


def _box(on: bool) -> Span:
    return ("  ■ " if on else "  □ ", "muted")


def _condition(row: BreakRow) -> str:
    words = f"where {visible_line(row.condition)}" if row.condition else ""
    if row.failure:
        words += f"  failed: {visible_line(row.failure)}"
    if not words:
        words = "a call that failed" if row.when == "on error" else "each call"
    return f"{words}  @xray only" if row.xray_only else words
