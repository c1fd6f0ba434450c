"""How each row of the trace is drawn: label, lane and time on one grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich.cells import cell_len

from workbench.tui.call_marks import call_marks
from workbench.tui.lanes import Axis, Bar, lane
from workbench.tui.render import (
    TIME_WIDTH,
    Span,
    arguments_text,
    clip,
    count_text,
    fit,
    spans_width,
    time_cells,
)
from workbench.tui.states import GLYPHS, WORDS
from workbench.tui.trace_records import Entry, Iteration, Mark, Reason, Row, Turn

_NARROWEST_LANE: Final = 56
_NARROWEST_NAMESPACE: Final = 44
_NESTED: Final = 6

_TURN_WORDS: Final = {
    "error": ("failed", "error"),
    "stopped": ("stopped", "muted"),
    "incomplete": ("incomplete", "warning"),
}


@dataclass(frozen=True, slots=True)
class Grid:
    """The columns of one width: 2 cells, label, 1, lane, 1, time, 2; no lane below 56 cells."""

    label: int
    lane: int

    @classmethod
    def of(cls, width: int) -> Grid:
        """The grid for a width in cells."""
        cells = (width - 20) // 3 if width >= _NARROWEST_LANE else 0
        return cls(max(0, width - 2 - 1 - TIME_WIDTH - 2 - (cells + 1 if cells else 0)), cells)


def draw(row: Row, width: int, now: float) -> list[Span]:
    """The spans of a row; ``now`` (Unix seconds) is for what still runs."""
    grid = Grid.of(width)
    match row:
        case Turn():
            return _turn(row, grid, now)
        case Iteration():
            return _iteration(row, grid, now)
        case Entry():
            return _entry(row, grid, now)
        case Reason():
            indent = 2 + _indent(row.turn) + (2 if isinstance(row.owner, Turn) else 6 - 2 * row.turn.by_hand)
            return [(" " * indent, "muted"), (clip(row.text, width - indent - 2), "error")]
        case Mark():
            return _mark(row, width)


def draw_above(turn: Turn, width: int, now: float, hidden: int) -> list[Span]:
    """A turn above those of its entries that fit a filter, of which so many are folded away."""
    return _turn(turn, Grid.of(width), now, hidden)


def fold_cell(group: Turn | Iteration) -> int:
    """The cell of the sign that says whether a group is folded."""
    return 2 + _indent(group.turn) + (2 if isinstance(group, Iteration) else 0)


def axis_label(milliseconds: float) -> str:
    """The end of the axis for people: ``8.6 s``."""
    if 999.5 <= milliseconds < 99_950:
        return f"{milliseconds / 1000:.1f} s"
    return time_cells(milliseconds).strip()


def _axis(turn: Turn, cells: int, now: float) -> Axis:
    """The time axis that a turn is drawn on: that of the outermost one around it."""
    return Axis(turn.root.elapsed(now), cells, turn.clock.waits)


def _indent(turn: Turn | None) -> int:
    """How far the rows of a turn are set in: those of an agent within a call stand below the call."""
    return _NESTED * turn.depth if turn is not None else 0


def _compose(label: list[Span], bars: list[Span], time: list[Span], grid: Grid) -> list[Span]:
    spans = [("  ", "muted"), *_clipped(label, grid.label)]
    if grid.lane:
        spans += [(" ", "muted"), *bars]
    # ``cancelled`` has nine cells: it takes a blank before the column, or behind it where none is before it
    blank = TIME_WIDTH + 1 - spans_width(time)
    gap = (" " * (blank or not spans[-1][0].endswith(" ")), "muted")
    return [*spans, gap, *time]


def _clipped(spans: list[Span], width: int) -> list[Span]:
    """The spans in exactly ``width`` cells; what does not fit is cut from the last span."""
    used = spans_width(spans[:-1])
    if used > width:
        whole = "".join(text for text, _ in spans)
        return [(fit(whole, width), spans[0][1])]
    text, key = spans[-1]
    return [*spans[:-1], (fit(text, width - used), key)]


def _time(milliseconds: float | None, key: str = "") -> list[Span]:
    cells = time_cells(milliseconds)
    return [(cells, key)] if key else [(cells[:5], "subtle"), (cells[5:], "muted")]


def _word(word: str, key: str) -> list[Span]:
    return [(word, key)]


def _fold_glyph(is_open: bool) -> Span:
    return ("▾ " if is_open else "▸ ", "muted")


def _turn(turn: Turn, grid: Grid, now: float, hidden: int | None = None) -> list[Span]:
    """``hidden``: how many entries a filter's row folds away; None for the row of the tree."""
    elapsed = turn.elapsed(now)
    is_open = turn.open if hidden is None else not hidden
    shown = turn.parent is None and (turn.open or turn.live)
    name = f"turn {turn.number}"
    if turn.guest:
        name = turn.agent if turn.number == 1 else f"{turn.agent} turn {turn.number}"
    elif turn.by_hand:
        name = "by you"
    label: list[Span] = [(" " * _indent(turn), "muted"), _fold_glyph(is_open)]
    label.append((name, "text strong" if shown else "text"))
    word = _TURN_WORDS.get(turn.status)
    if word is not None:
        label += [("  ", "muted"), word]
    label.append((f"  {turn.prompt}", "muted"))
    if is_open:
        extent = _axis(turn, grid.lane, now).extent(
            turn.start, turn.start + elapsed, "light", "muted", "warning"
        )
        bars = lane(grid.lane, extent)
    else:
        calls = f"{turn.tool_calls} call{'' if turn.tool_calls == 1 else 's'}"
        said = f"{turn.model_calls} llm  {calls}" if hidden is None else f"{hidden:,} folded"
        bars = [(fit(said, grid.lane), "muted")]
    took = elapsed if turn.timed else None
    return _compose(label, bars, [(time_cells(took), "text")] if shown else _time(took), grid)


def _iteration(iteration: Iteration, grid: Grid, now: float) -> list[Span]:
    turn = iteration.turn
    live = turn.live and turn.iterations[-1] is iteration
    end = turn.work(now) if live else iteration.end
    label: list[Span] = [(" " * (2 + _indent(turn)), "muted"), _fold_glyph(iteration.open)]
    label.append((f"iteration {iteration.number}", "subtle"))
    calls = iteration.calls
    said = f"  {calls} call{'' if calls == 1 else 's'}" if calls else ""
    label.append((said if spans_width(label) + len(said) <= grid.label else "", "muted"))
    axis = _axis(turn, grid.lane, now)
    bars = lane(grid.lane, axis.extent(iteration.start, end, "light", "muted", "warning"))
    return _compose(label, bars, _time(end - iteration.start), grid)


def state_glyph(entry: Entry) -> Span:
    """The glyph that stands before an entry, in its colour."""
    if entry.kind == "you":
        return "◇", "warning"
    if entry.kind == "llm" and entry.state == "success":
        return "◆", "accent"
    return GLYPHS[entry.state]


def _entry(entry: Entry, grid: Grid, now: float) -> list[Span]:
    glyph, glyph_key = state_glyph(entry)
    word, key = WORDS.get(entry.state, ("", "accent" if entry.state == "running" else ""))
    name_key = "text"
    if entry.kind == "you":
        name_key, word, key = "warning", "", "warning"
    indent = (2 if entry.turn.by_hand else 4) + _indent(entry.turn)
    label: list[Span] = [(" " * indent, "muted"), (glyph, glyph_key), (" ", "muted")]
    if entry.label is None or entry.state == "running":
        entry.label = _detail(entry)
    label += _name(entry.name, name_key, grid)
    label += [("  " + word, tone) for word, tone in call_marks(entry.data)]
    said = entry.label
    if entry.kind == "llm":
        said = _tokens(said, grid.label - spans_width(label) - 2)
    label.append((f"  {said}" if said else "", "muted"))
    if word:
        time = _word(word, key)
    elif entry.state == "running" or (entry.kind == "you" and entry.state == "waiting"):
        time = _time(max(0.0, now - entry.began) * 1000, key)
    else:
        time = _time(entry.ms, key)
    return _compose(label, lane(grid.lane, _bars(entry, grid.lane, now)), time, grid)


def _name(name: str, key: str, grid: Grid) -> list[Span]:
    """A name; its namespace only where that leaves room for arguments."""
    namespace, dot, last = name.rpartition(".")
    if dot and grid.label >= _NARROWEST_NAMESPACE:
        return [(namespace + dot, "muted"), (last, key)]
    return [(last, key)]


def _detail(entry: Entry) -> str:
    if entry.kind == "tool":
        return arguments_text(entry.arguments)
    if entry.kind == "you" or not entry.data:
        return entry.detail
    usage: Any = entry.data.get("usage")
    if usage is None:
        return ""
    return f"{count_text(usage.input_tokens):>4} in  {count_text(usage.output_tokens):>4} out"


def _tokens(said: str, room: int) -> str:
    """What was read and written in so many cells: in columns, else close together, else what was read."""
    if cell_len(said) <= room or not said.endswith(" out"):
        return said
    read, _, wrote = " ".join(said.split()).partition(" in ")
    both, one = f"{read} in  {wrote}", f"{read} in"
    return next((text for text in (both, one) if cell_len(text) <= room), "")


def _bars(entry: Entry, cells: int, now: float) -> list[Bar]:
    turn = entry.turn
    axis = _axis(turn, cells, now)
    if entry.kind == "you":
        return [(*axis.wait(entry.wait), "wait", "warning")] if entry.wait >= 0 else []
    if entry.start is None:
        return []
    end = turn.work(now) if entry.end is None else entry.end
    first, last = axis.bar(entry.start, end)
    if entry.kind == "tool":
        key = "accent" if entry.state == "running" else "error" if entry.state == "error" else "success"
        bar: Bar = (first, last, "heavy", key if entry.state != "cancelled" else "muted")
        return [*_hooks(entry, axis, first, last), bar]
    bars = _hooks(entry, axis, first, last)
    if entry.state == "error":
        return [*bars, (first, last, "heavy", "error")]
    if entry.first is None:
        # nothing has arrived yet, or the answer came in one piece
        return [*bars, (first, last, "light" if entry.state == "running" else "heavy", "accent")]
    token, _ = axis.bar(min(entry.first, end), end)
    return [*bars, (first, last, "light", "accent"), (min(token, last - 1), last, "heavy", "accent")]


def _hooks(entry: Entry, axis: Axis, first: int, last: int) -> list[Bar]:
    """The time in handlers before and after a call, where it takes half a cell or more."""
    halves = 2 * axis.cells
    a_half = axis.total / halves if halves else 0.0
    bars: list[Bar] = []
    before, after = entry.hooks or (0.0, 0.0)
    if entry.start is not None and before >= a_half > 0:
        bars.append((axis.bar(max(0.0, entry.start - before), entry.start)[0], first, "light", "muted"))
    if entry.end is not None and after >= a_half > 0:
        bars.append((last, axis.bar(entry.end, entry.end + after)[1], "light", "muted"))
    return bars


def _mark(mark: Mark, width: int) -> list[Span]:
    indent = " " * (2 + _indent(mark.turn) + (4 if mark.iteration is not None else 0))
    if mark.kind == "note":
        text = mark.names[0]
    else:
        text = f"{'■' if mark.kind == 'on' else '□'} {_switched(mark.names, mark.kind)}"
    if mark.detail:
        text += f"  {mark.detail}"
    return [(indent, "muted"), (clip(text, width - len(indent) - 2), "muted")]


def _switched(names: Sequence[str], state: str) -> str:
    """``math.add off``, ``files off  5 tools``, ``5 tools off``: what one action switched."""
    if len(names) == 1:
        return f"{names[0]} {state}"
    groups = {name.rpartition(".")[0] for name in names}
    if len(groups) == 1 and "" not in groups:
        return f"{groups.pop()} {state}  {len(names)} tools"
    return f"{len(names)} tools {state}"
