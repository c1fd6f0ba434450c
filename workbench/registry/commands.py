"""Reads shell text well enough to name every command in it, and says so when it cannot.

This is not a shell. It is the cautious half of one: whatever it does not understand is reported as
unreadable, and the caller then takes the careful side.
"""

from __future__ import annotations

import shlex
from functools import lru_cache
from pathlib import PurePosixPath

_DEEPEST = 20
_BLANKS = " \t"
_ENDS = ";&|\n"
_KEYWORDS = frozenset(
    {"if", "then", "else", "elif", "while", "until", "do", "!", "{", "time", "coproc", "case"}
)
_WRAPPERS = frozenset(
    {
        *(
            "builtin",
            "busybox",
            "chroot",
            "command",
            "doas",
            "env",
            "exec",
            "find",
            "flock",
            "ionice",
            "nice",
        ),
        *("nohup", "parallel", "setsid", "ssh", "stdbuf", "strace", "sudo", "su", "time", "timeout", "watch"),
        *("xargs", "unshare"),
    }
)
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "eval"})
_HARMLESS_TARGETS = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})

Command = tuple[str, ...]
"""The words of one simple command, quotes removed; a redirection is a command ``(">", target)``."""


@lru_cache(maxsize=512)
def parse(text: str) -> tuple[Command, ...] | None:
    """Every simple command in the text, also in ``$(…)``, backticks, subshells and pipes.

    None when the text cannot be read with certainty: unbalanced quotes or brackets, here-documents,
    ``$'…'``, or nesting that is too deep.
    """
    reader = _Reader(text)
    try:
        reader.read(closing="", depth=0)
    except _UnreadableError:
        return None
    return tuple(reader.commands)


def as_text(command: Command) -> str:
    """One command as a line to match patterns against; a blank inside the program's name stays quoted."""
    program, *words = command
    return " ".join([shlex.quote(program) if program.split() != [program] else program, *words])


@lru_cache(maxsize=512)
def disguised(command: Command) -> tuple[str, ...]:
    """Other commands that this one may really run: behind ``sudo``, ``env X=1``, ``/bin/``, ``sh -c``."""
    found: list[str] = []
    words = list(command)
    while words and (words[0] in _KEYWORDS or _is_assignment(words[0])):
        words.pop(0)
    if not words:
        return ()
    program = PurePosixPath(words[0]).name
    found.append(as_text((program, *words[1:])))
    if program in _WRAPPERS:
        for start in range(1, len(words)):
            found.extend(disguised((PurePosixPath(words[start]).name, *words[start + 1 :])))
    if program in _SHELLS:
        for text in (*words[1:], " ".join(words[1:])):
            for inner in parse(text) or ():
                if inner != command:
                    found.extend(disguised(inner))
    return tuple(dict.fromkeys(found))


class _UnreadableError(Exception):
    pass


class _Reader:
    """Walks over shell text once and collects its commands."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.commands: list[Command] = []

    def read(self, closing: str, depth: int) -> None:
        """Read commands up to ``closing`` (a bracket, or the end for an empty text)."""
        if depth > _DEEPEST:
            raise _UnreadableError
        line = _Line(self.commands)
        while self.position < len(self.text):
            here = self.text[self.position]
            if here == closing:
                self.position += 1
                line.end_command()
                return
            self.position += 1
            self._take(here, line, depth)
        if closing:
            raise _UnreadableError
        line.end_command()

    def _take(self, here: str, line: _Line, depth: int) -> None:
        if here in _BLANKS:
            line.end_word()
        elif here in _ENDS and not (here == "&" and self._peek() == ">"):
            line.end_command()
        elif here == "#" and line.word is None:
            end = self.text.find("\n", self.position)
            self.position = len(self.text) if end < 0 else end
        elif here in "<>" and self._peek() == "(":
            self.position += 1
            line.add("<()")
            self.read(")", depth + 1)
        elif here in "<>&":
            self._redirect(here, line)
        elif here == "(":
            line.end_command()
            self.read(")", depth + 1)
        elif here == ")":
            raise _UnreadableError
        elif here == "'":
            line.add(self._until("'"))
        elif here == '"':
            self._double_quoted(line, depth)
        elif here == "\\":
            following = self._next()
            if following != "\n":
                line.add(following)
        else:
            self._plain(here, line, depth)

    def _plain(self, here: str, line: _Line, depth: int) -> None:
        """A character that means the same inside and outside of double quotes."""
        if here == "$" and self._peek() == "(":
            self.position += 1
            line.add("$()")
            self.read(")", depth + 1)
        elif here == "$" and self._peek() == "'":
            raise _UnreadableError
        elif here == "`":
            line.add("$()")
            inner = parse(self._backticked())
            if inner is None:
                raise _UnreadableError
            self.commands.extend(inner)
        else:
            line.add(here)

    def _double_quoted(self, line: _Line, depth: int) -> None:
        line.add("")
        while (here := self._next()) != '"':
            if here == "\\":
                following = self._next()
                line.add(following if following in '$`"\\' else "" if following == "\n" else "\\" + following)
            elif here == "$" and self._peek() == "'":
                line.add(here)
            else:
                self._plain(here, line, depth)

    def _redirect(self, here: str, line: _Line) -> None:
        if here == "<" and self._peek() == "<":
            raise _UnreadableError
        line.begin_redirection("<" if here == "<" else ">")
        while self._peek() in (">", "|", "&"):
            self.position += 1

    def _backticked(self) -> str:
        inner = ""
        while (here := self._next()) != "`":
            inner += self._next() if here == "\\" else here
        return inner

    def _until(self, end: str) -> str:
        found = self.text.find(end, self.position)
        if found < 0:
            raise _UnreadableError
        part = self.text[self.position : found]
        self.position = found + 1
        return part

    def _next(self) -> str:
        if self.position >= len(self.text):
            raise _UnreadableError
        self.position += 1
        return self.text[self.position - 1]

    def _peek(self) -> str:
        return self.text[self.position : self.position + 1]


class _Line:
    """The words of the command that is being read."""

    def __init__(self, commands: list[Command]) -> None:
        self.word: str | None = None
        self._words: list[str] = []
        self._commands = commands
        self._redirection: str | None = None

    def add(self, text: str) -> None:
        self.word = (self.word or "") + text

    def begin_redirection(self, sign: str) -> None:
        if self.word is not None and self.word.isdigit():
            self.word = None  # the number of a file descriptor
        self.end_word()
        self._redirection = sign

    def end_word(self) -> None:
        if self.word is None:
            return
        if self._redirection is None:
            self._words.append(self.word)
        elif not (self.word.isdigit() or self.word == "-" or self.word in _HARMLESS_TARGETS):
            self._commands.append((self._redirection, self.word))
        self._redirection = None
        self.word = None

    def end_command(self) -> None:
        self.end_word()
        if self._words:
            self._commands.append(tuple(self._words))
        self._words = []
        self._redirection = None


def _is_assignment(word: str) -> bool:
    name, sign, _ = word.partition("=")
    return bool(sign) and name.rstrip("+").isidentifier()
