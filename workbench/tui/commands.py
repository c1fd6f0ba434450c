"""The one table of commands: keys, hint line, palette, slash commands and help all come from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from textual.binding import Binding, BindingType

Scope = Literal["app", "prompt", "conversation", "trace", "tools", "approval", "inspector"]
"""Where a command holds: everywhere, or while that panel or screen has the focus."""


@dataclass(frozen=True, slots=True)
class Command:
    """One thing that a person can do.

    ``keys`` are Textual key names, the first one is shown. ``label`` is one or two lower-case words for
    the hint line; ``help`` a sentence. ``hint`` orders the hint line (1 first; 0 is not shown there).
    ``slash`` is the word after ``/`` in the prompt, empty where there is none. ``palette`` lists it in
    the command palette. ``action`` is the Textual action that does it.
    """

    id: str
    scope: Scope
    keys: tuple[str, ...]
    action: str
    label: str
    help: str
    hint: int = 0
    slash: str = ""
    palette: bool = False
    priority: bool = False


TABLE: Final[tuple[Command, ...]] = (
    # everywhere
    Command(
        "app.stop", "app", ("escape",), "stop", "stop", "Stop the running turn.", palette=True, slash="stop"
    ),
    Command(
        "app.next_panel", "app", ("tab",), "next_panel", "next panel", "Move the focus to the next panel.", 80
    ),
    Command("app.previous_panel", "app", ("shift+tab",), "previous_panel", "previous panel", "Move it back."),
    Command("app.palette", "app", ("ctrl+p",), "command_palette", "palette", "Find any command by name.", 90),
    Command(
        "app.help",
        "app",
        ("f1",),
        "help",
        "help",
        "Show every key, grouped by where it holds.",
        91,
        "help",
        True,
    ),
    Command(
        "app.theme", "app", ("f4",), "change_theme", "theme", "Choose a theme.", slash="theme", palette=True
    ),
    Command("app.reset", "app", (), "reset", "new", "Start a new conversation.", slash="new", palette=True),
    Command(
        "app.repaint", "app", ("ctrl+l",), "repaint", "repaint", "Draw the whole screen again.", palette=True
    ),
    Command("app.quit", "app", ("ctrl+q",), "quit", "quit", "Leave Workbench.", slash="quit", palette=True),
    # prompt
    Command("prompt.send", "prompt", ("enter",), "send", "send", "Send the message.", 1),
    Command("prompt.newline", "prompt", ("ctrl+j",), "newline", "newline", "Begin a new line.", 2),
    # conversation
    Command(
        "conversation.expand", "conversation", ("enter",), "expand", "expand", "Show or fold the call.", 1
    ),
    # trace
    Command("trace.inspect", "trace", ("enter",), "inspect", "inspect", "Show all of the entry.", 1),
    Command("trace.fold", "trace", ("space",), "fold", "fold", "Fold or unfold the turn or iteration.", 2),
    Command("trace.follow", "trace", ("f",), "follow", "follow", "Keep the newest entry in view.", 3),
    # tools
    Command(
        "tools.toggle", "tools", ("space", "enter"), "toggle", "on or off", "Switch the tool or group.", 1
    ),
    Command("tools.fold", "tools", ("left", "right"), "fold", "fold", "Fold or unfold the group.", 2),
    # approval
    Command("approval.run", "approval", ("y",), "run", "run", "Run this call, go to the next undecided.", 1),
    Command(
        "approval.reject", "approval", ("n",), "reject", "reject", "Reject it, go to the next undecided.", 2
    ),
    Command("approval.edit", "approval", ("e",), "edit", "edit", "Edit the arguments as JSON.", 3),
    Command(
        "approval.reason", "approval", ("r",), "reason", "reason", "Reject with a reason for the model.", 4
    ),
    Command(
        "approval.always",
        "approval",
        ("a",),
        "always",
        "always…",
        "Remember, after showing what it covers.",
        5,
    ),
    Command("approval.run_all", "approval", ("Y",), "run_all", "all", "Run all that are undecided.", 6),
    Command(
        "approval.reject_all", "approval", ("N",), "reject_all", "none", "Reject all that are undecided.", 7
    ),
    Command(
        "approval.rest",
        "approval",
        ("escape",),
        "reject_rest",
        "reject rest",
        "Reject what is undecided, submit.",
        8,
    ),
    Command(
        "approval.stop", "approval", ("x",), "stop_turn", "stop", "Reject everything and stop the turn.", 9
    ),
    Command(
        "approval.submit", "approval", ("enter",), "submit", "submit", "Submit once every call has a verdict."
    ),
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
            priority=command.priority,
            tooltip=command.help,
        )
        for command in commands(scope)
        if command.keys
    ]


_KEY_NAMES: Final[dict[str, str]] = {"escape": "esc", "question_mark": "?", "slash": "/", "at": "@"}


def key_text(key: str) -> str:
    """A key as the screen shows it: ``^j``, ``esc``, ``f1``, ``shift+tab``."""
    if key.startswith("ctrl+"):
        return "^" + key.removeprefix("ctrl+")
    return _KEY_NAMES.get(key, key)


def hints(scopes: Iterable[Scope]) -> list[Command]:
    """The commands for the hint line of the scopes that hold now, most useful first."""
    held = [command for scope in scopes for command in commands(scope) if command.hint]
    return sorted(held, key=lambda command: command.hint)
