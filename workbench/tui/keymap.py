"""The keys of the person's own: what of a ``keymap`` setting can be had, and what is wrong with the rest."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from textual.keys import KEY_ALIASES, KEY_NAME_REPLACEMENTS, Keys, key_to_character

from workbench.tui.commands import TABLE, UNBOUND, Command, Scope, key_text

NONE: Final = "none"
"""The word that takes a command's keys away."""

_MODIFIERS: Final = ("ctrl", "alt", "shift", "super", "hyper", "meta")
_WRITING: Final[frozenset[Scope]] = frozenset(
    {
        "app",
        "prompt",
        "history",
        "earlier",
        "models",
        "themes",
        "help",
        "field",
        "filter",
        "values",
        "question",
        "edit",
        "form",
        "save_test",
        "what_if",
        "always",
    }
)
"""Where characters are text that is being written."""

_BESIDE_APP: Final[frozenset[Scope]] = frozenset(
    {"prompt", "conversation", "list", "trace", "tools", "approval", "pause"}
)
"""Where keys of the whole app hold too."""
_NAMES: Final = frozenset(
    name for key in Keys if "+" not in (name := key.value) and not name.startswith("<")
) | frozenset(KEY_NAME_REPLACEMENTS.values())


@dataclass(frozen=True, slots=True)
class Keymap:
    """``keys`` are those that were accepted, by command id; ``problems`` say what was not, and why."""

    keys: Mapping[str, tuple[str, ...]]
    problems: tuple[str, ...]

    @property
    def for_textual(self) -> dict[str, str]:
        """As `App.set_keymap` takes it."""
        return {name: ",".join(keys) or UNBOUND for name, keys in self.keys.items()}


def read_keymap(setting: Mapping[str, object], rows: Sequence[Command] = TABLE) -> Keymap:
    """Check a setting: command ids to a key, a list of keys, or ``none``.

    What is wrong leaves the command with the keys that it has; all the rest holds.
    """
    known = {row.id: row for row in rows}
    keys: dict[str, tuple[str, ...]] = {}
    problems: list[str] = []
    for name, value in setting.items():
        row = known.get(name)
        if row is None:
            problems.append(f"there is no command {name}{_near(str(name), known)}")
            continue
        try:
            keys[name] = _keys(value, row)
        except ValueError as error:
            problems.append(f"{name}: {error}")
    while (clash := _clash(rows, keys)) is not None:
        name, problem = clash
        del keys[name]
        problems.append(problem)
    return Keymap(keys, tuple(problems))


def _keys(value: object, row: Command) -> tuple[str, ...]:
    if value is None or value == NONE:
        return ()
    texts = value if isinstance(value, list) else [value]
    return tuple(_key(str(text).strip(), row) for text in texts)


def _key(text: str, row: Command) -> str:
    """The key as Textual names it. Raises ValueError that says what is wrong."""
    *modifiers, last = text.split("+") if len(text) > 1 else (text,)
    wrong = [each for each in modifiers if each not in _MODIFIERS]
    if len(last) == 1:
        name = _character_name(last)
    else:
        name = next((key for key, aliases in KEY_ALIASES.items() if last in aliases), last)
        if name not in _NAMES and key_to_character(name) is None:
            wrong.append(last)
    if wrong or not last:
        raise ValueError(f"there is no key {text}{_near(last, _NAMES)}")
    key = "+".join((*modifiers, name))
    writes = (key_to_character(key) or "").isprintable() and key_to_character(key) is not None
    if writes and row.scope in _WRITING and not modifiers:
        raise ValueError(f"{text} writes a character there, so it cannot be a key")
    return key


def _character_name(character: str) -> str:
    """``?`` is ``question_mark``; letters and digits are their own names."""
    if character.isalnum():
        return character
    name = unicodedata.name(character, "").lower().replace("-", "_").replace(" ", "_")
    return KEY_NAME_REPLACEMENTS.get(name, name)


def _near(word: str, known: Mapping[str, object] | frozenset[str]) -> str:
    near = difflib.get_close_matches(word, known, n=3, cutoff=0.6)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _clash(rows: Sequence[Command], keys: Mapping[str, tuple[str, ...]]) -> tuple[str, str] | None:
    """The last command of the setting whose key another one has in the same place, and what to say of it."""
    known = {row.id: row for row in rows}
    for name in reversed(list(keys)):
        row = known[name]
        for other in rows:
            if other is row or not _meet(row, other):
                continue
            for key in keys[name]:
                if key in keys.get(other.id, other.keys) and not _shared_before(row, other):
                    where = f" ({other.scope})" if other.scope != row.scope else ""
                    return name, (
                        f"{name}: {key_text(key)} is the key of {other.id}{where} already; "
                        f"{name} keeps {_shown(row.keys)}"
                    )
    return None


def _meet(one: Command, other: Command) -> bool:
    """Whether both can be meant by a key at one moment."""
    scopes = {one.scope, other.scope}
    return (
        len(scopes) == 1
        or any(each.priority and each.scope == "app" for each in (one, other))
        or ("app" in scopes and bool(scopes & _BESIDE_APP))
        or ("list" in scopes and bool(scopes & {"trace", "tools"}))
    )


def _shared_before(one: Command, other: Command) -> bool:
    """Commands that share a key by the table are meant at different times, or one goes first."""
    return bool(set(one.keys) & set(other.keys))


def _shown(keys: Sequence[str]) -> str:
    return " and ".join(map(key_text, keys)) or "none"
