"""What holds in the trace."""

from __future__ import annotations

from typing import Final

from workbench.tui.commands.command import Command

ROWS: Final[tuple[Command, ...]] = (
    Command(
        "trace.inspect",
        "trace",
        ("enter",),
        "inspect",
        "inspect",
        "Show all of the entry; fold a turn or iteration.",
        1,
    ),
    Command("trace.fold", "trace", ("space",), "fold", "fold", "Fold or unfold the turn or iteration.", 2),
    Command(
        "trace.fold_all",
        "trace",
        ("ctrl+o",),
        "fold_all",
        "fold all",
        "Unfold all that is folded; fold all turns once nothing is.",
    ),
    Command("trace.follow", "trace", ("f",), "follow", "follow", "Keep the newest entry in view.", 3),
    Command("trace.next_error", "trace", ("e",), "next_error", "next error", "Go to the next error.", 4),
    Command("trace.previous_error", "trace", ("E",), "previous_error", "previous error", "Go back to one."),
    Command(
        "trace.filter",
        "trace",
        ("slash",),
        "filter",
        "filter",
        "Show only what fits: tool:search status:error >200ms, or any text.",
        5,
    ),
    Command(
        "trace.again",
        "trace",
        ("R",),
        "wish('again')",
        "run again",
        "Run the call again on the tool as it is now, or every call of the turn.",
        6,
    ),
    Command(
        "trace.again_edited",
        "trace",
        ("A",),
        "wish('again_edited')",
        "again, edited",
        "Run the call again with other arguments.",
    ),
    Command(
        "trace.what_if",
        "trace",
        ("w",),
        "wish('what_if')",
        "what if",
        "Go on from the call in a fork, as if it had ended otherwise.",
    ),
    Command(
        "trace.save_test", "trace", ("t",), "wish('save_test')", "save as test", "Write a pytest of the call."
    ),
    Command(
        "trace.break",
        "trace",
        ("b",),
        "break",
        "break",
        "Set breakpoints of the tool, also on these arguments.",
        7,
    ),
    Command(
        "trace.legend", "trace", ("question_mark",), "legend", "legend", "Say what bars and glyphs mean.", 8
    ),
    Command("trace.unfilter", "trace", ("escape",), "unfilter", "show all", "Leave the filter."),
    Command("trace.close", "trace", ("left",), "close", "fold", "Fold, or go to what the row belongs to."),
    Command("trace.open", "trace", ("right",), "open", "unfold", "Unfold the turn or iteration."),
)
