"""Who runs which errand of the panels and screens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from workbench.tui import events, lab_wishes
from workbench.tui.broker import Asked
from workbench.tui.do import Do, Errand, TakeOut
from workbench.tui.panels.conversation import Conversation
from workbench.tui.panels.tools import ToolsPanel
from workbench.tui.panels.trace import TracePanel
from workbench.tui.screens.grants import GrantsScreen
from workbench.tui.screens.held import HeldScreen
from workbench.tui.screens.sessions import SessionsScreen
from workbench.tui.toggling import switch
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.desks import Desks


class Errands:
    """Passes each on to its desk. On the screen's loop."""

    def __init__(self, app: WorkbenchApp, desks: Desks) -> None:
        self._app = app
        self._desks = desks
        self._runners: Mapping[type[Errand], Callable[[Any], object]] = {
            Do: lambda errand: desks.do(errand.command, errand.rest),
            TakeOut: self._take_out,
            Asked: desks.asking.asked,
            HeldScreen.Typed: lambda errand: errand.give_to(app.main.prompt.area),
            Conversation.Copied: self._copied,
            Conversation.LinkClicked: self._link_clicked,
            TracePanel.Inspect: lambda errand: desks.inspect(errand.entry),
            ToolsPanel.Toggle: self._toggle,
            ToolsPanel.Read: self._read_tool,
            lab_wishes.Wanted: self._wanted,
            SessionsScreen.Wanted: lambda errand: desks.sessions.wanted(errand.row, errand.deed),
            SessionsScreen.Search: lambda errand: desks.sessions.search(errand.text),
            GrantsScreen.Revoke: lambda errand: desks.grants.revoke(errand.id),
        }

    def run(self, errand: Errand) -> None:
        """Have it done."""
        self._runners[type(errand)](errand)

    def _take_out(self, errand: TakeOut) -> None:
        match errand.subject:
            case events.GrantRow(id=grant):
                self._desks.grants.revoke(grant)
            case events.BreakRow() as row:
                self._desks.breakpoints.remove(row)
            case events.FaultRow(tool=tool):
                self._desks.faults.clear(tool)

    def _copied(self, errand: Conversation.Copied) -> None:
        """Say what is in the clipboard now."""
        self._app.notify(f"The {errand.what} was copied: {errand.characters} characters.", timeout=2)

    def _link_clicked(self, errand: Conversation.LinkClicked) -> None:
        """A model's link is never opened; it is put into the clipboard, where it can be read first."""
        self._app.copy_to_clipboard(errand.target)
        self._app.notify(visible_line(errand.target), title="Link copied")

    def _toggle(self, errand: ToolsPanel.Toggle) -> None:
        """Switch tools on or off; the panel hears of it through ``on_change`` like everybody else."""
        agent = self._app.agent_thread.agent
        if agent is not None:
            job = partial(switch, agent.tools, errand.names, errand.enable)
            self._app.background.do("switch the tool", job)

    def _read_tool(self, errand: ToolsPanel.Read) -> None:
        """Show what is said about a tool, whole."""
        from workbench.tui.screens.tool import ToolScreen

        palette = self._app.themes.palette
        self._app.push_screen(ToolScreen(errand.tool, errand.said, errand.index, palette))

    def _wanted(self, errand: lab_wishes.Wanted) -> None:
        """Do with a call or a tool what the person wants."""
        if isinstance(errand.wish, lab_wishes.WhatIf):
            self._desks.sessions.what_if(errand.wish.entry)
        else:
            self._desks.lab.wanted(errand.wish)
