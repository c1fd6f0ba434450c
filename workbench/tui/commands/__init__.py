"""The one table of commands: keys, hint line, palette, slash commands and help all come from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from textual.binding import Binding, BindingType
from textual.keys import key_to_character

from workbench.tui.commands import (
    approval,
    choosing,
    conversation,
    debugging,
    everywhere,
    fields,
    inspector,
    lab,
    lists,
    manual,
    prompt,
    question,
    sessions,
    tools,
    trace,
)
from workbench.tui.commands.chosen_keys import UNBOUND, choose_keys, with_chosen_keys
from workbench.tui.commands.command import Command, Scope
from workbench.tui.commands.synonyms import SYNONYMS

__all__ = [
    "TABLE",
    "UNBOUND",
    "Command",
    "Scope",
    "all_commands",
    "also_called",
    "binding",
    "bindings",
    "choose_keys",
    "commands",
    "hints",
    "key_character",
    "key_of",
    "key_text",
    "key_text_of",
    "labelled",
    "meant",
    "passed",
    "searched",
]

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
    *lab.ROWS,
    *sessions.ROWS,
    *debugging.ROWS,
    *fields.ROWS,
    *manual.ROWS,
)
_ROWS: Final = {row.id: row for row in TABLE}


def commands(scope: Scope) -> tuple[Command, ...]:
    """The table's rows for one scope, in the table's order, with the keys that hold.

    A command whose keys the person took away has the key ``""``.
    """
    return with_chosen_keys(command for command in TABLE if command.scope == scope)


def all_commands() -> tuple[Command, ...]:
    """All rows, with the keys that hold."""
    return with_chosen_keys(TABLE)


def bindings(scope: Scope) -> list[BindingType]:
    """Textual bindings for one scope; each carries the command's id, so that a keymap can move it."""
    return [_binding(command, command.action) for command in TABLE if command.scope == scope]


def binding(command: str, action: str = "") -> Binding:
    """The same for one command, by its id; ``action`` where it is done by another name there."""
    row = _ROWS[command]
    return _binding(row, action or row.action)


def passed(ids: Iterable[str]) -> list[BindingType]:
    """Bindings for commands of the app, on a screen that lets no others of them pass."""
    return [binding(each, f"app.{_ROWS[each].action.removeprefix('app.')}") for each in ids]


def _binding(command: Command, action: str) -> Binding:
    return Binding(
        ",".join(command.keys) or f"{UNBOUND}_{command.id}",
        action,
        command.label,
        id=command.id,
        show=False,
        tooltip=command.help,
        priority=command.priority,
    )


_KEY_NAMES: Final[dict[str, str]] = {
    "escape": "esc",
    "question_mark": "?",
    "slash": "/",
    "at": "@",
    "underscore": "_",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
}


def key_text(key: str) -> str:
    """A key as the screen shows it: ``^j``, ``esc``, ``f1``, ``shift+tab``."""
    *modifiers, last = key.split("+")
    character = key_to_character(last) or ""
    name = _KEY_NAMES.get(last, character if character.strip() and character.isprintable() else last)
    if modifiers[:1] == ["ctrl"]:
        return "^" + "+".join((*modifiers[1:], name))
    return "+".join((*modifiers, name))


def key_character(key: str) -> str | None:
    """What a key writes, None for one that writes nothing."""
    text = key_text(key)
    return key_to_character(key) or (text if len(text) == 1 else None)


def key_of(command: str) -> str:
    """The name of the first key of a command, by its id; ``""`` when it has none."""
    (row,) = with_chosen_keys([_ROWS[command]])
    return row.keys[0] if row.keys else ""


def key_text_of(command: str) -> str:
    """The same as the screen shows it."""
    return key_text(key_of(command))


def hints(scopes: Iterable[Scope]) -> list[Command]:
    """The commands for the hint line of the scopes that hold now, most useful first."""
    held = [command for scope in scopes for command in commands(scope) if command.hint and any(command.keys)]
    return sorted(held, key=lambda command: command.hint)


def labelled(held: Iterable[Command], command: str, label: str) -> list[Command]:
    """The same, one of them by another name: what its key does now."""
    return [replace(each, label=label) if each.id == command else each for each in held]


def also_called(beginning: str) -> list[Command]:
    """The slash commands that people call by another word, which begins so."""
    ids = {each for word, ids in SYNONYMS.items() if word.startswith(beginning) for each in ids}
    return [row for row in TABLE if row.slash and row.id in ids]


def meant(word: str) -> list[Command]:
    """The slash commands that a word which is none of theirs may be meant for, the likeliest first."""
    from workbench.registry.names import near_names  # with the registry, which the first frame does without

    slashes = {row.slash: row for row in TABLE if row.slash}
    rows = also_called(word.lower()) or [slashes[each] for each in near_names(word, slashes)]
    near = (row for each in near_names(word, SYNONYMS) for row in also_called(each))
    return rows or list(dict.fromkeys(near))


def searched(command: Command) -> str:
    """The words by which a person finds a command."""
    slash = f"/{command.slash}" if command.slash else ""
    other = " ".join(word for word, ids in SYNONYMS.items() if command.id in ids)
    return f"{command.label} {command.help} {slash} {command.id} {other}"
