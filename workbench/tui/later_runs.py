"""Calls that run again once the turn is over, with no screen that waits for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workbench.tui.hand_runs import HandRuns
from workbench.tui.render import arguments_text
from workbench.tui.rerun import Rerun
from workbench.visible import visible_line

Say = Callable[[str, str], object]
"""Tells a person: a title, and a text below it."""

Show = Callable[[Sequence[str]], object]
"""Shows what waits: a line for each call, in the order in which they run."""


class LaterRuns:
    """Runs calls of the trace again after a turn that stands still at a pause.

    They cannot run meanwhile: the thread that runs the agent's calls is inside the paused one, and hooks
    would see two batches in one conversation. What waits is shown, and can be taken back until it begins.
    """

    def __init__(self, runs: HandRuns, say: Say, show: Show) -> None:
        self._runs = runs
        self._say = say
        self._show = show
        self._shown: list[str] = []
        self._waiting: list[Rerun] = []

    def __len__(self) -> int:
        """How many have not ended."""
        return len(self._waiting)

    def follow(self, run: Rerun) -> None:
        """Tell of a run that nobody looks at any more, if it has not begun."""
        if run.state == "pending":
            self._waiting.append(run)
            self._show_pending()

    @property
    def pending(self) -> list[Rerun]:
        """Those that have not begun."""
        return [run for run in self._waiting if run.state == "pending"]

    def take_back(self, index: int) -> bool:
        """Let the pending call ``index`` not run again, the last for -1; False where none can be taken."""
        pending = self.pending
        if not pending or index >= len(pending) or not self._runs.take_back(pending[index]):
            return False
        self._waiting.remove(pending[index])
        self._say(f"{_name(pending[index])} does not run again", "It was taken back.")
        self._show_pending()
        return True

    def _show_pending(self) -> None:
        lines = [f"{_name(run)}  {arguments_text(run.arguments)}" for run in self.pending]
        if lines != self._shown:
            self._shown = lines
            self._show(lines)

    @property
    def ended(self) -> list[Rerun]:
        """Those that ended and were not told of yet."""
        return [run for run in self._waiting if run.state == "ended"]

    def begin(self, run: Rerun) -> None:
        """Run it once the turn is over."""
        self._waiting.append(run)
        self._runs.begin([run])
        self._show_pending()
        why = "The agent stands still inside the paused call, so nothing else of it can run now."
        self._say(f"{_name(run)} runs again once the turn is over", why)

    def tell(self) -> None:
        """Say of those that ended how they compare; one that is still being compared is told later."""
        for run in self.ended:
            if run.data is None or run.found is not None or run.comparing == "stopped":
                self._waiting.remove(run)
                told = run.compared[0] if run.data is not None else "it did not run"
                self._say(f"{_name(run)} ran again: {told}", "The trace has it, as run by you.")
        self._show_pending()


def _name(run: Rerun) -> str:
    return visible_line(run.tool)
