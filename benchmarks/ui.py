"""The whole app while text streams: typing, stalls, resize, theme, memory; new and after 2,000 messages."""

from __future__ import annotations

from typing import Any, Final

from benchmarks.contest import Contestant, contestants
from benchmarks.table import Row, Table, at_most, median, percentile, ratio_to

ROUNDS: Final = 3
NEW: Final = "new session"
OLD: Final = "2,000 messages"
BARE: Final = "bare app"
STREAMS: Final = {
    "mixed": ("mixed Markdown", 6.0),
    "fence": ("a 2,000-line fence", 5.0),
    "table": ("a 1,000-row table", 4.0),
}
"""What is streamed, and for how many seconds, 100 pieces a second."""

ASKS: Final = {"megabyte": "an argument of 1 MB", "fifty": "50 calls"}
"""Batches that a person is asked about."""

OPEN: Final = 200.0
"""In how many ms a question may open."""

ACTIONS: Final = {"jump": "jump to the other end", "resize": "resize", "theme": "theme switch"}
SMOOTH: Final = 60.0
"""The longest stall that a person may meet, in ms."""

Found = dict[str, dict[str, list[Any]]]


def run(rounds: int) -> Table:
    """The two sessions and the bare app in turn; a round that does not count comes first."""
    found: Found = {}
    with contestants("benchmarks.ui_subjects", [NEW, OLD, BARE]) as those:
        for number in range(rounds + 1):
            for contestant in those:
                kept = found.setdefault(contestant.subject, {})
                for measure, value in _round(contestant).items():
                    if number:
                        kept.setdefault(measure, []).append(value)
    table = Table("The whole app, 120 × 40, painted in full")
    for stream, (title, _) in STREAMS.items():
        table.rows += _streamed(found, stream, title)
    for action, title in ACTIONS.items():
        table.rows += _pair(found, action, f"{title}: until painted", lambda one: median(one["painted"]))
        table.rows += _held(found, action, f"{title}: longest stall")
    table.rows += _streamed(found, "after", "just after an answer", cpu=False)
    for ask, title in ASKS.items():
        table.rows += _pair(
            found, ask, f"question, {title}: opens", lambda one: one["opened"], OPEN, flat=False
        )
        table.rows += _held(found, ask, "  longest stall")
        table.rows += _pair(found, ask, "  its editor opens", lambda one: one["edit"], flat=False)
        table.rows += _pair(found, ask, "  a key in it is painted", lambda one: one["edited"], flat=False)
    table.rows += _pair(found, "idle", "idle CPU", lambda one: one["cpu"], 1.0, unit="%", flat=False)
    table.rows += _pair(
        found, "idle", "memory above the imports", lambda one: one["megabytes"], unit="MB", flat=False
    )
    table.note = (
        "A real agent on its thread, logs on; 100 pieces a second; a key every 37 ms. Taken: the prompt "
        "holds the letter. Painted: it was sent to the terminal; Textual paints at most 60 times a "
        "second. The bare app is a text area beside a line that changes 30 times a second; what it takes "
        "is Textual's own. The loop's own work is what is left of a stall on a machine with nothing else "
        "to do. A question opens: from the model's answer until it is painted. Earlier "
        "messages were real turns with 5 MB of answers. The cyclic collector is as the app leaves it."
    )
    return table


def _round(contestant: Contestant) -> dict[str, Any]:
    if contestant.subject == BARE:
        bare = {"mixed": contestant.measure("stream", {"name": "mixed", "seconds": STREAMS["mixed"][1]})}
        return bare | {what: contestant.measure("do", {"what": what}) for what in ("resize", "theme")}
    values = {
        name: contestant.measure("stream", {"name": name, "seconds": seconds})
        for name, (_, seconds) in STREAMS.items()
    }
    values |= {action: contestant.measure("do", {"what": action}) for action in ACTIONS}
    values["after"] = contestant.measure("after")
    values |= {ask: contestant.measure("ask", {"what": ask}) for ask in ASKS}
    values["idle"] = contestant.measure("idle")
    return values


def _streamed(found: Found, stream: str, title: str, *, cpu: bool = True) -> list[Row]:
    rows = _pair(found, stream, f"{title}: key taken", lambda one: median(one["taken"]), 2.0)
    rows += _pair(found, stream, "  95th percentile", lambda one: percentile(one["taken"], 0.95), 15.0)
    rows += _pair(found, stream, f"{title}: key painted", lambda one: median(one["painted"]))
    rows += _pair(found, stream, "  95th percentile", lambda one: percentile(one["painted"], 0.95))
    rows += _held(found, stream, f"{title}: longest stall")
    if cpu:
        rows += _pair(found, stream, f"{title}: CPU of one core", lambda one: one["cpu"], unit="%")
    return rows


def _held(found: Found, measure: str, title: str) -> list[Row]:
    return [
        *_pair(found, measure, title, lambda one: one["stall"], SMOOTH),
        *_pair(found, measure, "  the loop's own work in it", lambda one: one["work"], SMOOTH),
    ]


def _pair(
    found: Found,
    measure: str,
    title: str,
    pick: Any,
    limit: float | None = None,
    *,
    unit: str = "ms",
    flat: bool = True,
) -> list[Row]:
    """The long session with its goal, and below it the new one and, where it was measured, the bare app."""
    rows = {
        name: Row(f"    {name}", tuple(pick(one) for one in values[measure]), unit)
        for name, values in found.items()
        if measure in values
    }
    old = Row(title, rows[OLD].samples, unit)
    if flat:
        old = ratio_to(old, rows[NEW], "new")
    if limit is not None:
        old = at_most(old, limit, f"≤ {limit:g} {unit}")
    elif flat:
        old = at_most(old, 1.2 * median(rows[NEW].samples), "≤ 1.2 × new")
    return [old, rows[NEW], *([rows[BARE]] if BARE in rows else [])]
