"""Does a tool call fit a pattern? Allowing needs the whole to fit, asking and denying any part of it."""

from __future__ import annotations

import fnmatch
import json
import os.path
import re
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from typing import Any

from workbench.registry import commands
from workbench.registry.tool import ExternalSignature, Tool

SHELL_ARGUMENTS = frozenset({"command", "commands", "cmd", "shell", "shell_command", "script", "bash"})
"""Parameters of these names hold shell text and are matched command by command."""

_WILD = re.compile(r"[*?[]")
_ESCAPED = re.compile(r"\[([*?[])\]")
_MISSING = object()


def name_fits(pattern: str, tool: Tool) -> bool:
    """Whether a name glob fits the dotted or the safe name."""
    if pattern == "*":
        return True
    fits = _glob(pattern).fullmatch
    return fits(tool.name) is not None or fits(tool.safe_name) is not None


def rule_names(pattern: str, tool: Tool, *, entirely: bool) -> bool:
    """Whether the name glob of a rule fits the tool: as `name_fits`, and without a dot by its last part too.

    So ``write_file`` is about ``files.write_file``, as it is where a model calls it. With ``entirely`` (for
    what allows) that holds for Python tools only: a server picks the names of its tools itself, and must not
    get at what was meant for another tool by taking its name.
    """
    if name_fits(pattern, tool):
        return True
    if "." in pattern or (entirely and isinstance(tool.signature, ExternalSignature)):
        return False
    return _glob(pattern).fullmatch(tool.name.rpartition(".")[2]) is not None


def arguments_fit(
    patterns: Mapping[str, str], tool: Tool, arguments: Mapping[str, Any], *, entirely: bool
) -> bool:
    """Whether every named argument fits its pattern; a left-out argument counts with its default.

    With ``entirely`` each command of a shell text, each item of a list and each spelling of a path must
    fit, and a pattern without wildcards fits just this one command (for what allows). Without it one that
    fits is enough, the command may go on behind the pattern, and unreadable shell text fits always (for
    what asks or denies).
    """
    for name, pattern in patterns.items():
        value = arguments.get(name, _MISSING)
        if value is _MISSING:
            value = tool.signature.defaults.get(name, _MISSING)
        if value is _MISSING:
            return False
        if name in SHELL_ARGUMENTS or name in tool.metadata.shell_arguments:
            fits = _shell_fits(pattern, value, entirely)
        else:
            fits = _value_fits(pattern, value, entirely)
        if not fits:
            return False
    return True


def exactly(text: str) -> str:
    """A pattern that fits this text and nothing else."""
    return re.sub(r"([*?[])", r"[\1]", text)


def as_text(value: object) -> str:
    """An argument as the text that patterns are matched against."""
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, (bool, int, float, dict)):
        return json.dumps(value, default=str, ensure_ascii=False)
    return str(value)


def _value_fits(pattern: str, value: object, entirely: bool) -> bool:
    if pattern == "*":
        return True
    if isinstance(value, (list, tuple, set, frozenset)):
        fits = [_value_fits(pattern, each, entirely) for each in value]
        return bool(fits) and (all(fits) if entirely else any(fits))
    text = as_text(value)
    if entirely:
        return all(_glob(pattern).fullmatch(each) for each in _strict_spellings(text))
    spellings = _all_spellings(text)
    return any(_glob(each).fullmatch(spelling) for each in _all_spellings(pattern) for spelling in spellings)


def _strict_spellings(text: str) -> list[str]:
    """The text, and where a path with ``..`` really leads."""
    if ".." in text.replace("\\", "/").split("/"):
        return [text, _shortest(text)]
    return [text]


def _all_spellings(text: str) -> list[str]:
    """The text, and as a path: shortened, with the home folder, and absolute."""
    if "://" in text or "\0" in text or len(text) > 4096:
        return [text]
    home = os.path.expanduser(text)  # noqa: PTH111 - a Path would keep ".."
    absolute = os.path.join(os.getcwd(), home)  # noqa: PTH109, PTH118 - Path.resolve would follow links
    return list(dict.fromkeys([text, _shortest(home), _shortest(absolute)]))


def _shortest(path: str) -> str:
    """Without ``.``, ``..`` and doubled slashes, also the two in front, which ``normpath`` keeps."""
    path = os.path.normpath(path)
    return path[1:] if path.startswith("//") else path


def _shell_fits(pattern: str, value: object, entirely: bool) -> bool:
    if pattern == "*":
        return True
    texts = _shell_texts(value)
    literal = _literal(pattern)
    if entirely and literal is not None:
        return len(texts) == 1 and commands.same(literal, texts[0])
    parsed = [commands.parse(text) for text in texts]
    if any(each is None for each in parsed):
        return not entirely
    found = [command for each in parsed for command in each or ()]
    if entirely:
        return bool(found) and all(_pattern_fits(pattern, commands.as_text(each)) for each in found)
    for command in found:
        hidden = commands.disguised(command)
        if hidden is None:
            return True
        if any(_command_fits(pattern, line) for line in (commands.as_text(command), *hidden)):
            return True
    return False


def _shell_texts(value: object) -> list[str]:
    if isinstance(value, (list, tuple)):
        # A list is one command given as words, or several commands; both are looked at as text.
        import shlex

        words = [as_text(each) for each in value]
        return words if any(each.split() != [each] for each in words[:1]) else [shlex.join(words)]
    return [as_text(value)]


def _command_fits(pattern: str, line: str) -> bool:
    """A pattern without wildcards fits a command that begins with its words."""
    literal = _literal(pattern)
    if literal is not None:
        return line == literal or line.startswith(literal + " ")
    return _pattern_fits(pattern, line)


def _pattern_fits(pattern: str, line: str) -> bool:
    """A pattern fits the whole line; ``git *`` fits ``git`` too."""
    return _glob(pattern).fullmatch(line) is not None or (
        pattern.endswith(" *") and _glob(pattern[:-2]).fullmatch(line) is not None
    )


@lru_cache(maxsize=1024)
def _literal(pattern: str) -> str | None:
    """The only text that the pattern fits, or None when it has wildcards."""
    return None if _WILD.search(_ESCAPED.sub("", pattern)) else _ESCAPED.sub(r"\1", pattern)


@lru_cache(maxsize=1024)
def _glob(pattern: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(pattern))
