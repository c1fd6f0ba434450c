"""The trace panel: every turn as a tree of model calls, waits and tool calls on one time axis."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from workbench.tui.commands import bindings
from workbench.tui.events import AgentEvent
from workbench.tui.palette import Palette, Token
from workbench.tui.render import Span, fit, spans_width
from workbench.tui.rows import RowList, TitleRow
from workbench.tui.trace_model import TraceModel
from workbench.tui.trace_records import Entry, Iteration, Mark, Reason, Row, Turn
from workbench.tui.trace_rows import Grid, axis_label, draw, total

_EMPTY: tuple[Span, ...] = (
    ("No turns yet.", "subtle"),
    ("Model calls, tools and your waits show here.", "muted"),
)


class TracePanel(Vertical):
    """Shows what ``apply`` is told; ``tick`` moves the clocks of what runs."""

    BINDINGS = bindings("trace")
    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")

    class Inspect(Message):
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
        super().__init__(id=id)
        self._palette = palette
        self._compact = False
        self._model = TraceModel(self._spliced)
        self._title = TitleRow(self._title_spans, palette)
        self._rows: RowList[Row] = RowList(
            self._draw_row,
            palette,
            rows=self._model.outline.rows,
            rests=lambda record: not isinstance(record, Reason),
            empty=_EMPTY,
            follows=True,
        )

    def compose(self) -> ComposeResult:
        """The title row over the list."""
        yield self._title
        yield self._rows

    # what the screen uses

    def apply(self, batch: Iterable[AgentEvent]) -> None:
        """Take in what happened since the last call."""
        self._model.apply(batch)
        self._settle()

    def tick(self, now: float) -> None:
        """It is ``now`` (Unix seconds): what runs shows its time so far."""
        self._model.now = max(self._model.now, now)
        if self._model.live:
            self._rows.refresh()
            self._title.refresh()

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = palette
        self._rows.palette = palette
        self._title.restyle(palette, "background" if self._compact else "raised")

    @property
    def compact(self) -> bool:
        """Whether the panel sits in a tab, which carries its name and has the colour of the page."""
        return self._compact

    @compact.setter
    def compact(self, compact: bool) -> None:
        self._compact = compact
        self.set_class(compact, "-compact")
        ground: Token = "background" if compact else "surface"
        self._rows.background = ground
        self._title.restyle(self._palette, ground if compact else "raised")

    @property
    def entry_count(self) -> int:
        """How many model calls and tool calls there were."""
        return self._model.entry_count

    @property
    def focus_target(self) -> RowList[Row]:
        """The list below the title, which takes the focus."""
        return self._rows

    def entries(self) -> list[Entry]:
        """All finished model and tool calls, in order: the neighbours of an entry."""
        return self._model.entries()

    def go_to(self, entry: Entry) -> None:
        """Unfold what hides an entry and put the cursor on it."""
        index = self._model.outline.reveal(entry)
        self._settle()
        self._rows.go_to(index)

    # drawing

    def _spliced(self, start: int, removed: int, added: int) -> None:
        self._rows.spliced(start, removed, added)

    def _settle(self) -> None:
        self._rows.settle()
        self._title.refresh()

    def _draw_row(self, record: Row, width: int) -> list[Span]:
        return draw(record, width, self._model.now)

    def _title_turn(self) -> Turn | None:
        """The turn that the title speaks of: the newest while following, else the one looked at."""
        turns, record = self._model.turns, self._rows.current
        if turns and not self._rows.following and record is not None and record.turn is not None:
            return record.turn
        return turns[-1] if turns else None

    def _title_spans(self, width: int) -> list[Span]:
        spans: list[Span] = [("  ", "muted")]
        if not self._compact:
            spans += [
                ("Trace", "accent strong" if self._rows.has_focus else "subtle strong"),
                ("  ", "muted"),
            ]
        turn = self._title_turn()
        if turn is None:
            return spans
        text = f"turn {turn.number}" + (", following" if self._rows.following else "")
        grid = Grid.of(width)
        room = 2 + grid.label + 1 - spans_width(spans)
        spans.append((fit(text, room), "muted"))
        if grid.lane:
            end = axis_label(total(turn, self._model.now))
            spans.append(("0" + fit(end, grid.lane - 1, right=True), "muted"))
        return spans

    # folding and moving

    @on(RowList.Moved)
    def _moved(self) -> None:
        self._title.refresh()

    def on_descendant_focus(self) -> None:
        """The title says where the focus is."""
        self._title.refresh()

    def on_descendant_blur(self) -> None:
        """The title says where the focus is."""
        self._title.refresh()

    @on(RowList.Clicked)
    def _clicked(self, event: RowList.Clicked) -> None:
        event.stop()
        record = event.record
        if isinstance(record, Turn | Iteration):
            glyph = 2 if isinstance(record, Turn) else 4
            if event.chain == 2 or glyph <= event.x <= glyph + 1:
                self.action_fold()
        elif event.chain == 2:
            self.action_inspect()

    def action_fold(self) -> None:
        """Fold or unfold the turn or iteration under the cursor."""
        record = self._rows.current
        if isinstance(record, Turn | Iteration):
            outline = self._model.outline
            (outline.fold if record.open else outline.unfold)(record, self._rows.cursor)
            self._settle()

    def action_close(self) -> None:
        """Fold the group under the cursor; on anything else go to the group that it belongs to."""
        record = self._rows.current
        if isinstance(record, Turn | Iteration) and record.open:
            self.action_fold()
            return
        parent: Row | None = None
        if isinstance(record, Iteration):
            parent = record.turn
        elif isinstance(record, Entry | Mark):
            parent = record.iteration
        if parent is not None:
            rows, index = self._rows.rows, self._rows.cursor
            while index and rows[index] is not parent:
                index -= 1
            self._rows.go_to(index)

    def action_open(self) -> None:
        """Unfold the group under the cursor."""
        record = self._rows.current
        if isinstance(record, Turn | Iteration) and not record.open:
            self.action_fold()

    def action_follow(self) -> None:
        """Keep the newest row in view, or no longer."""
        self._rows.follow(not self._rows.following)
        self._title.refresh()

    def action_inspect(self) -> None:
        """Show all of the entry under the cursor; a turn or iteration folds."""
        if not self._rows.cursor_in_view:
            self._rows.go_to(self._rows.cursor)
            return
        record = self._rows.current
        if isinstance(record, Entry) and record.data:
            self.post_message(self.Inspect(self, record))
        else:
            self.action_fold()

    def action_next_error(self) -> None:
        """Go to the next error, from the last one to the first."""
        failures = self._model.failures
        if failures:
            place = bisect_right(failures, self._serial(), key=lambda entry: entry.serial)
            self.go_to(failures[place % len(failures)])

    def action_previous_error(self) -> None:
        """Go to the error before, from the first one to the last."""
        failures = self._model.failures
        if failures:
            place = bisect_left(failures, self._serial(), key=lambda entry: entry.serial)
            self.go_to(failures[place - 1])

    def _serial(self) -> int:
        record = self._rows.current
        return record.serial if record is not None else 0
