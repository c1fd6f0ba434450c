"""Calls that run again once the turn is over, with no screen that waits for them."""

from __future__ import annotations

from collections.abc import Callable

from workbench.tui.hand_runs import HandRuns
from workbench.tui.rerun import Rerun
from workbench.visible import visible_line

Say = Callable[[str, str], object]
"""Tells a person: a title, and a text below it."""


class LaterRuns:
    """Runs calls of the trace again after a turn that stands still at a pause.

    They cannot run meanwhile: the thread that runs the agent's calls is inside the paused one, and hooks
    would see two batches in one conversation.
    """

    def __init__(self, runs: HandRuns, say: Say) -> None:
        self._runs = runs
        self._say = say
        self._waiting: list[Rerun] = []

    def __len__(self) -> int:
        """How many have not ended."""
        return len(self._waiting)

    def follow(self, run: Rerun) -> None:
        """Tell of a run that nobody looks at any more, if it has not begun."""
        if run.state == "pending":
            self._waiting.append(run)

    @property
    def ended(self) -> list[Rerun]:
        """Those that ended and were not told of yet."""
        return [run for run in self._waiting if run.state == "ended"]

    def begin(self, run: Rerun) -> None:
        """Run it once the turn is over."""
        self._waiting.append(run)
        self._runs.begin([run])
        why = "The agent stands still inside the paused call, so nothing else of it can run now."
        self._say(f"{_name(run)} runs again once the turn is over", why)

    def tell(self) -> None:
        """Say of those that ended how they compare; one that is still being compared is told later."""
        for run in self.ended:
            if run.data is None or run.found is not None or run.comparing == "stopped":
                self._waiting.remove(run)
                told = run.compared[0] if run.data is not None else "it did not run"
                self._say(f"{_name(run)} ran again: {told}", "The trace has it, as run by you.")


def _name(run: Rerun) -> str:
    return visible_line(run.tool)
