"""The three fields of the approval screen: a reason, the arguments as JSON, and what to remember."""

from __future__ import annotations

import glob
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Label, TextArea

from workbench.tui.approval import GRANT_SCOPES, Batch, GrantScope, Proposal
from workbench.tui.commands import commands
from workbench.tui.json_view import editable_text
from workbench.tui.line_view import Line, LineView
from workbench.tui.palette import Palette
from workbench.tui.pieces import Piece, PieceRow, PieceRows
from workbench.tui.render import Span, clip, fit, row
from workbench.tui.screens.approval_texts import coverage_text, marked
from workbench.visible import visible_line

Check = Callable[[Mapping[str, Any]], str | None]

_LEAVE: Final = Binding("escape", "leave", "leave", show=False)
_LABEL: Final = 12
_PATTERN_LIMIT: Final = 80


class Left(Message):
    """The field was left; nothing changes."""


class ReasonField(Input):
    """One line: why the highlighted call is rejected. Enter takes it, Esc leaves it."""

    BINDINGS: ClassVar[list[BindingType]] = [_LEAVE]

    def __init__(self) -> None:
        super().__init__(placeholder="what the model should know, or do instead", compact=True, id="reason")

    def action_leave(self) -> None:
        """Leave the field."""
        self.post_message(Left())


class EditField(Vertical):
    """The arguments as JSON, and what is wrong with them as one types."""

    BINDINGS: ClassVar[list[BindingType]] = [
        _LEAVE,
        *(
            Binding(",".join(command.keys), "take", command.label, id=command.id, show=False, priority=True)
            for command in commands("approval")
            if command.id == "approval.take"
        ),
    ]

    class Taken(Message):
        """Run the call with these arguments."""

        def __init__(self, arguments: Mapping[str, Any]) -> None:
            super().__init__()
            self.arguments = arguments

    def __init__(self, arguments: Mapping[str, Any], check: Check, palette: Palette) -> None:
        super().__init__(id="edit")
        text = editable_text(arguments)
        self._check = check
        self._palette = palette
        # wrapping a huge text anew on every key would make typing slow
        self._area = TextArea(text, soft_wrap=len(text) < 50_000, compact=True, tab_behavior="focus")
        self._verdict = PieceRows(palette, id="fault")

    def compose(self) -> ComposeResult:
        """The text, then the verdict on it."""
        yield self._area
        yield self._verdict

    def on_mount(self) -> None:
        """Type here."""
        self._area.focus()
        self.judge()

    @on(TextArea.Changed)
    def judge(self) -> Mapping[str, Any] | None:
        """Say what is wrong with the text as it stands; the arguments if nothing is."""
        arguments, fault = parse_arguments(self._area.text)
        if fault is None and arguments is not None:
            fault = self._check(arguments)
        if fault is None:
            self._show([PieceRow([Piece("  ✓ fits the schema", "success")])])
            return arguments
        lines = [visible_line(line) for line in fault.strip().split("\n")]
        width = max(10, self.size.width - 6)
        shown = [
            PieceRow([Piece("  ✗ " if index == 0 else "    ", "error"), Piece(clip(line, width), "error")])
            for index, line in enumerate(lines[:_FAULT_ROWS])
        ]
        if len(lines) > _FAULT_ROWS:
            more = len(lines) - _FAULT_ROWS + 1
            shown[-1] = PieceRow([Piece(f"    and {more} more lines", "error")])
        self._show(shown)
        return None

    def _show(self, rows: Sequence[PieceRow]) -> None:
        self._verdict.show(rows)

    def action_take(self) -> None:
        """Take the arguments if they fit."""
        arguments = self.judge()
        if arguments is not None:
            self.post_message(self.Taken(arguments))

    def action_leave(self) -> None:
        """Leave the field."""
        self.post_message(Left())


_FAULT_ROWS: Final = 3


def parse_arguments(text: str) -> tuple[dict[str, Any] | None, str | None]:
    """The arguments in a JSON text, or what is wrong with it and where."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        return None, f"line {error.lineno}, column {error.colno}: not JSON: {error.msg}"
    except RecursionError:
        return None, "not JSON that can be read: it is nested too deeply"
    if not isinstance(value, dict):
        return None, "the arguments must be an object: {…}"
    return value, None


class Choice(Widget, can_focus=True):
    """One of a few words; left and right change it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "turn(-1)", show=False),
        Binding("right,l", "turn(1)", show=False),
        Binding("enter", "confirm", show=False),
    ]

    class Changed(Message):
        """Another word was chosen."""

    class Confirmed(Message):
        """Enter."""

    def __init__(self, label: str, options: Sequence[str], chosen: int, palette: Palette) -> None:
        super().__init__()
        self._label = label
        self._options = options
        self._palette = palette
        self.chosen = chosen

    def render_line(self, y: int) -> Strip:
        """All words; the chosen one is marked."""
        focused = self.has_focus
        background = "selected" if focused else "background"
        spans: list[Span] = [(fit(f"  {self._label}", _LABEL), "muted")]
        for index in self._in_view():
            if index == self.chosen:
                spans += [
                    ("▸ ", "accent"),
                    (self._options[index], "accent strong" if focused else "text strong"),
                ]
            else:
                spans += [("  ", "muted"), (self._options[index], "muted")]
            spans.append(("  ", "muted"))
        if len(self._in_view()) < len(self._options):
            spans.append((f"{self.chosen + 1} of {len(self._options)}", "muted"))
        return row(spans, self.size.width, self._palette, background, bar="accent" if focused else None)

    def _in_view(self) -> range:
        """All words, or only the chosen one where they do not fit."""
        needed = _LABEL + sum(cell_len(option) + 4 for option in self._options)
        return range(len(self._options)) if needed <= self.size.width else range(self.chosen, self.chosen + 1)

    def on_focus(self) -> None:
        """Show where the keys go."""
        self.refresh()

    def on_blur(self) -> None:
        """Show that they go elsewhere."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Choose the clicked word."""
        at = _LABEL
        for index in self._in_view():
            end = at + cell_len(self._options[index]) + 4
            if at <= event.x < end:
                self._choose(index)
            at = end

    def action_turn(self, step: int) -> None:
        """Choose the word beside it."""
        self._choose(max(0, min(self.chosen + step, len(self._options) - 1)))

    def action_confirm(self) -> None:
        """Enter confirms the whole panel."""
        self.post_message(self.Confirmed())

    def _choose(self, index: int) -> None:
        if index != self.chosen:
            self.chosen = index
            self.refresh()
            self.post_message(self.Changed())


class AlwaysPanel(VerticalScroll, can_focus=False, inherit_bindings=False):
    """What to remember: for how long, and for which arguments. Enter confirms, Esc leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        _LEAVE,
        Binding("up", "step(-1)", show=False),
        Binding("down", "step(1)", show=False),
    ]

    class Changed(Message):
        """The proposal is another one, and covers these other calls; ``summary`` says so in a few words."""

        def __init__(self, covered: tuple[int, ...], summary: str) -> None:
            super().__init__()
            self.covered = covered
            self.summary = summary

    class Confirmed(Message):
        """Remember the proposal."""

    def __init__(self, batch: Batch, palette: Palette) -> None:
        super().__init__(id="always")
        self._batch = batch
        self._tool = batch.row.call.name
        arguments = batch.row.arguments
        self._scope = Choice("for", ("these calls only", "this session", "this project"), 1, palette)
        extents = ("these arguments", "any arguments") if arguments else ("any arguments",)
        self._extent = Choice("with", extents, 0, palette)
        self._patterns = {
            name: Input(_pattern(name, value, batch), compact=True, select_on_focus=False)
            for name, value in arguments.items()
        }
        self._statement = LineView(palette, id="covers")

    @property
    def proposal(self) -> Proposal:
        """The grant as it stands; a pattern of ``*`` asks nothing of its argument and is left out."""
        scope: GrantScope = GRANT_SCOPES[self._scope.chosen]
        patterns = {name: field.value for name, field in self._patterns.items() if field.value != "*"}
        return Proposal(scope, self._tool, patterns if self._by_arguments else {})

    @property
    def _by_arguments(self) -> bool:
        return bool(self._patterns) and self._extent.chosen == 0

    def compose(self) -> ComposeResult:
        """Two choices, a pattern for each argument, and what they come to."""
        yield self._scope
        yield self._extent
        with Vertical(id="patterns"):
            for name, field in self._patterns.items():
                with Horizontal(classes="pattern"):
                    yield Label(fit(f"  {visible_line(str(name))}", _LABEL), markup=False)
                    yield field
        yield self._statement

    def on_mount(self) -> None:
        """Start on how long: nothing is decided by being here."""
        self._scope.focus()
        self._state()

    def _state(self) -> None:
        """Say what the proposal covers."""
        proposal = self.proposal
        covered: tuple[int, ...] = ()
        key, lines, summary = "error", ["It does not cover this call."], "does not cover this call"
        if self._batch.covers_row(proposal):
            covered = self._batch.covered(proposal)
            key, lines = "subtle", coverage_text(proposal, covered)
            summary = f"also runs {marked(covered)}" if covered else "covers only this call"
        self._statement.show([Line(), *(Line(line, key, words=True) for line in lines)])
        self.post_message(self.Changed(covered, summary))

    @on(Choice.Changed)
    @on(Input.Changed)
    def _changed(self, event: Message) -> None:
        event.stop()
        self.query_one("#patterns").display = self._by_arguments
        self._state()

    @on(Choice.Confirmed)
    @on(Input.Submitted)
    def _confirm(self, event: Message) -> None:
        event.stop()
        self.post_message(self.Confirmed())

    def action_leave(self) -> None:
        """Leave the panel."""
        self.post_message(Left())

    def action_step(self, step: int) -> None:
        """Move to the field above or below."""
        fields = [self._scope, self._extent, *(self._patterns.values() if self._by_arguments else ())]
        at = next((index for index, field in enumerate(fields) if field.has_focus), 0)
        fields[max(0, min(at + step, len(fields) - 1))].focus()


def _pattern(name: str, value: Any, batch: Batch) -> str:
    """The narrowest pattern that still reads well and covers the value; ``*`` where there is none."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    pattern = glob.escape(text)
    if len(pattern) > _PATTERN_LIMIT or pattern != visible_line(pattern):
        return "*"
    return pattern if batch.covers_row(Proposal("session", batch.row.call.name, {name: pattern})) else "*"
