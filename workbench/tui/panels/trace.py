"""The trace panel: every turn as a tree of model calls, waits and tool calls on one time axis."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from textual import on
from textual.app import ComposeResult

from workbench.tui import conditions, lab_wishes, trace_wishes
from workbench.tui.commands import bindings, commands, key_text_of
from workbench.tui.do import Do, Errand
from workbench.tui.filter_line import FilterLine
from workbench.tui.legend import Legend
from workbench.tui.list_panel import ListPanel
from workbench.tui.palette import Palette
from workbench.tui.render import Span, fit
from workbench.tui.rows import RowList
from workbench.tui.trace_filter import TraceFilter
from workbench.tui.trace_model import TraceModel
from workbench.tui.trace_query import completions, parse
from workbench.tui.trace_records import FAILED, Entry, Iteration, Reason, Row, Turn, above
from workbench.tui.trace_rows import Grid, axis_label, draw, draw_above, fold_cell
from workbench.tui.trace_said import EMPTY, nothing_for, whole_parts, why_closed

if TYPE_CHECKING:
    from workbench.tui.events import AgentEvent
    from workbench.tui.trace_wishes import What

_SLICE: Final = 0.02
"""Seconds that filtering takes at once."""

_SHORT: Final = 4.0
"""Seconds for which it is said why a key does nothing."""

_TICK: Final = 0.1
"""Seconds between two paintings of what only shows that time passes."""

_PLACEHOLDER: Final = "tool:name status:error >200ms text"


class TracePanel(ListPanel[Row]):
    """Shows what ``apply`` is told; ``tick`` moves the clocks of what runs.

    A filter shows the entries that fit in the place of the tree.
    """

    name_shown = "Trace"

    BINDINGS = bindings("trace")
    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")

    class Inspect(Errand):
        """Somebody wants to see all of a finished entry."""

        def __init__(self, panel: TracePanel, entry: Entry) -> None:
            super().__init__()
            self.panel = panel
            self.entry = entry

        @property
        def control(self) -> TracePanel:
            """The panel that sent it."""
            return self.panel

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002  Textual's name
        self._model = TraceModel(self._spliced)
        super().__init__(
            palette,
            rows=self._model.outline.rows,
            rests=lambda record: not isinstance(record, Reason),
            empty=EMPTY,
            follows=True,
            id=id,
        )
        self._filter = TraceFilter(self._model.flat, self._model.texts)
        self._filtered = False
        self._followed = True
        self._ticked = 0.0
        self._legend = Legend(palette)
        self._line = FilterLine(_PLACEHOLDER, "keep", "all", self._completions)

    def compose(self) -> ComposeResult:
        """The title row, the filter while there is one, the list."""
        yield self._title
        yield self._legend
        yield self._line
        yield self._rows

    # what the screen uses

    def apply(self, batch: Iterable[AgentEvent]) -> None:
        """Take in what happened since the last call."""
        emptied = self._model.times_emptied
        if not self._model.apply(batch):
            return
        if self._model.times_emptied != emptied:
            self._filter.begin(self._filter.query)
            if self._filtered:
                self._rows.show(self._filter.rows)
        if self._filtered:
            self._filter.follow()
            self._go_on()
        self._settle()

    def tick(self, now: float) -> None:
        """It is ``now`` (Unix seconds): what runs shows its time so far."""
        if now - self._ticked < _TICK:
            # pieces of an answer come thirty times a second, and only clocks move with them
            return
        self._ticked = self._model.now = max(self._model.now, now)
        if self._model.live:
            self._rows.refresh()
            self._title.refresh()

    def note(self, text: str, about: str = "") -> None:
        """Mark where something begins that holds for all calls to come; the text is safe to paint.

        In a row of marks ``about`` one thing only the last one stays.
        """
        self._model.note(text, about)
        self._settle()

    @property
    def entry_count(self) -> int:
        """How many model calls and tool calls there were."""
        return self._model.entry_count

    def entries(self) -> list[Entry]:
        """The finished model and tool calls that are shown, in order: the neighbours of an entry."""
        if self._filtered:
            return [entry for entry in self._filter.matches if entry.data]
        return self._model.entries()

    def calls(self) -> list[Entry]:
        """All finished tool calls, whatever is shown, in the order in which they came up."""
        return [entry for entry in self._model.flat if entry.kind == "tool" and entry.data]

    def go_to(self, entry: Entry | Turn) -> None:
        """Unfold what hides an entry or a turn and put the cursor on it; a filter that leaves it out goes.

        Nothing happens for one of a conversation that is not shown any more.
        """
        if entry.turn.root not in self._model.turns:
            return
        if self._filtered:
            self._filter.reveal(entry)
            self._rows.show(self._filter.rows)
            place = next((at for at, row in enumerate(self._filter.rows) if row is entry), None)
            if place is not None:
                self._rows.go_to(place)
                return
            self._show_all()
        index = self._model.outline.reveal(entry)
        self._settle()
        self._rows.go_to(index)

    # drawing

    def _spliced(self, start: int, removed: int, added: int) -> None:
        if not self._filtered:
            self._rows.spliced(start, removed, added)

    def _settle(self) -> None:
        self._rows.settle()
        self._title.refresh()

    def draw_record(self, record: Row, width: int) -> list[Span]:
        """One row of the tree, or of what the filter left."""
        if self._filtered and isinstance(record, Turn):
            return draw_above(record, width, self._model.now, self._filter.folded(record))
        return draw(record, width, self._model.now)

    def _title_turn(self) -> Turn | None:
        """The turn that the title speaks of: the newest while following, else the one looked at.

        A conversation that was cleared has none.
        """
        if self._rows.following and not self._model.in_session:
            return None
        turns, record = self._model.turns, self._rows.current
        if turns and not self._rows.following and record is not None and record.turn is not None:
            return record.turn.root
        return turns[-1] if turns else None

    def title_spans(self, width: int, used: int) -> list[Span]:
        """The turn and the ends of its time axis, or the totals of what the filter left."""
        turn = self._title_turn()
        if self._filtered:
            key = "warning" if self._filter.query.problem else "muted"
            return [(whole_parts(self._filter.parts(), width - used - 2), key)]
        if turn is None:
            return []
        text = "by you" if turn.by_hand else f"turn {turn.number}"
        text += ", following" if self._rows.following else ""
        grid = Grid.of(width)
        spans: list[Span] = [(fit(text, 2 + grid.label + 1 - used), "muted")]
        if grid.lane:
            end = axis_label(turn.elapsed(self._model.now))
            spans.append(("0" + fit(end, grid.lane - 1, right=True), "muted"))
        return spans

    # filtering

    def _completions(self, text: str) -> list[str]:
        flat = self._model.flat
        tools = {entry.name for entry in flat if entry.kind == "tool"} if "tool:" in text else ()
        agents = {entry.turn.agent for entry in flat} if "agent:" in text else ()
        return completions(text, tools, agents)

    def action_filter(self) -> None:
        """Type what to show."""
        if not self._filtered:
            self._followed = self._rows.following
        self._line.open()

    def action_unfilter(self) -> None:
        """Show everything again; the cursor stays on its entry, whatever hid it."""
        record = self._rows.current
        self._show_all()
        if isinstance(record, Entry):
            self._rows.follow(False)
            self.go_to(record)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape is for others while there is no filter."""
        return self._line.display if action == "unfilter" else True

    @on(FilterLine.Typed)
    def _typed(self, event: FilterLine.Typed) -> None:
        event.stop()
        self._filter.begin(parse(event.text))
        self._filtered = bool(event.text.strip())
        self._title.refresh()
        if not self._filtered:
            self._rows.show(self._model.outline.rows)
            return
        self._rows.empty = nothing_for(event.text.strip())
        self._go_on()
        self._rows.show(self._filter.rows)

    @on(FilterLine.Left)
    def _left(self, event: FilterLine.Left) -> None:
        event.stop()
        if not event.keep or not self._filtered:
            self._show_all()
            self._rows.follow(self._followed)
        self._rows.focus()

    def _go_on(self) -> None:
        """Look at more entries; the rest after the next frame."""
        self._filter.step(_SLICE)
        if self._filtered and not self._filter.done:
            self.call_after_refresh(self._look_on, self._filter.query)

    def _look_on(self, query: object) -> None:
        if self._filtered and query is self._filter.query:
            self._go_on()
            self._settle()

    def _show_all(self) -> None:
        """The whole tree again, as if there had been no filter."""
        self._line.close()
        self._filtered = False
        self._rows.empty = EMPTY
        self._rows.show(self._model.outline.rows)
        self._title.refresh()

    # folding and moving

    @on(RowList.Clicked)
    def _clicked(self, event: RowList.Clicked) -> None:
        event.stop()
        record = event.record
        if isinstance(record, Turn | Iteration):
            glyph = fold_cell(record)
            if event.chain == 2 or glyph <= event.x <= glyph + 1:
                self.action_fold()
        elif event.chain == 2:
            self.action_inspect()

    def action_fold(self) -> None:
        """Fold or unfold the turn or iteration under the cursor."""
        record = self._rows.current
        if isinstance(record, Turn | Iteration):
            self._fold(record, self._open(record))

    def _open(self, group: Turn | Iteration) -> bool:
        """Whether the rows of a turn or iteration are shown."""
        return not self._filter.folded(group) if self._filtered and isinstance(group, Turn) else group.open

    def _fold(self, group: Turn | Iteration, away: bool) -> None:
        outline = self._model.outline
        if not self._filtered:
            (outline.fold if away else outline.unfold)(group, self._rows.cursor)
        elif isinstance(group, Turn):
            self._filter.fold(group, away)
            self._rows.show(self._filter.rows)
        self._settle()

    def action_close(self) -> None:
        """Fold the group under the cursor; on anything else go to the group that it belongs to."""
        record = self._rows.current
        if isinstance(record, Turn | Iteration) and self._open(record):
            self._fold(record, away=True)
            return
        rows, index, groups = self._rows.rows, self._rows.cursor, above(record)
        while index > 0 and rows[index] not in groups:
            index -= 1
        if groups and rows[index] in groups:
            self._rows.go_to(index)

    def action_open(self) -> None:
        """Unfold the group under the cursor."""
        record = self._rows.current
        if isinstance(record, Turn | Iteration) and not self._open(record):
            self._fold(record, away=False)

    def action_fold_all(self) -> None:
        """Unfold all that is folded; fold all turns once nothing is. The cursor stays where it was."""
        record = self._rows.current
        at_the_end = record is None or record is self._rows.rows[-1]
        following = self._rows.following and at_the_end
        if self._filtered:
            self._filter.fold_all(away=not self._filter.any_folded)
            self._rows.show(self._filter.rows)
        else:
            groups = [row for row in self._rows.rows if isinstance(row, Turn | Iteration)]
            self._model.outline.fold_all(away=all(group.open for group in groups))
        self._settle()
        if record is not None:
            rows = self._rows.rows
            nearest = (record, record.turn.root) if record.turn is not None else (record,)
            place = next((at for each in nearest for at, row in enumerate(rows) if row is each), None)
            if place is not None:
                self._rows.go_to(place)
        self._rows.follow(following)

    def action_follow(self) -> None:
        """Keep the newest row in view, or no longer."""
        self._rows.follow(not self._rows.following)
        self._title.refresh()

    def action_inspect(self) -> None:
        """Show all of the entry under the cursor; a turn or iteration folds; else say why nothing opens."""
        record = self._rows.current
        if record is None:
            return
        if not self._rows.cursor_in_view:
            self._rows.go_to(self._rows.cursor)
        elif isinstance(record, Turn | Iteration):
            self.action_fold()
        elif isinstance(record, Entry) and record.data:
            self.post_message(self.Inspect(self, record))
        else:
            self._say(*why_closed(record))

    def action_wish(self, what: What) -> None:
        """Ask for what can be done with a tool call, or say that it is for one."""
        wish = trace_wishes.wish_for(what, self._rows.current)
        if wish is not None:
            self.post_message(lab_wishes.Wanted(wish))
            return
        command = next(row for row in commands("trace") if row.id == f"trace.{what}")
        self._say(f"{key_text_of(command.id)} is for a tool call", "Go to a call first, with the arrows.")

    def _say(self, title: str, text: str) -> None:
        """Say why a key does nothing here."""
        self.notify(text, title=title, severity="warning", timeout=_SHORT)

    def action_legend(self) -> None:
        """Say what the bars and glyphs mean, or no longer."""
        self._legend.display = not self._legend.display

    def repaint(self) -> None:
        """The legend has the colours too."""
        super().repaint()
        self._legend.palette = self._palette

    def action_break(self) -> None:
        """Set breakpoints of the tool under the cursor; elsewhere list all."""
        record = self._rows.current
        rest = ""
        if isinstance(record, Entry) and record.kind == "tool":
            rest = f"{record.name} {conditions.condition_for(record.arguments)}"
        self.post_message(Do("trace.break", rest))

    def action_next_error(self) -> None:
        """Go to the next error, from the last one to the first."""
        failures = self._failures()
        if failures:
            place = bisect_right(failures, self._serial(), key=lambda entry: entry.serial)
            self.go_to(failures[place % len(failures)])
        else:
            self._no_errors()

    def action_previous_error(self) -> None:
        """Go to the error before, from the first one to the last."""
        failures = self._failures()
        if failures:
            place = bisect_left(failures, self._serial(), key=lambda entry: entry.serial)
            self.go_to(failures[place - 1])
        else:
            self._no_errors()

    def _no_errors(self) -> None:
        shown = "that the filter shows" if self._filtered else "so far"
        self._say(f"No errors {shown}", "Calls that fail, and turns that end with an error, are gone to.")

    def _failures(self) -> Sequence[Entry | Turn]:
        if not self._filtered:
            return self._model.failures
        return [entry for entry in self._filter.matches if entry.state in FAILED]

    def _serial(self) -> int:
        record = self._rows.current
        return record.serial if record is not None else 0
