"""Microseconds per no-op tool call, with full trace and hooks, beside a bare loop and other engines."""

from __future__ import annotations

from typing import Final

from benchmarks.contest import Contestant, Samples, contestants, interleaved
from benchmarks.engine_peers import SUBJECTS
from benchmarks.table import Row, Table, at_most, median, ratio_to

ROUNDS: Final = 15
COUNT: Final = 100
BARE: Final = 5.0
"""What the bare loop costs, in µs, on the machine that the goals in µs are meant for."""

OURS: Final = "workbench"
GOALS: Final = {"batch": 60.0, "sequential": 100.0}
TITLES: Final = {
    "batch": f"one response with {COUNT} calls",
    "sequential": f"{COUNT} responses with one call",
}


def run(rounds: int) -> Table:
    """Each engine in both ways, in turn."""
    measures = {measure: {"count": COUNT} for measure in GOALS}
    with contestants("benchmarks.engine_peers", list(SUBJECTS)) as those:
        samples = interleaved(those, measures, rounds)
    table = Table("µs per no-op tool call")
    for measure, title in TITLES.items():
        table.rows.append(Row(title, note=" "))
        table.rows += _rows(those, samples, measure)
    table.note = (
        "Each engine in its own process, in turn, the collector on, run before each round, then a rest. "
        "workbench: three handlers on each of eight hooks, trace kept, calls off the agent's thread; "
        "every round adds to the same conversation. The others: their own tracing off, no handlers. The "
        f"goals in µs are for a machine whose bare loop costs {BARE:.0f}; they are scaled by ours."
    )
    return table


def _rows(those: list[Contestant], samples: Samples, measure: str) -> list[Row]:
    rows: dict[str, Row] = {}
    for contestant in those:
        name = contestant.subject
        found = samples.get((name, measure))
        note = contestant.missing or "not measured"
        rows[name] = Row(f"  {name}", tuple(found), "µs") if found else Row(f"  {name}", note=note)
    bare = rows["bare loop"]
    rows = {name: ratio_to(row, bare, "bare") if row is not bare else row for name, row in rows.items()}
    scaled = GOALS[measure] * median(bare.samples) / BARE
    rows[OURS] = at_most(rows[OURS], scaled, f"≤ {scaled:.0f} µs, {GOALS[measure]:.0f} at bare {BARE:.0f}")
    for name in (f"{OURS} after 1,000 calls", f"{OURS} after 10,000 calls"):
        row = ratio_to(rows[name], rows[OURS], "new")
        rows[name] = at_most(row, 1.2 * median(rows[OURS].samples), "flat: ≤ 1.2 × new")
    peers = [row for name, row in rows.items() if row.samples and not name.startswith((OURS, "bare"))]
    if peers:
        fastest = min(peers, key=lambda row: median(row.samples))
        lead = Row(f"  {OURS} against the fastest peer", rows[OURS].samples, "µs")
        lead = ratio_to(lead, fastest, fastest.name.strip())
        rows["lead"] = at_most(lead, median(fastest.samples) / 2, "≤ half of it")
    return list(rows.values())
