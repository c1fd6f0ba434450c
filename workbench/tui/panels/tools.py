"""The tools panel: which tools there are, which are on, what each may do, and how its calls went."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.message import Message

from workbench.tui import events, lab_wishes
from workbench.tui.commands import bindings, commands, key_text_of
from workbench.tui.do import Do, Errand, TakeOut
from workbench.tui.filter_line import FilterLine
from workbench.tui.lanes import meter
from workbench.tui.list_panel import ListPanel
from workbench.tui.palette import Palette
from workbench.tui.render import Span, count_text, fit
from workbench.tui.rows import RowList
from workbench.tui.tool_news import ToolNews
from workbench.tui.tool_rows import Grid, draw, heads, widest
from workbench.tui.tool_tree import Detail, Group, Loading, Problem, Row, Tool, ToolTree, toggle

_EMPTY: tuple[Span, ...] = (
    ("No tools yet.", "subtle"),
    ("Functions of the files that you open appear here, with their calls and times.", "muted"),
)
_NOTHING: tuple[Span, ...] = (
    ("No tool fits.", "subtle"),
    ("Each word is looked for in names, tags, on, off, asks, denied, error, wrong, fault, lint.", "muted"),
)
_METER = 14


class ToolsPanel(ListPanel[Row]):
    """Shows what ``set_rows`` and ``apply`` tell it. It switches nothing itself: it asks with ``Toggle``."""

    name_shown = "Tools"

    BINDINGS = bindings("tools")
    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")

    class Toggle(Errand):
        """Somebody wants these tools on (or off); ``group`` is set when it is a whole group."""

        def __init__(
            self, panel: ToolsPanel, names: tuple[str, ...], enable: bool, group: str | None = None
        ) -> None:
            super().__init__()
            self.panel = panel
            self.names = names
            self.enable = enable
            self.group = group

        @property
        def control(self) -> ToolsPanel:
            """The panel that sent it."""
            return self.panel

    @dataclass
    class Explain(Message):
        """A person wants to read all of why a source of tools could not be loaded."""

        panel: ToolsPanel
        name: str
        reason: str
        where: str

        @property
        def control(self) -> ToolsPanel:
            """The panel that sent it."""
            return self.panel

    class Read(Errand):
        """A person wants to read what is said about a tool, whole; ``index`` is the text that led there."""

        def __init__(self, tool: str, said: Sequence[tuple[str, str]], index: int) -> None:
            super().__init__()
            self.tool = tool
            self.said = said
            self.index = index

    class RowsChanged(Message):
        """There are more rows or fewer: it may want another height."""

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002  Textual's name
        super().__init__(palette, rests=lambda record: not isinstance(record, Loading), empty=_EMPTY, id=id)
        self._tree = ToolTree()
        self._news = ToolNews(self._tree)
        self._line = FilterLine("name, tag, off, asks, error, fault", "keep", "all")
        self._words: tuple[str, ...] = ()
        self._longest = 0

    def compose(self) -> ComposeResult:
        """The title row, the filter while there is one, the list."""
        yield self._title
        yield self._line
        yield self._rows

    # what the screen uses

    def set_rows(self, rows: Sequence[events.ToolRow]) -> None:
        """These are all the tools there are."""
        self._tree.reset(rows)
        self._settle()

    def apply(self, batch: Iterable[events.AgentEvent]) -> None:
        """Take in what happened since the last call; only rows that changed are drawn again."""
        news = self._news.take(batch)
        unfolded = any(tool.open for tool in news.tools)
        if news.rows or unfolded or (self._words and news.tools):
            self._settle()
            return
        for tool in news.tools:
            self._rows.redraw(tool)
        for group in {group for tool in news.switched for group in tool.group.outers}:
            self._rows.redraw(group)
        if news.switched:
            self._title.refresh()

    def tick(self, now: float) -> None:
        """It is ``now`` (Unix seconds): what is being loaded shows its time so far."""
        self._news.now = max(self._news.now, now)
        if self._tree.loading is not None:
            self._rows.refresh()

    @property
    def row_count(self) -> int:
        """How many rows the list has; 2 for what it says while it is empty."""
        return len(self._rows.rows) or 2

    @property
    def count_text(self) -> str:
        """How many tools are on and off, for a tab: ``18 on 2 off``."""
        on_count, off_count = self._tree.counts()
        parts = [f"{on_count} on"] * bool(self._tree.tools) + [f"{off_count} off"] * bool(off_count)
        return " ".join(parts)

    # drawing

    def _settle(self) -> None:
        self._longest = widest(self._tree.tools.values())
        before = len(self._rows.rows)
        self._rows.show(self._tree.rows(self._words))
        self._title.refresh()
        if len(self._rows.rows) != before:
            self.post_message(self.RowsChanged())

    def draw_record(self, record: Row, width: int) -> list[Span]:
        """One row of the list."""
        return draw(record, width, Grid.of(width, self._longest), self._news.now)

    def title_spans(self, width: int, used: int) -> list[Span]:
        """How many tools are on, what they cost in each request, and the column heads."""
        if self._news.progress is not None:
            return _loading(*self._news.progress, width - used - 2)
        if not self._tree.tools:
            return []
        if self._words:
            shown = sum(isinstance(row, Tool) for row in self._rows.rows)
            count = f"{shown} of {len(self._tree.tools)}"
            grid = Grid.of(width, self._longest)
            return [(fit(count, width - 2 - grid.numbers - used), "muted"), *heads(grid)]
        on_count, off_count = self._tree.counts()
        grid = Grid.of(width, self._longest)
        room = width - 2 - grid.numbers - used
        parts = [f"{on_count} on"] + [f"{off_count} off"] * bool(off_count)
        cost = f"{count_text(self._tree.tokens)} tok"
        if self._tree.tokens and len("  ".join([*parts, cost])) <= room:
            parts.append(cost)
        return [(fit("  ".join(parts), room), "muted"), *heads(grid)]

    # filtering

    def action_filter(self) -> None:
        """Type which tools to show."""
        self._line.open()

    def action_unfilter(self) -> None:
        """Show all tools again."""
        self._line.close()
        self._narrow("")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape is for others while there is no filter."""
        return self._line.display if action == "unfilter" else True

    @on(FilterLine.Typed)
    def _typed(self, event: FilterLine.Typed) -> None:
        event.stop()
        self._narrow(event.text)

    @on(FilterLine.Left)
    def _left(self, event: FilterLine.Left) -> None:
        event.stop()
        if not event.keep or not self._words:
            self.action_unfilter()
        self._rows.focus()

    def _narrow(self, text: str) -> None:
        self._words = tuple(text.lower().split())
        self._rows.empty = _NOTHING if self._words else _EMPTY
        self._settle()

    # switching and folding

    @on(RowList.Clicked)
    def _clicked(self, event: RowList.Clicked) -> None:
        event.stop()
        record, x = event.record, event.x
        if isinstance(record, Tool):
            box = 4 if record.group.name else 2
            if box <= x <= box + 1 or event.chain == 2:
                self.action_switch()
        elif isinstance(record, Group) and (2 <= x <= 3 or event.chain == 2):
            self._fold(record, not record.open)
        elif isinstance(record, Detail | Problem) and event.chain == 2:
            self.action_switch()

    def action_switch(self) -> None:
        """Ask to switch the tool under the cursor, or all tools of the group; read other rows whole."""
        if not self._rows.cursor_in_view:
            self._rows.go_to(self._rows.cursor)
            return
        record = self._rows.current
        if isinstance(record, Tool | Group):
            group = record.name if isinstance(record, Group) else None
            names, enable = toggle(record.every if isinstance(record, Group) else [record])
            self.post_message(self.Toggle(self, names, enable, group))
        elif record is not None:
            self._read(record)

    def _read(self, record: Row) -> None:
        """Have all shown of what a row has no room for."""
        if isinstance(record, Detail):
            self.post_message(self.Read(record.tool.row.name, record.tool.reading(), record.at))
        elif isinstance(record, Problem):
            self.post_message(self.Explain(self, record.name, record.reason, record.where))

    def _tool(self) -> Tool | None:
        """The tool that the cursor is on, or below."""
        record = self._rows.current
        record = record.tool if isinstance(record, Detail) else record
        return record if isinstance(record, Tool) else None

    def action_break(self) -> None:
        """Set breakpoints of the tool; elsewhere list all."""
        tool = self._tool()
        self.post_message(Do("app.breakpoints", tool.row.name if tool is not None else ""))

    def action_fault(self) -> None:
        """Choose a fault for the tool."""
        tool = self._tool()
        if tool is not None:
            self.post_message(Do("app.fault", tool.row.name))
        else:
            self._explain("tools.fault")

    def action_call(self) -> None:
        """Call the tool by hand."""
        tool = self._tool()
        if tool is not None:
            self.post_message(lab_wishes.Wanted(lab_wishes.CallByHand(tool.row.name)))
        else:
            self._explain("tools.call")

    def action_again(self) -> None:
        """Run every call of the tool again."""
        tool = self._tool()
        if tool is not None:
            self.post_message(lab_wishes.Wanted(lab_wishes.RunToolAgain(tool.row.name)))
        else:
            self._explain("tools.again")

    def _explain(self, command: str) -> None:
        """Say what a key does that found no tool to do it with."""
        row = next(row for row in commands("tools") if row.id == command)
        self.notify(row.help, title=f"{key_text_of(command)} is for a tool", severity="warning")

    def action_take_out(self) -> None:
        """Take back what the row says: a grant, a breakpoint, a fault; on a tool its fault."""
        record = self._rows.current
        subject = record.subject if isinstance(record, Detail) else None
        if isinstance(record, Tool):
            subject = record.fault
        if subject is not None:
            self.post_message(TakeOut(subject))

    def action_close(self) -> None:
        """Fold the group or the tool under the cursor, or go to what the row belongs to."""
        record = self._rows.current
        if isinstance(record, Group) or (isinstance(record, Tool) and record.open):
            self._fold(record, False)
        elif isinstance(record, Detail):
            self._rows.go_to(self._rows.rows.index(record.tool))
        elif isinstance(record, Tool) and record.group.name:
            self._rows.go_to(self._rows.rows.index(record.group))

    def action_open(self) -> None:
        """Unfold the group under the cursor, or what there is to say about the tool; read other rows."""
        record = self._rows.current
        if isinstance(record, Group | Tool):
            self._fold(record, True)
        elif record is not None:
            self._read(record)

    def _fold(self, record: Group | Tool, is_open: bool) -> None:
        if record.open != is_open:
            record.open = is_open
            self._settle()


def _loading(done: int, total: int, room: int) -> list[Span]:
    """How far loading is, with a meter where there is room; in ``room`` cells."""
    word: Span = ("loading", "muted")
    room, text = room - len(word[0]), f"{done} of {total}"
    if room < _METER + 1 + 8:
        return [word, (fit(text, room, right=True), "muted")]
    blanks: Span = (" " * (room - _METER - 1 - 8), "muted")
    return [word, blanks, *meter(_METER, done / total), (" " + fit(text, 8, right=True), "muted")]
