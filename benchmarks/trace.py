"""Appending 100,000 entries to the trace panel live, memory per entry, scrolling long and short lists."""

from __future__ import annotations

from typing import Any, Final

from benchmarks.contest import Contestant, contestants
from benchmarks.table import Row, Table, at_most, median, percentile, ratio_to

ROUNDS: Final = 3
MANY: Final = 100_000
FEW: Final = 1_000
WEIGHED: Final = 10_000
"""Entries for the measure of memory, where every allocation is counted one by one."""


def run(rounds: int) -> Table:
    """The panel and the bare list in turn; a round that does not count comes first."""
    with contestants("benchmarks.trace_subjects", ["trace panel", "bare list"]) as (panel, bare):
        appended = _each_in_turn(panel, bare, "append", {"entries": MANY}, rounds)
        weighed = [panel.measure("memory", {"entries": WEIGHED}) for _ in range(rounds)]
        scrolled: dict[int, list[Any]] = {FEW: [], MANY: []}
        for _ in range(rounds):
            for entries, found in scrolled.items():
                found.append(panel.measure("scroll", {"entries": entries}))
        filtered = [panel.measure("filter", {"entries": MANY}) for _ in range(rounds)]
    table = Table(f"The trace panel, {MANY:,} entries in one turn, all unfolded")
    ours, floor = appended
    apply = _row("append: apply()", ours, "apply", "µs an entry")
    apply_floor = _row("  bare list", floor, "apply", "µs an entry")
    whole = _row("append: CPU with painting at 30 fps", ours, "whole", "µs an entry")
    whole_floor = _row("  bare list", floor, "whole", "µs an entry")
    stall = _row("append: longest stall", ours, "stall", "ms")
    memory = Row("memory of the panel's own", tuple(each["bytes"] for each in weighed), "bytes an entry")
    table.rows = [
        at_most(ratio_to(apply, apply_floor, "bare list"), 12, "≤ 12 µs"),
        apply_floor,
        ratio_to(whole, whole_floor, "bare list"),
        whole_floor,
        at_most(stall, 60, "≤ 60 ms"),
        _row("  bare list", floor, "stall", "ms"),
        at_most(_row("  the loop's own work in it", ours, "work", "ms"), 60, "≤ 60 ms"),
        at_most(memory, 512, "≤ 0.5 kB"),
    ]
    for kind, title in (("page", "scroll a page"), ("end", "scroll from end to end")):
        short, long = (_medians(scrolled[entries], kind) for entries in (FEW, MANY))
        few = Row(f"{title}, {FEW:,} entries", short, "ms")
        many = ratio_to(Row(f"{title}, {MANY:,} entries", long, "ms"), few, f"{FEW:,}")
        table.rows += [few, at_most(many, 1.2 * median(short), "flat: ≤ 1.2 ×")]
        late = [percentile(each[kind], 0.95) for each in scrolled[MANY]]
        table.rows.append(at_most(Row("  95th percentile", tuple(late), "ms"), 60, "≤ 60 ms"))
    for query, title in (
        ("state", "status:error"),
        ("tool", "tool:read >10ms"),
        ("text", "a text"),
        ("new text", "the first text"),
    ):
        work = tuple(each["work"][query] for each in filtered)
        table.rows.append(at_most(Row(f"filter by {title}: work", work, "ms"), 60, "≤ 60 ms"))
        through = tuple(each["through"][query] for each in filtered)
        table.rows.append(Row("  with frames in between", through, "ms"))
    stalls = tuple(each["stall"] for each in filtered)
    table.rows.append(at_most(Row("filter: longest stall", stalls, "ms"), 60, "≤ 60 ms"))
    work = tuple(each["work_in_a_gap"] for each in filtered)
    table.rows.append(at_most(Row("  the loop's own work in it", work, "ms"), 60, "≤ 60 ms"))
    table.note = (
        "1,000 entries a frame, 30 frames a second; the screen is painted in full, 120 × 40. The "
        "collector is on and kept as the app keeps it; events that were made before are set aside from it. "
        "Scrolling: from a key to "
        "the painted screen. The bare list shows ready-made lines: the floor for anything that is drawn "
        "by Textual."
    )
    return table


def _each_in_turn(
    first: Contestant, second: Contestant, measure: str, arguments: dict[str, Any], rounds: int
) -> tuple[list[Any], list[Any]]:
    ours, floor = [], []
    for number in range(rounds + 1):
        values = [each.measure(measure, arguments) for each in (first, second)]
        if number:
            ours.append(values[0])
            floor.append(values[1])
    return ours, floor


def _row(name: str, found: list[Any], key: str, unit: str) -> Row:
    return Row(name, tuple(each[key] for each in found), unit)


def _medians(found: list[Any], kind: str) -> tuple[float, ...]:
    return tuple(median(each[kind]) for each in found)
