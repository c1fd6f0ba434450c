"""What a person wants done with a call or a tool, as panels and screens ask for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from workbench.tui.do import Errand

if TYPE_CHECKING:
    from workbench.tui.rerun import Rerun
    from workbench.tui.trace_records import Entry


@dataclass(frozen=True, slots=True, eq=False)
class RunAgain:
    """Run traced tool calls again on the tools as they are now.

    ``edit``: a person changes the arguments first. ``arguments`` replace those of a single call.
    """

    entries: tuple[Entry, ...]
    edit: bool = False
    arguments: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class RunToolAgain:
    """Run every call of this tool (its dotted name) that the session has seen again."""

    tool: str


@dataclass(frozen=True, slots=True)
class CallByHand:
    """Fill in a form for this tool (its dotted name) and call it."""

    tool: str


NOW: Final = "the run of now, not the one of then"
THEN: Final = "the run of then, not the one of now"


@dataclass(frozen=True, slots=True, eq=False)
class SaveTest:
    """Write a test that holds a traced call to what it gave.

    ``which`` says in a word or two which run that is, where there are more to choose from.
    """

    entry: Entry
    which: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Inspect:
    """Show all of an entry."""

    entry: Entry


@dataclass(frozen=True, slots=True, eq=False)
class Compare:
    """Show both runs of a call that ran again."""

    run: Rerun


@dataclass(frozen=True, slots=True)
class OpenSource:
    """Open a file in the editor, at a line counted from 1."""

    file: str
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class WhatIf:
    """Go on from a traced call in a fork, as if it had ended otherwise."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class RunEarlier:
    """Let a person choose a call of the trace, which runs again once the paused turn is over."""


Wish: TypeAlias = (
    RunAgain | RunToolAgain | CallByHand | SaveTest | Inspect | Compare | OpenSource | WhatIf | RunEarlier
)


class Wanted(Errand):
    """Somebody wants this done; whoever holds the agent sees to it."""

    def __init__(self, wish: Wish) -> None:
        super().__init__()
        self.wish = wish
