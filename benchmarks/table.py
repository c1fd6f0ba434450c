"""A table of measurements: what, how much, against what, and whether that is as good as it shall be."""

from __future__ import annotations

import os
import platform
import statistics
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

_HEADS = ("", "median", "best", "ratio", "goal", "met")


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement.

    ``samples`` are the rounds' values in ``unit``; a row without samples says why in ``note``. ``ratio`` is
    to the row called ``against``. ``goal`` is what shall be reached, in words, and ``met`` whether it was.
    """

    name: str
    samples: tuple[float, ...] = ()
    unit: str = ""
    ratio: float | None = None
    against: str = ""
    goal: str = ""
    met: bool | None = None
    note: str = ""

    def cells(self) -> tuple[str, ...]:
        """The row as it is printed."""
        if not self.samples:
            return (self.name, self.note, "", "", self.goal, "")
        ratio = f"{number(self.ratio)} × {self.against}".rstrip(" ×") if self.ratio is not None else ""
        met = "" if self.met is None else "yes" if self.met else "NO"
        median = f"{number(statistics.median(self.samples))} {self.unit}"
        return (self.name, median, number(min(self.samples)), ratio, self.goal, met)


@dataclass(slots=True)
class Table:
    """Rows under a title, with a note on how they were measured below."""

    title: str
    rows: list[Row] = field(default_factory=list)
    note: str = ""

    def text(self) -> str:
        """The table in columns, ending with a blank line."""
        grid = [_HEADS, *(row.cells() for row in self.rows)]
        widths = [max(len(cells[column]) for cells in grid) for column in range(len(_HEADS))]
        lines = [self.title, ""]
        for at, cells in enumerate(grid):
            lines.append("  ".join(map(_placed, cells, widths, range(len(widths)))).rstrip())
            if at == 0:
                lines.append("  ".join("─" * width for width in widths))
        lines += ["", *textwrap.wrap(f"{self.note} {load()}", 110), ""]
        return "\n".join(lines)


def _placed(text: str, width: int, column: int) -> str:
    return text.rjust(width) if column in (1, 2) else text.ljust(width)


def number(value: float) -> str:
    """Three significant digits, or whole with separators from 100 on."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"


def median(samples: Sequence[float]) -> float:
    """The median; the middle of a round is not moved by the other programs on the machine."""
    return statistics.median(samples)


def percentile(samples: Sequence[float], share: float) -> float:
    """The value below which ``share`` (0 to 1) of the samples lie."""
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def at_most(row: Row, value: float, goal: str) -> Row:
    """The row with a goal: its median shall be at most ``value``."""
    return Row(
        row.name, row.samples, row.unit, row.ratio, row.against, goal, median(row.samples) <= value, row.note
    )


def ratio_to(row: Row, other: Row, name: str) -> Row:
    """The row with its ratio to another, which goes by ``name``."""
    ratio = median(row.samples) / median(other.samples) if row.samples and other.samples else None
    return Row(row.name, row.samples, row.unit, ratio, name, row.goal, row.met, row.note)


def header(name: str, rounds: int) -> str:
    """What was measured where."""
    versions = ", ".join(f"{package} {version(package)}" for package in ("textual", "litellm", "pydantic"))
    return (
        f"\n== {name}: {rounds} rounds, Python {platform.python_version()}, {os.cpu_count()} cores, "
        f"{sys.platform}; {versions}\n"
    )


def load() -> str:
    """The machine's load now."""
    one, five, fifteen = os.getloadavg()
    return f"Load average {one:.2f} {five:.2f} {fifteen:.2f}: on a busy machine trust ratios."
