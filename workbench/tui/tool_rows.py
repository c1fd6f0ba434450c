"""How each row of the tools panel is drawn: name, tags, calls, errors and mean time on one grid."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from workbench.tui.render import TIME_WIDTH, Span, clip, count_text, fit, spans_width, time_cells
from workbench.tui.tool_tree import Detail, Group, Loading, Problem, Row, Tool
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.tui.events import ToolRow

_NARROWEST_TAGS: Final = 56
_COUNT: Final = 5
_FEWEST_TAGS: Final = 9
_TAGS: Final = 18
_FEWEST_STATES: Final = 4
_DETAIL: Final = 12
_TELLING: Final = frozenset({"fault"})
"""Details that say why a call would not be what it seems."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The columns: 2 cells, name, 1, tags, then numbers with 1 before each, 2.

    Numbers are what the schema costs, calls, errors, mean and late time. Mean, then tags, are 0 where there
    is no room; names are never cut for their sake. Cost and late time come only where tags keep theirs.
    """

    name: int
    tags: int
    mean: int
    late: int = 0
    cost: int = 0

    @classmethod
    def of(cls, width: int, longest: int) -> Grid:
        """The grid for a width in cells; ``longest`` is the widest name with what stands before it."""
        counts = 2 + 1 + _COUNT + 1 + _COUNT + 2
        if width >= _NARROWEST_TAGS:
            room = width - counts - 1 - TIME_WIDTH
            name = max(18 + (width - 62) // 4, longest + 1)
            tags = room - name - 1
            if tags >= _FEWEST_TAGS:
                late = TIME_WIDTH if tags - 1 - TIME_WIDTH >= _TAGS else 0
                tags -= late + 1 if late else 0
                cost = _COUNT if late and tags - 1 - _COUNT >= _TAGS else 0
                tags -= cost + 1 if cost else 0
                return cls(name, tags, TIME_WIDTH, late, cost)
            if room >= longest:
                return cls(room, 0, TIME_WIDTH)
        tags = width - counts - (longest + 1) - 1
        if width < _NARROWEST_TAGS and tags >= _FEWEST_TAGS:
            return cls(longest + 1, tags, 0)
        return cls(max(0, width - counts), 0, 0)

    @property
    def numbers(self) -> int:
        """How wide the columns at the right are, with the blanks before each."""
        columns = (_COUNT, _COUNT, self.mean, self.late, self.cost)
        return sum(1 + column for column in columns if column)


def widest(tools: Iterable[Tool]) -> int:
    """The width of the longest name, with the box and the indent before it."""
    return max((cell_len(tool.label) + (4 if tool.group.name else 2) for tool in tools), default=0)


def heads(grid: Grid) -> list[Span]:
    """The column heads, from the blank before the first on."""
    text = f" {'tok':>{_COUNT}}" if grid.cost else ""
    text += f" {'calls':>{_COUNT}} {'errs':>{_COUNT}}"
    text += "".join(f" {head:>6}  " for head, cells in (("mean", grid.mean), ("p95", grid.late)) if cells)
    return [(text, "muted")]


def draw(row: Row, width: int, grid: Grid, now: float) -> list[Span]:
    """The spans of a row; ``now`` (Unix seconds) is for what is being loaded."""
    match row:
        case Group():
            return _group(row, grid)
        case Tool():
            return _tool(row, width, grid)
        case Detail():
            indent = 6 if row.tool.group.name else 4
            label_width = min(_DETAIL, max(0, width - indent - 2))
            room = max(0, width - indent - label_width - 2)
            head = row.label if row.first else ""
            label: list[Span] = [(" " * indent, "muted"), (fit(head, label_width), "muted")]
            return [*label, (clip(row.text, room), "warning" if row.label in _TELLING else "subtle")]
        case Problem():
            return _problem(row, width, grid)
        case Loading():
            time = time_cells(max(0.0, now - row.since) * 1000).strip()
            name = fit(visible_line(row.name), max(0, grid.name - 2))
            label = [("  ", "muted"), ("● ", "accent"), (name, "text")]
            return [*label, (f" importing   {time}", "muted")]


def _group(group: Group, grid: Grid) -> list[Span]:
    spans: list[Span] = [("  ", "muted"), ("▾ " if group.open else "▸ ", "muted")]
    spans.append((visible_line(group.name), "subtle"))
    on, every = group.on, len(group.every)
    words = ""
    if 0 < on < every:
        words = f"{on} of {every} on"
    elif not on:
        words = "all off" if every > 1 else "off"
    elif not group.open:
        words = f"{every} on"
    gap = max(2, 2 + grid.name + 1 - spans_width(spans)) if grid.tags else 2
    return [*spans, (" " * gap + words, "muted")]


def _tool(tool: Tool, width: int, grid: Grid) -> list[Span]:
    row = tool.row
    indent = "    " if tool.group.name else "  "
    label: list[Span] = [(indent, "muted"), ("■ " if row.enabled else "□ ", "muted")]
    key = "warning" if tool.fault is not None else "text"
    label.append((tool.label, key if row.enabled else "muted"))
    if not row.enabled:
        start = 2 + grid.name + 1 if grid.tags else spans_width(label) + 2
        off: Span = (" " * max(1, start - spans_width(label)) + "off", "text")
        return [*label, off, ("  " + clip(_why_off(row), width - start - 5 - 2), "muted")]
    used = spans_width(label)
    if used > 2 + grid.name:
        label = [*label[:2], (clip(tool.label, 2 + grid.name - len(indent) - 2), key)]
    room = 2 + grid.name - used - 2
    if not grid.tags and room >= _FEWEST_STATES:
        label += [("  ", "muted"), *_states(tool, room)]
    label.append((" " * max(0, 2 + grid.name - spans_width(label)), "muted"))
    if grid.tags:
        words = _words(tool, grid.tags)
        label += [(" ", "muted"), *words, (" " * (grid.tags - spans_width(words)), "muted")]
    return label + _numbers(tool, grid)


def _why_off(row: ToolRow) -> str:
    """Why a tool is off, after what it would do if it were on: the tags that the reason does not name."""
    reason = visible_line(row.reason)
    tags = [tag for tag in map(visible_line, row.tags) if tag not in reason]
    return "  ".join(part for part in (*tags, reason.removeprefix("switched off ")) if part)


def _words(tool: Tool, width: int) -> list[Span]:
    """Tags and states; what does not fit is left out whole. Tags give way first, the last one first."""
    kept = _states(tool, width)
    room = width - (spans_width(kept) + 2 if kept else 0)
    tags: list[Span] = []
    for tag in map(visible_line, tool.row.tags):
        if cell_len(tag) > room:
            break
        tags.append((("  " if tags else "") + tag, "muted"))
        room -= cell_len(tag) + 2
    return [*tags, *([("  ", "muted")] if tags and kept else []), *kept]


def _states(tool: Tool, width: int) -> list[Span]:
    """Fault, wrong calls, permission, breakpoints, new code; what does not fit is left out whole."""
    last = {"ask": "asks", "deny": "denied"}.get(tool.row.permission, "")
    ends: list[Span] = []
    if tool.fault is not None:
        ends.append((f"fault {tool.fault.phrase.partition(' ')[0]}", "warning"))
    if tool.wrong:
        ends.append((f"{count_text(tool.wrong)} wrong", "error"))
    ends += [(last, "muted")] * bool(last)
    breaks = any(point.enabled for point in tool.breaks)
    if breaks:
        taken = sum(cell_len(word) + 2 for word, _ in ends)
        ends.append(("◇ break" if taken + len("◇ break") <= width else "◇", "subtle"))
    if tool.version > 1:
        ends.append((f"now v{tool.version}", "accent"))
    room = width + 2
    kept: list[Span] = []
    for word, key in ends:
        if cell_len(word) + 2 <= room:
            kept.append((word, key))
            room -= cell_len(word) + 2
    return [(("  " if at else "") + word, key) for at, (word, key) in enumerate(kept)]


def _numbers(tool: Tool, grid: Grid) -> list[Span]:
    calls = count_text(tool.calls) if tool.calls or tool.tried else ""
    errors = count_text(tool.errors) if tool.errors else ""
    spans: list[Span] = []
    if grid.cost:
        spans.append((f" {count_text(tool.row.tokens) if tool.row.tokens else '':>{_COUNT}}", "muted"))
    spans += [(f" {calls:>{_COUNT}}", "subtle"), (f" {errors:>{_COUNT}}", "error")]
    for cells, ms in ((grid.mean, tool.mean_ms), (grid.late, tool.p95_ms if grid.late else None)):
        if cells:
            time = time_cells(ms)
            spans += [(" " + time[:5], "subtle"), (time[5:], "muted")]
    return spans


def _problem(problem: Problem, width: int, grid: Grid) -> list[Span]:
    spans: list[Span] = [("  ", "muted"), ("✗ ", "error"), (visible_line(problem.name), "text")]
    reason, where = visible_line(problem.reason), visible_line(problem.where)
    gap = max(2, 2 + grid.name + 1 - spans_width(spans)) if grid.tags else 2
    spare = width - 2 - spans_width(spans) - cell_len(reason) - 3 - cell_len(where)
    if where and 2 <= spare < gap:
        gap = 2
    spans.append((" " * gap, "muted"))
    room = width - spans_width(spans) - 2
    spans.append((clip(reason, room), "error"))
    left = room - cell_len(reason) - 3
    if where and cell_len(where) <= left:
        spans.append(("   " + fit(where, left, right=True), "muted"))
    return spans
