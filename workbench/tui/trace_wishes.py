"""What can be done with a row of the trace that stands for tool calls."""

from __future__ import annotations

from typing import Literal

from workbench.tui.lab_wishes import RunAgain, SaveTest, WhatIf, Wish
from workbench.tui.trace_records import Entry, Row, tool_calls

What = Literal["again", "again_edited", "what_if", "save_test"]


def wish_for(what: What, row: Row | None) -> Wish | None:
    """What to ask for; None where the row stands for no finished tool call, or for more than may be."""
    calls = tool_calls(row) if row is not None else ()
    if not calls:
        return None
    if what == "again":
        return RunAgain(calls)
    if not isinstance(row, Entry):
        return None
    if what == "again_edited":
        return RunAgain(calls, edit=True)
    return WhatIf(row) if what == "what_if" else SaveTest(row)
