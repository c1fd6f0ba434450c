"""How each row of the tools panel is drawn: name, tags, calls, errors and mean time on one grid."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len

from workbench.tui.render import TIME_WIDTH, Span, clip, count_text, fit, spans_width, time_cells
from workbench.tui.tool_tree import Group, Loading, Problem, Row, Tool
from workbench.visible import visible_line

_NARROWEST_TAGS: Final = 56
_COUNT: Final = 5
_FEWEST_TAGS: Final = 9


@dataclass(frozen=True, slots=True)
class Grid:
    """The columns: 2 cells, name, 1, tags, 1, calls 5, 1, errors 5, 1, mean 8, 2.

    Tags, then mean, are 0 where there is no room; names are never cut for their sake.
    """

    name: int
    tags: int
    mean: int

    @classmethod
    def of(cls, width: int, longest: int) -> Grid:
        """The grid for a width in cells; ``longest`` is the widest name with what stands before it."""
        counts = 2 + 1 + _COUNT + 1 + _COUNT + 2
        if width >= _NARROWEST_TAGS:
            room = width - counts - 1 - TIME_WIDTH
            name = max(18 + (width - 62) // 4, longest + 1)
            if room - name - 1 >= _FEWEST_TAGS:
                return cls(name, room - name - 1, TIME_WIDTH)
            if room >= longest:
                return cls(room, 0, TIME_WIDTH)
        return cls(max(0, width - counts), 0, 0)

    @property
    def numbers(self) -> int:
        """How wide the columns at the right are, with the blanks before each."""
        return 1 + _COUNT + 1 + _COUNT + (1 + TIME_WIDTH if self.mean else 0)


def widest(tools: Iterable[Tool]) -> int:
    """The width of the longest name, with the box and the indent before it."""
    return max((cell_len(tool.label) + (4 if tool.group.name else 2) for tool in tools), default=0)


def heads(grid: Grid) -> list[Span]:
    """The column heads, from the blank before the first on."""
    text = f" {'calls':>{_COUNT}} {'errs':>{_COUNT}}"
    return [(text + (f" {'mean':>6}  " if grid.mean else ""), "muted")]


def draw(row: Row, width: int, grid: Grid, now: float) -> list[Span]:
    """The spans of a row; ``now`` (Unix seconds) is for what is being loaded."""
    match row:
        case Group():
            return _group(row, grid)
        case Tool():
            return _tool(row, width, grid)
        case Problem():
            return _problem(row, width, grid)
        case Loading():
            time = time_cells(max(0.0, now - row.since) * 1000).strip()
            name = fit(visible_line(row.name), max(0, grid.name - 2))
            label: list[Span] = [("  ", "muted"), ("● ", "accent"), (name, "text")]
            return [*label, (f" importing   {time}", "muted")]


def _group(group: Group, grid: Grid) -> list[Span]:
    spans: list[Span] = [("  ", "muted"), ("▾ " if group.open else "▸ ", "muted")]
    spans.append((visible_line(group.name), "subtle"))
    on, every = group.on, len(group.tools)
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
    label.append((tool.label, "text" if row.enabled else "muted"))
    if not row.enabled:
        reason = visible_line(row.reason)
        start = 2 + grid.name + 1 if grid.tags else spans_width(label) + 2
        off: Span = (" " * max(1, start - spans_width(label)) + "off", "text")
        return [*label, off, ("  " + clip(reason, width - start - 5 - 2), "muted")]
    used = spans_width(label)
    if used > 2 + grid.name:
        label = [*label[:2], (clip(tool.label, 2 + grid.name - len(indent) - 2), "text")]
    label.append((" " * (2 + grid.name - spans_width(label)), "muted"))
    if grid.tags:
        label.append((" " + fit(_words(tool, grid.tags), grid.tags), "muted"))
    return label + _numbers(tool, grid)


def _words(tool: Tool, width: int) -> str:
    """Tags and permission, whole words only: what does not fit is left out from the end."""
    words = [visible_line(tag) for tag in tool.row.tags]
    last = {"ask": "asks", "deny": "denied"}.get(tool.row.permission, "")
    room = width - (len(last) + 2 if last else 0)
    shown = ""
    for word in words:
        longer = f"{shown}  {word}" if shown else word
        if cell_len(longer) > room:
            break
        shown = longer
    return "  ".join(part for part in (shown, last) if part)


def _numbers(tool: Tool, grid: Grid) -> list[Span]:
    calls = count_text(tool.calls) if tool.calls or tool.refused else ""
    errors = count_text(tool.errors) if tool.errors else ""
    spans: list[Span] = [(f" {calls:>{_COUNT}}", "subtle"), (f" {errors:>{_COUNT}}", "error")]
    if grid.mean:
        time = time_cells(tool.mean_ms)
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
