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
_PATTERNS = "*?[{"
"""Characters that make the shell put other words in a word's place, where they are not quoted."""
_PATTERN_WORDS = frozenset({"[", "[[", "{", "{}"})
"""Words with such a character that stand for themselves."""
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
_FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_OPERAND_FIRST = frozenset({"chroot", "flock", "parallel", "ssh", "su", "unshare", "watch"})
"""Wrappers with words of their own in front of the command."""
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "eval"})
_TEXT_TAKERS = _SHELLS | {"su", "script", "trap", "ssh", "watch", "flock", "parallel", "env"}
"""Programs that have a shell run what is in one of their words."""
_HARMLESS_TARGETS = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})
_FILLING = frozenset("$`*?[{~!")
"""Characters that make the shell put something else in a word's place, unless they are quoted."""

Command = tuple[str, ...]
"""The words of one simple command, quotes removed; a redirection is a command ``(">", target)``."""


@lru_cache(maxsize=512)
def parse(text: str) -> tuple[Command, ...] | None:
    """Every simple command in the text, also in ``$(…)``, backticks, subshells and pipes.

    None when the text cannot be read with certainty: unbalanced quotes or brackets, here-documents,
    ``$'…'``, nesting that is too deep, or a program whose name only the shell will know: ``$A x``.
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


def same(text: str, other: str) -> bool:
    """Whether both texts are one and the same command: the same words in the same order, however quoted.

    Texts of several commands, and those in which the shell may fill something in, are the same only where
    they are equal letter by letter.
    """
    if text == other:
        return True
    words = _fixed_words(text)
    return words is not None and words == _fixed_words(other)


def _fixed_words(text: str) -> Command | None:
    """The words of the only command in the text, if they stand for nothing but themselves."""
    found = None if _FILLING.intersection(text) else parse(text)
    if found is None or len(found) != 1:
        return None
    (command,) = found
    return None if command[0] in _KEYWORDS or _is_assignment(command[0]) else command


@lru_cache(maxsize=512)
def disguised(command: Command) -> tuple[str, ...] | None:
    """Other commands that this one may really run: behind ``sudo``, ``env X=1``, ``/bin/``, ``sh -c``.

    None when the text that a shell is given cannot be read with certainty.
    """
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
            behind = disguised((PurePosixPath(words[start]).name, *words[start + 1 :]))
            if behind is None:
                return None
            found.extend(behind)
    if program in _TEXT_TAKERS:
        joined = parse(" ".join(words[1:])) or ()
        texts = [parse(text) for text in words[1:]]
        for inner in (*joined, *(each for text in texts for each in text or ())):
            if inner != command:
                within = disguised(inner)
                if within is None:
                    return None
                found.extend(within)
        if None in texts:
            return None
    return tuple(dict.fromkeys(found))


def _is_unknown(words: list[str], unsure: set[int]) -> bool:
    """Whether the program that runs stands in one of the ``unsure`` words, which the shell fills in."""
    at = 0
    while at < len(words) and (words[at] in _KEYWORDS or _is_assignment(words[at])):
        at += 1
    if at == len(words) or at in unsure:
        return at in unsure
    program = PurePosixPath(words[at]).name
    if program in _SHELLS or program in _OPERAND_FIRST:
        return any(each > at for each in unsure)
    if program == "find":
        starts = [index + 1 for index in range(at, len(words)) if words[index] in _FIND_RUNS]
        return any(_is_unknown(words[start:], {each - start for each in unsure}) for start in starts)
    if program not in _WRAPPERS:
        return False
    behind_option = False
    for index in range(at + 1, len(words)):
        if index in unsure:
            return True
        word = words[index]
        is_option = word.startswith("-")
        if not (is_option or behind_option or _is_assignment(word) or word[:1].isdigit()):
            return _is_unknown(words[index:], {each - index for each in unsure})
        behind_option = is_option
    return False


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
            line.add("<()", unsure=True)
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
            line.unsure = line.unsure or here in _PATTERNS

    def _plain(self, here: str, line: _Line, depth: int) -> None:
        """A character that means the same inside and outside of double quotes."""
        if here == "$" and self._peek() == "(":
            self.position += 1
            line.add("$()", unsure=True)
            self.read(")", depth + 1)
        elif here == "$" and self._peek() == "'":
            raise _UnreadableError
        elif here == "`":
            line.add("$()", unsure=True)
            inner = parse(self._backticked())
            if inner is None:
                raise _UnreadableError
            self.commands.extend(inner)
        else:
            line.add(here, unsure=here == "$")

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
        reads = here == "<" and self._peek() != ">"
        line.begin_redirection("<" if reads else ">")
        while (following := self._peek()) in (">", "|", "&"):
            self.position += 1
            line.duplicates = line.duplicates or (following == "&" and here != "&")

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
        self.unsure = False
        """Whether the shell puts something else in the place of a part of the word."""
        self._unsure: set[int] = set()
        self._words: list[str] = []
        self._commands = commands
        self._redirection: str | None = None
        self.duplicates = False
        """Whether the redirection is to a file descriptor, as in ``2>&1``, if a number follows."""

    def add(self, text: str, *, unsure: bool = False) -> None:
        self.word = (self.word or "") + text
        self.unsure = self.unsure or unsure

    def begin_redirection(self, sign: str) -> None:
        if self.word is not None and self.word.isdigit():
            self.word = None  # the number of a file descriptor
        self.end_word()
        self._redirection, self.duplicates = sign, False

    def end_word(self) -> None:
        if self.word is None:
            return
        if self._redirection is None:
            if self.unsure and self.word not in _PATTERN_WORDS:
                self._unsure.add(len(self._words))
            self._words.append(self.word)
        elif not (self._is_descriptor(self.word) or self.word in _HARMLESS_TARGETS):
            self._commands.append((self._redirection, self.word))
        self._redirection = None
        self.word = None
        self.unsure = False

    def _is_descriptor(self, word: str) -> bool:
        return self.duplicates and (word.isdigit() or word == "-")

    def end_command(self) -> None:
        self.end_word()
        if self._words:
            if _is_unknown(self._words, self._unsure):
                raise _UnreadableError
            self._commands.append(tuple(self._words))
        self._words = []
        self._unsure = set()
        self._redirection = None


def _is_assignment(word: str) -> bool:
    name, sign, _ = word.partition("=")
    return bool(sign) and name.rstrip("+").isidentifier()
