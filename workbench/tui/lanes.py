"""Bars in half-cell steps on one time axis: where a turn's work and a person's waits fall in a lane."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from workbench.tui.render import Span

Weight = Literal["heavy", "light", "wait"]
"""How a bar is drawn: ``━`` measured work, ``─`` an extent, ``┄`` a person (whole cells only)."""

Bar = tuple[int, int, Weight, str]
"""A bar: its first half cell, the one after its last, its weight, its style key."""

_GLYPHS: Final[dict[tuple[Weight | None, Weight | None], str]] = {
    (None, None): " ",
    ("heavy", "heavy"): "━",
    ("heavy", None): "╸",
    (None, "heavy"): "╺",
    ("light", "light"): "─",
    ("light", None): "╴",
    (None, "light"): "╶",
    ("light", "heavy"): "╼",
    ("heavy", "light"): "╾",
}


@dataclass(slots=True)
class Axis:
    """A turn's working time laid over a lane of ``cells`` cells.

    ``total`` is in milliseconds. ``waits`` holds, in order, the working time at which each wait for a
    person was cut out; a wait takes 2 cells whatever it lasted, 1 or none when there are many.
    """

    total: float
    cells: int
    waits: Sequence[float] = ()
    _gap: int = field(init=False)
    _starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        halves, count = 2 * self.cells, len(self.waits)
        # Waits never take more than half of the lane, so that work stays readable.
        self._gap = next((gap for gap in (4, 2) if gap * count * 2 <= halves), 0)
        self._starts = []
        if self._gap and count:
            work_cells = self.cells - self._gap * count // 2
            for index, wait in enumerate(self.waits):
                share = min(1.0, wait / self.total) if self.total > 0 else 0.0
                # A dash has no half-cell form, so a wait begins with a whole cell.
                self._starts.append(2 * round(share * work_cells) + self._gap * index)

    def bar(self, start: float, end: float) -> tuple[int, int]:
        """The half cells of work from ``start`` to ``end`` (ms of working time); never less than one."""
        halves = 2 * self.cells
        first = round(self._position(start, after=True))
        last = round(self._position(end, after=False))
        first = max(0, min(first, halves - 1))
        return first, min(halves, max(last, first + 1))

    def extent(self, start: float, end: float, weight: Weight, key: str, wait_key: str) -> list[Bar]:
        """Bars of everything from ``start`` to ``end``, the waits in between told apart."""
        first, last = self.bar(start, end)
        bars: list[Bar] = []
        if self._gap:
            for index in range(bisect_left(self.waits, start), bisect_right(self.waits, end)):
                wait_first, wait_last = self.wait(index)
                first, last = min(first, wait_first), max(last, wait_last)
                bars.append((wait_first, wait_last, "wait", wait_key))
        return [(first, last, weight, key), *bars]

    def wait(self, index: int) -> tuple[int, int]:
        """The half cells of a wait, empty when there are so many that none is drawn."""
        if not self._gap:
            return 0, 0
        return self._starts[index], self._starts[index] + self._gap

    def _position(self, at: float, *, after: bool) -> float:
        halves = 2 * self.cells
        left_time, left, right_time, right = 0.0, 0, self.total, halves
        if self._starts:
            index = (bisect_right if after else bisect_left)(self.waits, at)
            if index:
                left_time, left = self.waits[index - 1], self._starts[index - 1] + self._gap
            if index < len(self.waits):
                right_time, right = self.waits[index], self._starts[index]
        if right_time <= left_time:
            return left if after else right
        share = min(1.0, max(0.0, (at - left_time) / (right_time - left_time)))
        return left + share * (right - left)


def lane(cells: int, bars: Iterable[Bar]) -> list[Span]:
    """Exactly ``cells`` cells with the bars in them; a later bar covers an earlier one."""
    halves: list[tuple[Weight, str] | None] = [None] * (2 * cells)
    for first, last, weight, key in bars:
        first, last = max(0, first), min(2 * cells, last)
        halves[first:last] = [(weight, key)] * max(0, last - first)
    spans: list[Span] = []
    for cell in range(cells):
        glyph, key = _cell(halves[2 * cell], halves[2 * cell + 1])
        if spans and (spans[-1][1] == key or glyph == " "):
            spans[-1] = (spans[-1][0] + glyph, spans[-1][1])
        else:
            spans.append((glyph, key))
    return spans


def _cell(left: tuple[Weight, str] | None, right: tuple[Weight, str] | None) -> tuple[str, str]:
    weights = (left[0] if left else None, right[0] if right else None)
    chosen = left or right
    if chosen is None:
        return " ", "muted"
    if "wait" in weights:
        # a half cell next to a wait can only be rounded away
        return "┄", (left if left and left[0] == "wait" else right or chosen)[1]
    return _GLYPHS[weights], chosen[1]


def meter(cells: int, share: float) -> list[Span]:
    """A meter of ``cells`` cells, filled to ``share`` (0 to 1)."""
    full = round(2 * cells * min(1.0, max(0.0, share)))
    return lane(cells, [(0, 2 * cells, "light", "rule"), (0, full, "heavy", "accent")])
