"""What can be offered while a message is being written: slash commands, their arguments, files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from workbench.tui.commands import TABLE, Command, also_called
from workbench.tui.file_index import SHOWN, FileIndex

Arguments = Mapping[str, Callable[[], Iterable[str]]]
"""By the id of a command: what may stand behind its slash word, as it is now."""

_TELLING: Final = 3
"""Letters from which on a word tells which other word is meant."""
_MENTION: Final = re.compile(r"(?:^|(?<=[\s(\[{,;:]))@(\"[^\"\n]*|[^\s\"]*)$")
_NO_SPACE: Final = re.compile(r"\S*")


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing to take: ``text`` replaces what was typed, ``label`` is shown, ``about`` says more.

    ``runs``: Enter sends it too, since it can do with nothing behind it.
    """

    text: str
    label: str
    about: str = ""
    runs: bool = False


@dataclass(frozen=True, slots=True)
class Offers:
    """What fits the word that ends at the cursor, which begins at column ``start`` of its line.

    ``eager`` offers are taken by Enter too; the others only once the person moved among them. ``note`` is
    said while there are none.
    """

    kind: Literal["command", "argument", "file"]
    start: int
    typed: str
    items: tuple[Offer, ...]
    eager: bool = True
    note: str = ""


class Completer:
    """Offers what fits, from ``files``, None as long as they were not listed, and from what commands take."""

    def __init__(self, arguments: Arguments) -> None:
        self.files: FileIndex | None = None
        self._arguments = arguments

    def offers(self, before: str, *, first: bool) -> Offers | None:
        """What fits the end of ``before``, the line up to the cursor; ``first`` is True in the first line."""
        if first and before.startswith("/"):
            return self._slash(before)
        mention = _MENTION.search(before)
        return self._file(mention) if mention is not None else None

    def known_spans(self, line: str, *, first: bool) -> list[tuple[int, int]]:
        """Where in a line stand a command that there is, and files that there are."""
        spans = []
        if first and line.startswith("/"):
            word = _NO_SPACE.match(line[1:])
            if word is not None and any(command.slash == word[0] for command in _commands()):
                spans.append((0, word.end() + 1))
        if self.files is not None:
            spans += [(start, end) for start, end, path in mentions(line) if path in self.files]
        return spans

    def _slash(self, before: str) -> Offers | None:
        word, space, rest = before[1:].partition(" ")
        if not space:
            items = [
                Offer(
                    f"/{command.slash}" + (" " if command.takes else ""),
                    f"/{command.slash}" + (f" {command.takes}" if command.takes else ""),
                    command.help,
                    runs=not command.needs,
                )
                for command in _called(word.lower())
            ]
            exact = any(command.slash == word for command in _commands())
            note = (
                "" if items else "no such command: it is sent as it is" if "/" in word else "no such command"
            )
            return Offers("command", 0, before, tuple(items), eager=bool(word) and not exact, note=note)
        command = next((command for command in _commands() if command.slash == word), None)
        if command is None or command.id not in self._arguments or " " in rest:
            return None
        wanted = rest.lower()
        names = [name for name in self._arguments[command.id]() if wanted in name.lower() and name != rest]
        names.sort(key=lambda name: not name.lower().startswith(wanted))
        items = [Offer(name, name) for name in names[:SHOWN]]
        return Offers("argument", len(word) + 2, rest, tuple(items), eager=False) if items else None

    def _file(self, mention: re.Match[str]) -> Offers:
        typed = mention[1].removeprefix('"')
        if self.files is None:
            return Offers("file", mention.start(), mention[0], (), note="looking for files…")
        found = [path for path in self.files.matches(typed) if path != typed]
        note = "" if found or typed in self.files else "no file here fits"
        items = tuple(Offer(mention_of(path), path) for path in found)
        return Offers("file", mention.start(), mention[0], items, eager=bool(typed), note=note)


def _called(word: str) -> list[Command]:
    """The commands that begin so; where there are none, those that people also call so."""
    found = [command for command in _commands() if command.slash.startswith(word)]
    return found or (also_called(word) if len(word) >= _TELLING else [])


def _commands() -> list[Command]:
    return [command for command in TABLE if command.slash]


def mention_of(path: str) -> str:
    """How a message names a file, with a blank behind: ``@a.txt``, ``@"my notes.txt"``."""
    plain = re.fullmatch(r"[^\s\"]*[^\s\".,;:!?)\]}]", path) is not None
    return f"@{path} " if plain else f'@"{path}" '


_ANY_MENTION: Final = re.compile(r"(?:^|(?<=[\s(\[{,;:]))@(?:\"([^\"\n]+)\"|([^\s\"]+))", re.MULTILINE)


def mentions(text: str) -> list[tuple[int, int, str]]:
    """Where a text may name a file, and which: from character, to character, path.

    A full stop or the like that ends a word belongs to the sentence, not to the path.
    """
    found = []
    for match in _ANY_MENTION.finditer(text):
        path = match[1] if match[1] is not None else match[2].rstrip(".,;:!?)]}")
        if path:
            found.append((match.start(), match.start() + 1 + len(path) + 2 * (match[1] is not None), path))
    return found
