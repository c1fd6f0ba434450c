"""The one table of commands: keys, hint line, palette, slash commands and help all come from it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from textual.binding import Binding, BindingType

from workbench.tui.commands import (
    approval,
    choosing,
    conversation,
    everywhere,
    inspector,
    lists,
    manual,
    prompt,
    question,
    tools,
    trace,
)
from workbench.tui.commands.command import Command, Scope

__all__ = ["TABLE", "Command", "Scope", "bindings", "commands", "hints", "key_text"]

TABLE: Final[tuple[Command, ...]] = (
    *everywhere.ROWS,
    *prompt.ROWS,
    *conversation.ROWS,
    *lists.ROWS,
    *trace.ROWS,
    *tools.ROWS,
    *approval.ROWS,
    *question.ROWS,
    *inspector.ROWS,
    *choosing.ROWS,
    *manual.ROWS,
)


def commands(scope: Scope) -> tuple[Command, ...]:
    """The table's rows for one scope, in the table's order."""
    return tuple(command for command in TABLE if command.scope == scope)


def bindings(scope: Scope) -> list[BindingType]:
    """Textual bindings for one scope; each carries the command's id, so that a keymap can move it."""
    return [
        Binding(
            ",".join(command.keys),
            command.action,
            command.label,
            id=command.id,
            show=False,
            tooltip=command.help,
            priority=command.priority,
        )
        for command in commands(scope)
        if command.keys
    ]


_KEY_NAMES: Final[dict[str, str]] = {
    "escape": "esc",
    "question_mark": "?",
    "slash": "/",
    "at": "@",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
}


def key_text(key: str) -> str:
    """A key as the screen shows it: ``^j``, ``esc``, ``f1``, ``shift+tab``."""
    if key.startswith("ctrl+"):
        return "^" + key.removeprefix("ctrl+")
    return _KEY_NAMES.get(key, key)


def hints(scopes: Iterable[Scope]) -> list[Command]:
    """The commands for the hint line of the scopes that hold now, most useful first."""
    held = [command for scope in scopes for command in commands(scope) if command.hint]
    return sorted(held, key=lambda command: command.hint)
