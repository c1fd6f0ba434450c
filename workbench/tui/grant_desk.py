"""What may run without asking: the list of grants, and taking one back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App

from workbench.engine.agent import Agent
from workbench.tui import events
from workbench.tui.background import Background
from workbench.tui.desk import Doers
from workbench.tui.facts import grant_rows
from workbench.tui.palette import Palette

if TYPE_CHECKING:
    from workbench.tui.screens.grants import GrantsScreen


class GrantDesk:
    """Opens the list once and keeps it true. ``agent`` and ``palette`` tell what holds now."""

    def __init__(
        self,
        app: App[Any],
        background: Background,
        *,
        agent: Callable[[], Agent | None],
        palette: Callable[[], Palette],
    ) -> None:
        self._app = app
        self._background = background
        self._agent = agent
        self._palette = palette
        self._list: GrantsScreen | None = None

    def doers(self) -> Doers:
        """``/grants``."""
        return {"app.grants": self._open}

    def take_in(self, batch: Sequence[events.AgentEvent]) -> None:
        """A change that names no tool may be one of the grants."""
        if any(isinstance(event, events.ToolsChanged) and event.tool is None for event in batch):
            self._show()

    def revoke(self, grant: str) -> None:
        """Take a grant back, by its id; the list hears of it like everybody else."""
        agent = self._agent()
        if agent is not None:
            self._background.do("take the grant back", partial(agent.tools.revoke, grant))

    def _open(self, _: str) -> None:
        if self._list is None:
            from workbench.tui.screens.grants import GrantsScreen

            self._list = GrantsScreen((), self._palette())
            self._app.push_screen(self._list, self._closed)
            self._show()

    def _show(self) -> None:
        agent = self._agent()
        if self._list is not None and agent is not None:
            self._list.show(grant_rows(agent.tools))

    def _closed(self, result: None) -> None:
        self._list = None
