"""Faults on purpose: setting them, and saying everywhere that they are on."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App

from workbench.engine.agent import Agent
from workbench.engine.fault_injection import Fault, FaultInjector
from workbench.errors import ConfigError
from workbench.tui import events
from workbench.tui.background import Background
from workbench.tui.companion import Tell
from workbench.tui.desk import Doers
from workbench.tui.fault_text import parse_fault, text_of
from workbench.tui.palette import Palette
from workbench.tui.words import no_tool_words, times_text
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.tui.screens.fault import FaultScreen

_OFF = "off"


class FaultDesk:
    """One injector for every watched agent. ``agent`` tells which tools there are."""

    def __init__(
        self,
        app: App[Any],
        background: Background,
        post: Callable[[events.AgentEvent], None],
        *,
        agent: Callable[[], Agent | None],
        palette: Callable[[], Palette],
    ) -> None:
        self._app = app
        self._background = background
        self._post = post
        self._agent = agent
        self._palette = palette
        self._injector = FaultInjector(on_change=self._tell)
        self._screen: FaultScreen | None = None

    def join(self, agent: Agent, outer: Agent, tell: Tell) -> Callable[[], object]:
        """Calls of the agent get the faults that are on."""
        agent.hooks.add(self._injector)
        return lambda: agent.hooks.remove(self._injector.handler)

    def _tell(self) -> None:
        rows = tuple(
            events.FaultRow(tool, fault.phrase, fault.times) for tool, fault in self._injector.active.items()
        )
        self._post(events.FaultsChanged("", time.time(), rows))

    def doers(self) -> Doers:
        """``/fault`` and what takes all faults out."""
        return {"app.fault": self._fault, "app.faults_off": self._clear_all}

    def take_in(self, batch: Sequence[events.AgentEvent]) -> None:
        """The panels show the faults themselves."""

    def put(self, tool: str, fault: Fault) -> None:
        """Put a fault into the calls of a tool."""
        self._background.do("set the fault", partial(self._injector.set, tool, fault))

    def clear(self, tool: str | None = None) -> None:
        """Take the fault of a tool out, or all."""
        self._background.do("take the fault out", partial(self._injector.clear, tool))

    def _clear_all(self, _: str) -> None:
        self.clear()

    def _fault(self, words: str) -> None:
        """``TOOL KIND`` sets one, ``TOOL off`` and ``off`` take out, ``TOOL`` chooses, nothing lists."""
        tool, _, text = words.strip().partition(" ")
        if not tool:
            self._list()
            return
        if tool == _OFF:
            self.clear()
            return
        name = self._name(tool)
        if name is None:
            agent = self._agent()
            self._say(no_tool_words(tool, (each.name for each in agent.tools) if agent is not None else ()))
        elif not text.strip():
            self._choose(name)
        elif text.strip() == _OFF:
            self.clear(name)
        else:
            try:
                self.put(name, parse_fault(text))
            except ConfigError as error:
                self._say(f"{error.message}. {error.hint}")

    def _name(self, tool: str) -> str | None:
        agent = self._agent()
        found = agent.tools.meant(tool) if agent is not None else None
        return found.name if found is not None else None

    def _list(self) -> None:
        active = self._injector.active
        told = [f"{tool}: {fault.phrase}, {times_text(fault.times)}" for tool, fault in active.items()]
        self._say("\n".join(told) or "None is on. /fault TOOL, or f on a tool, puts one in.")

    def _say(self, text: str) -> None:
        lines = "\n".join(map(visible_line, text.split("\n")))
        self._app.notify(lines, title="Faults", markup=False)

    def _choose(self, tool: str) -> None:
        if self._screen is not None:
            return
        from workbench.tui.screens.fault import FaultScreen

        now = self._injector.active.get(tool)
        self._screen = FaultScreen(
            self._palette(),
            tool,
            text_of(now) if now is not None else "",
            put=partial(self.put, tool),
            clear=partial(self.clear, tool),
        )
        self._app.push_screen(self._screen, self._closed)

    def _closed(self, result: None) -> None:
        self._screen = None
