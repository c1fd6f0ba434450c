"""Finds commands for the palette: by title, by what is said about them, and by id."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from workbench.tui.commands import Command, all_commands, key_text, searched

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp

_PANELS: Final = ("prompt", "conversation", "trace", "tools")
_BY_TEXT: Final = 0.1
"""The score of a command of which only the text fits: below those whose title does."""


class CommandFinder(Provider):
    """Lists the commands of the app; a search also finds those of the panels, which go there first."""

    async def discover(self) -> Hits:
        """What is listed while nothing is typed."""
        for command in sorted(all_commands(), key=lambda row: row.label):
            if command.palette:
                yield DiscoveryHit(_title(command), partial(self._do, command), help=_help(command))

    async def search(self, query: str) -> Hits:
        """Commands whose title fits, or whose title, help, slash word or id hold every word."""
        matcher = self.matcher(query)
        words = query.lower().split()
        for command in all_commands():
            if not command.palette and command.scope not in _PANELS:
                continue
            title = _title(command)
            score = matcher.match(title) if command.palette else 0.0
            if score <= 0 and all(word in searched(command).lower() for word in words):
                score = _BY_TEXT
            if score > 0:
                yield Hit(score, matcher.highlight(title), partial(self._do, command), help=_help(command))

    async def _do(self, command: Command) -> None:
        app = cast("WorkbenchApp", self.app)
        if command.scope == "app":
            await app.run_action(command.action)
            return
        app.main.focus_panel(command.scope, then=partial(self._do_in_panel, command))

    async def _do_in_panel(self, command: Command) -> None:
        app = cast("WorkbenchApp", self.app)
        for active in app.screen.active_bindings.values():
            if active.binding.id == command.id:
                await app.run_action(active.binding.action, active.node)
                return


def _title(command: Command) -> str:
    where = "" if command.scope == "app" else f"{command.scope.capitalize()}: "
    return where + (command.label if where else command.label.capitalize())


def _help(command: Command) -> str:
    keys = "  ".join(key_text(key) for key in command.keys if key)
    return f"{command.help}   {keys}".rstrip()
