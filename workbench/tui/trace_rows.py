"""How each row of the trace is drawn: label, lane and time on one grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

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
from workbench.tui.trace_records import Entry, Iteration, Mark, Reason, Row, State, Turn

_NARROWEST_LANE: Final = 56
_NARROWEST_NAMESPACE: Final = 44

_STATES: Final[dict[State, tuple[str, str, str, str]]] = {
    # glyph, its key, the word in the time column (none: the time itself), its key
    "running": ("●", "accent", "", "accent"),
    "pending": ("○", "muted", "pending", "muted"),
    "waiting": ("○", "muted", "waiting", "warning"),
    "success": ("✓", "success", "", ""),
    "error": ("✗", "error", "", ""),
    "not_found": ("✗", "error", "no such", "error"),
    "rejected": ("⊘", "warning", "rejected", "warning"),
    "cancelled": ("–", "muted", "stopped", "muted"),
    "denied": ("⊘", "warning", "denied", "warning"),
    "disabled": ("⊘", "warning", "off", "warning"),
}

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
            indent = 4 if isinstance(row.owner, Turn) else 8
            return [(" " * indent, "muted"), (clip(row.text, width - indent - 2), "error")]
        case Mark():
            return _mark(row, width)


def axis_label(milliseconds: float) -> str:
    """The end of the axis for people: ``8.6 s``."""
    if 999.5 <= milliseconds < 99_950:
        return f"{milliseconds / 1000:.1f} s"
    return time_cells(milliseconds).strip()


def total(turn: Turn, now: float) -> float:
    """The working time of a turn so far, in milliseconds."""
    return turn.work(now) if turn.live else turn.total


def _compose(label: list[Span], bars: list[Span], time: list[Span], grid: Grid) -> list[Span]:
    spans = [("  ", "muted"), *_clipped(label, grid.label), (" ", "muted")]
    if grid.lane:
        spans += [*bars, (" ", "muted")]
    return spans + time


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
    return [(fit(word, TIME_WIDTH, right=True), key)]


def _fold_glyph(is_open: bool) -> Span:
    return ("▾ " if is_open else "▸ ", "muted")


def _turn(turn: Turn, grid: Grid, now: float) -> list[Span]:
    elapsed = total(turn, now)
    shown = turn.open or turn.live
    name = f"{turn.agent} turn {turn.number}" if turn.guest else f"turn {turn.number}"
    label: list[Span] = [_fold_glyph(turn.open), (name, "text strong" if shown else "text")]
    word = _TURN_WORDS.get(turn.status)
    if word is not None:
        label += [("  ", "muted"), word]
    label.append((f"  {turn.prompt}", "muted"))
    if turn.open:
        axis = Axis(elapsed, grid.lane, turn.waits)
        bars = lane(grid.lane, axis.extent(0.0, elapsed, "light", "muted", "warning"))
    else:
        calls = f"{turn.tool_calls} call{'' if turn.tool_calls == 1 else 's'}"
        bars = [(fit(f"{turn.model_calls} llm  {calls}", grid.lane), "muted")]
    time = time_cells(elapsed)
    return _compose(label, bars, [(time, "text")] if shown else _time(elapsed), grid)


def _iteration(iteration: Iteration, grid: Grid, now: float) -> list[Span]:
    turn = iteration.turn
    live = turn.live and turn.iterations[-1] is iteration
    end = turn.work(now) if live else iteration.end
    label: list[Span] = [("  ", "muted"), _fold_glyph(iteration.open)]
    label.append((f"iteration {iteration.number}", "subtle"))
    calls = iteration.calls
    label.append((f"  {calls} call{'' if calls == 1 else 's'}" if calls else "", "muted"))
    axis = Axis(total(turn, now), grid.lane, turn.waits)
    bars = lane(grid.lane, axis.extent(iteration.start, end, "light", "muted", "warning"))
    return _compose(label, bars, _time(end - iteration.start), grid)


def state_glyph(entry: Entry) -> Span:
    """The glyph that stands before an entry, in its colour."""
    if entry.kind == "you":
        return "◇", "warning"
    if entry.kind == "llm" and entry.state == "success":
        return "◆", "accent"
    return _STATES[entry.state][:2]


def _entry(entry: Entry, grid: Grid, now: float) -> list[Span]:
    glyph, glyph_key = state_glyph(entry)
    _, _, word, key = _STATES[entry.state]
    name_key = "text"
    if entry.kind == "you":
        name_key, word, key = "warning", "", "warning"
    label: list[Span] = [("    ", "muted"), (glyph, glyph_key), (" ", "muted")]
    if entry.label is None or entry.state == "running":
        entry.label = _detail(entry)
    label += _name(entry.name, name_key, grid)
    label.append((f"  {entry.label}" if entry.label else "", "muted"))
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


def _bars(entry: Entry, cells: int, now: float) -> list[Bar]:
    turn = entry.turn
    axis = Axis(total(turn, now), cells, turn.waits)
    if entry.kind == "you":
        return [(*axis.wait(entry.wait), "wait", "warning")] if entry.wait >= 0 else []
    if entry.start is None:
        return []
    end = turn.work(now) if entry.end is None else entry.end
    first, last = axis.bar(entry.start, end)
    if entry.kind == "tool":
        key = "accent" if entry.state == "running" else "error" if entry.state == "error" else "success"
        return [(first, last, "heavy", key if entry.state != "cancelled" else "muted")]
    if entry.state == "error":
        return [(first, last, "heavy", "error")]
    if entry.first is None:
        # nothing has arrived yet, or the answer came in one piece
        return [(first, last, "light" if entry.state == "running" else "heavy", "accent")]
    token, _ = axis.bar(min(entry.first, end), end)
    return [(first, last, "light", "accent"), (min(token, last - 1), last, "heavy", "accent")]


def _mark(mark: Mark, width: int) -> list[Span]:
    indent = "      " if mark.iteration is not None else "  "
    if mark.kind == "note":
        text = mark.name
    else:
        text = f"{'■' if mark.kind == 'on' else '□'} {mark.name} {mark.kind}"
    if mark.detail:
        text += f"  {mark.detail}"
    return [(indent, "muted"), (clip(text, width - len(indent) - 2), "muted")]
