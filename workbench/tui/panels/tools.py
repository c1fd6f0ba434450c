"""The tools panel: which tools there are, which are on, what each may do, and how its calls went."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from workbench.tui import events
from workbench.tui.commands import bindings
from workbench.tui.lanes import meter
from workbench.tui.palette import Palette, Token
from workbench.tui.render import Span, fit, spans_width
from workbench.tui.rows import RowList, TitleRow
from workbench.tui.tool_rows import Grid, draw, heads, widest
from workbench.tui.tool_tree import Group, Loading, Problem, Row, Tool, ToolTree, toggle

_EMPTY: tuple[Span, ...] = (
    ("No tools yet.", "subtle"),
    ("Functions of the files that you open appear here, with their calls and times.", "muted"),
)
_METER = 14


class ToolsPanel(Vertical):
    """Shows what ``set_rows`` and ``apply`` tell it. It switches nothing itself: it asks with ``Toggle``."""

    BINDINGS = bindings("tools")
    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")

    class Toggle(Message):
        """Somebody wants these tools on (or off)."""

        def __init__(self, panel: ToolsPanel, names: tuple[str, ...], enable: bool) -> None:
            super().__init__()
            self.panel = panel
            self.names = names
            self.enable = enable

        @property
        def control(self) -> ToolsPanel:
            """The panel that sent it."""
            return self.panel

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002  Textual's name
        super().__init__(id=id)
        self._palette = palette
        self._compact = False
        self._now = 0.0
        self._tree = ToolTree()
        self._names: dict[tuple[str, str], str] = {}
        self._progress: tuple[int, int] | None = None
        self._longest = 0
        self._title = TitleRow(self._title_spans, palette)
        self._rows: RowList[Row] = RowList(
            self._draw_row, palette, rests=lambda record: not isinstance(record, Loading), empty=_EMPTY
        )
        self._handlers: dict[type, Callable[[Any], None]] = {
            events.AgentReady: self._agent_ready,
            events.LoadProgress: self._load_progress,
            events.LoadFailed: self._load_failed,
            events.BatchStarted: self._batch_started,
            events.ToolStarted: self._tool_started,
            events.ToolFinished: self._tool_finished,
            events.ToolsChanged: self._tools_changed,
        }

    def compose(self) -> ComposeResult:
        """The title row over the list."""
        yield self._title
        yield self._rows

    # what the screen uses

    def set_rows(self, rows: Sequence[events.ToolRow]) -> None:
        """These are all the tools there are."""
        self._tree.reset(rows)
        self._settle()

    def apply(self, batch: Iterable[events.AgentEvent]) -> None:
        """Take in what happened since the last call."""
        changed = False
        for event in batch:
            handler = self._handlers.get(type(event))
            if handler is not None:
                self._now = max(self._now, event.at)
                handler(event)
                changed = True
        if changed:
            self._settle()

    def tick(self, now: float) -> None:
        """It is ``now`` (Unix seconds): what is being loaded shows its time so far."""
        self._now = max(self._now, now)
        if self._tree.loading is not None:
            self._rows.refresh()

    def show_progress(self, done: int, total: int) -> None:
        """``done`` of ``total`` sources are loaded; the title shows it until all are."""
        self._progress = (done, total) if done < total else None
        if self._progress is None:
            self._tree.loading = None
        self._settle()

    def add_problem(self, name: str, reason: str, where: str = "") -> None:
        """A source could not be loaded; it keeps a row of its own until ``clear_problem``."""
        self._tree.problems[name] = Problem(name, reason, where)
        self._settle()

    def clear_problem(self, name: str) -> None:
        """The source is loaded now, or gone."""
        self._tree.problems.pop(name, None)
        self._settle()

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
    def focus_target(self) -> RowList[Row]:
        """The list below the title, which takes the focus."""
        return self._rows

    # events

    def _agent_ready(self, event: events.AgentReady) -> None:
        self._tree.reset(event.tools)

    def _load_progress(self, event: events.LoadProgress) -> None:
        self._progress = (event.done, event.total) if event.done < event.total else None
        loading = self._tree.loading
        if self._progress is None or not event.at_work:
            self._tree.loading = None
        elif loading is None or loading.name != event.at_work:
            self._tree.loading = Loading(event.at_work, event.at)
            self._tree.problems.pop(event.at_work, None)

    def _load_failed(self, event: events.LoadFailed) -> None:
        self._tree.problems[event.source] = Problem(event.source, event.reason, event.where)

    def _batch_started(self, event: events.BatchStarted) -> None:
        for call in event.calls:
            self._names[event.agent, call.id] = call.name

    def _tool_started(self, event: events.ToolStarted) -> None:
        self._names[event.agent, event.call_id] = event.name

    def _tool_finished(self, event: events.ToolFinished) -> None:
        entry = event.entry
        name = self._names.pop((event.agent, str(entry.get("call_id", ""))), None)
        tool = self._tree.tools.get(name or str(entry.get("tool_name", "")))
        if tool is None:
            return
        status = entry.get("status")
        if status in ("success", "error"):
            tool.calls += 1
            tool.errors += status == "error"
            tool.total_ms += entry.get("timing") or 0.0
        else:
            tool.refused = True

    def _tools_changed(self, event: events.ToolsChanged) -> None:
        if event.row is not None:
            self._tree.put(event.row)
        elif event.tool is not None and event.change == "unregister":
            self._tree.remove(event.tool)

    # drawing

    def _settle(self) -> None:
        self._longest = widest(self._tree.tools.values())
        self._rows.show(self._tree.rows())
        self._title.refresh()

    def _draw_row(self, record: Row, width: int) -> list[Span]:
        return draw(record, width, Grid.of(width, self._longest), self._now)

    def _title_spans(self, width: int) -> list[Span]:
        spans: list[Span] = [("  ", "muted")]
        if not self._compact:
            spans += [
                ("Tools", "accent strong" if self._rows.has_focus else "subtle strong"),
                ("  ", "muted"),
            ]
        if self._progress is not None:
            done, total = self._progress
            text = f"{done} of {total}"
            spans.append(("loading", "muted"))
            room = width - spans_width(spans) - 2
            if room >= _METER + 1 + 8:
                spans += [
                    (" " * (room - _METER - 1 - 8), "muted"),
                    *meter(_METER, done / total),
                    (" ", "muted"),
                ]
                return [*spans, (fit(text, 8, right=True), "muted")]
            return [*spans, (fit(text, room, right=True), "muted")]
        on_count, off_count = self._tree.counts()
        if not self._tree.tools:
            return spans
        grid = Grid.of(width, self._longest)
        text = f"{on_count} on" + (f"  {off_count} off" if off_count else "")
        room = width - 2 - grid.numbers - spans_width(spans)
        return [*spans, (fit(text, room), "muted"), *heads(grid)]

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

    def on_descendant_focus(self) -> None:
        """The title says where the focus is."""
        self._title.refresh()

    def on_descendant_blur(self) -> None:
        """The title says where the focus is."""
        self._title.refresh()

    def action_switch(self) -> None:
        """Ask to switch the tool under the cursor, or all tools of the group."""
        if not self._rows.cursor_in_view:
            self._rows.go_to(self._rows.cursor)
            return
        record = self._rows.current
        if isinstance(record, Tool | Group):
            names, enable = toggle(record.tools if isinstance(record, Group) else [record])
            self.post_message(self.Toggle(self, names, enable))

    def action_close(self) -> None:
        """Fold the group under the cursor, or go to the group of the tool."""
        record = self._rows.current
        if isinstance(record, Group):
            self._fold(record, False)
        elif isinstance(record, Tool) and record.group.name:
            self._rows.go_to(self._rows.rows.index(record.group))

    def action_open(self) -> None:
        """Unfold the group under the cursor."""
        record = self._rows.current
        if isinstance(record, Group):
            self._fold(record, True)

    def _fold(self, group: Group, is_open: bool) -> None:
        if group.open != is_open:
            group.open = is_open
            self._settle()
