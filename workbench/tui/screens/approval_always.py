"""The field of the approval screen that proposes a grant: for how long, and for which arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Input, Label

from workbench.registry import matching
from workbench.registry.grants import ANY_OTHER
from workbench.tui.approval import GRANT_SCOPES, Batch, GrantScope, Proposal
from workbench.tui.commands import binding, bindings
from workbench.tui.line_view import Line, LineView
from workbench.tui.painted import Painted
from workbench.tui.palette import Palette
from workbench.tui.render import Span, fit, row
from workbench.tui.screens.approval_fields import Left
from workbench.tui.screens.approval_texts import calls_text, coverage_text, exact_text, once_text
from workbench.visible import visible_line

_LABEL: Final = 12
_EDITABLE: Final = 80
_MOST_STATED: Final = 20
_SCOPES: Final = ("these calls only", "until you quit", "this project")


class Choice(Painted, can_focus=True):
    """One of a few words; left and right change it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("choice")

    class Changed(Message):
        """Another word was chosen."""

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

    def offer(self, options: Sequence[str]) -> None:
        """Offer these words from now on; the first is chosen where the chosen one is not among them."""
        if options != self._options:
            chosen = self._options[self.chosen]
            self._options = options
            self.chosen = options.index(chosen) if chosen in options else 0
            self.refresh()

    def _choose(self, index: int) -> None:
        if index != self.chosen:
            self.chosen = index
            self.refresh()
            self.post_message(self.Changed())


class AlwaysPanel(VerticalScroll, can_focus=False, inherit_bindings=False):
    """What to remember: for how long, and for which arguments. Enter confirms, Esc leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("always"), binding("field.leave")]

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
        self._exact = {name: _exact_pattern(name, value, batch) for name, value in arguments.items()}
        self._scope = Choice("how long", _SCOPES, 1, palette)
        extents = ("these arguments", "any arguments") if arguments else ("any arguments",)
        self._extent = Choice("with", extents, 0, palette)
        self._patterns = {
            name: Input(pattern, compact=True, select_on_focus=False)
            for name, pattern in self._exact.items()
            if pattern is not None and len(pattern) <= _EDITABLE and pattern == visible_line(pattern)
        }
        self._statement = LineView(palette, id="covers")

    @property
    def palette(self) -> Palette:
        """The colours; setting them paints anew."""
        return self._statement.palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._scope.palette = self._extent.palette = self._statement.palette = palette

    @property
    def proposal(self) -> Proposal | None:
        """The grant as it stands; None where nothing but this one call, once, can be granted."""
        scope: GrantScope = GRANT_SCOPES[self._scope.chosen]
        if not self._by_arguments:
            return Proposal(scope, self._tool)
        patterns: dict[str, str] = {}
        for name, exact in self._exact.items():
            if exact is None:
                return None
            patterns[name] = self._patterns[name].value if name in self._patterns else exact
        return Proposal(scope, self._tool, patterns)

    @property
    def _by_arguments(self) -> bool:
        return bool(self._exact) and self._extent.chosen == 0

    @property
    def _without_pattern(self) -> list[str]:
        return [name for name, pattern in self._exact.items() if pattern is None]

    def compose(self) -> ComposeResult:
        """Two choices, a pattern for each argument, and what they come to."""
        yield self._scope
        yield self._extent
        with Vertical(id="patterns"):
            for name, value in self._batch.row.arguments.items():
                with Horizontal(classes="pattern"):
                    yield Label(fit(f"  {visible_line(str(name))}", _LABEL), markup=False)
                    if name in self._patterns:
                        yield self._patterns[name]
                    else:
                        shown = exact_text(matching.as_text(value), fits=self._exact[name] is not None)
                        yield Label(shown, markup=False, classes="exact")
        yield self._statement

    def on_mount(self) -> None:
        """Start on how long: nothing is decided by being here."""
        self._scope.focus()
        self._state()

    def _state(self) -> None:
        """Say what the proposal covers."""
        missing = self._without_pattern if self._by_arguments else []
        self._scope.offer(_SCOPES[:1] if missing else _SCOPES)
        proposal = self.proposal
        covered: tuple[int, ...] = ()
        key, lines, summary = "error", ["It does not cover this call."], "does not cover this call"
        if proposal is None:
            key, lines, summary = "subtle", once_text(missing), "runs this call, once"
        elif self._batch.covers_row(proposal):
            covered = self._batch.covered(proposal)
            key, lines = "subtle", coverage_text(proposal, covered)
            summary = f"also runs {calls_text(covered)}" if covered else "covers only this call"
        self._statement.show([Line(), *(Line(line, key, words=True) for line in lines)])
        self._fit_statement()
        self.post_message(self.Changed(covered, summary))

    def _fit_statement(self) -> None:
        """Only the panel scrolls: what is stated is as high as it has to be."""
        width = self._statement.size.width
        if width:
            self._statement.styles.height = self._statement.needed(width, _MOST_STATED)

    def on_resize(self) -> None:
        """The statement is wrapped anew."""
        self.call_after_refresh(self._fit_statement)

    @on(Choice.Changed)
    @on(Input.Changed)
    def _changed(self, event: Message) -> None:
        event.stop()
        self.query_one("#patterns").display = self._by_arguments
        self._state()

    @on(Input.Submitted)
    def _submitted(self, event: Message) -> None:
        event.stop()
        self.action_confirm()

    def action_confirm(self) -> None:
        """Confirm the whole panel."""
        self.post_message(self.Confirmed())

    def action_leave(self) -> None:
        """Leave the panel."""
        self.post_message(Left())

    def action_step(self, step: int) -> None:
        """Move to the field above or below."""
        fields = [self._scope, self._extent, *(self._patterns.values() if self._by_arguments else ())]
        at = next((index for index, field in enumerate(fields) if field is self.screen.focused), 0) + step
        if 0 <= at < len(fields):
            self.screen.set_focus(fields[at])  # at once: the next key may have come with this one
        else:
            # what is stated below the last field is part of the panel
            self.scroll_to(y=0 if step < 0 else self.max_scroll_y, animate=False)


def _exact_pattern(name: str, value: Any, batch: Batch) -> str | None:
    """The pattern for this very value; None for one that no pattern covers, such as a list."""
    pattern = matching.exactly(matching.as_text(value))
    proposal = Proposal("session", batch.row.call.name, {ANY_OTHER: "*", name: pattern})
    return pattern if batch.covers_row(proposal) else None
