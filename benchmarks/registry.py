"""Registering, switching, calling and exporting tools, beside toolregistry."""

from __future__ import annotations

from typing import Final

from benchmarks.contest import contestants, interleaved
from benchmarks.registry_subjects import SUBJECTS, TOOLS
from benchmarks.table import Row, Table, at_most, median, ratio_to

ROUNDS: Final = 7
MEASURES: Final = {
    "register": ("register a function", 1.0),
    "toggle_0": ("switch a tool, no callback", 1.0),
    "toggle_1": ("switch a tool, 1 callback", 1.0),
    "toggle_10": ("switch a tool, 10 callbacks", 1.0),
    "call": ("no-op call, validated", 1 / 5),
    "export": (f"schemas of {TOOLS:,} unchanged tools", 1 / 50),
    "export_changed": (f"schemas of {TOOLS:,} tools, one switched", 1.0),
}
"""What is measured: its name, and the share of the peer's time that it may take."""

WHOLE: Final = "whole_call"
"""What only the peer has: its call of a batch of one."""


def run(rounds: int) -> Table:
    """Every operation in both, in turn."""
    with contestants("benchmarks.registry_subjects", list(SUBJECTS)) as those:
        samples = interleaved(those, {measure: {} for measure in (*MEASURES, WHOLE)}, rounds)
        missing = {each.subject: each.missing for each in those}
    table = Table("µs per operation")
    for measure, (title, share) in MEASURES.items():
        ours = Row(title, tuple(samples["workbench", measure]), "µs")
        theirs = samples.get(("toolregistry", measure))
        if not theirs:
            table.rows += [ours, Row("  toolregistry", note=missing["toolregistry"])]
            continue
        peer = Row("  toolregistry", tuple(theirs), "µs")
        goal = "no slower" if share == 1 else f"{1 / share:.0f}× faster"
        table.rows += [
            at_most(ratio_to(ours, peer, "toolregistry"), share * median(theirs), goal),
            peer,
        ]
        if measure == "call":
            table.rows.append(
                Row("  toolregistry, a batch of one", tuple(samples["toolregistry", WHOLE]), "µs")
            )
    table.note = (
        "Each registry in its own process, in turn, the cyclic collector on and run before each round. "
        "workbench: a call is looked up, validated, asked of the policy and counted; toolregistry: looked "
        "up and validated by Tool.run, or in a batch of one by execute_tool_calls on a thread. A switch "
        "is a disable or an enable, with a reason."
    )
    return table
