"""Writes one setting into the user's own ``config.yaml`` and leaves everything else there as it is."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from workbench.errors import ConfigError
from workbench.whole_file import locked_folder, replace_file


def keep_setting(file: Path, key: str, value: str) -> None:
    """Let ``key: value`` stand in the file, which is made if it is missing; comments and order stay.

    Raises ConfigError, with the file unchanged, where that cannot be done.
    """
    line = yaml.safe_dump({key: value}, allow_unicode=True).strip()
    try:
        with locked_folder(file.parent):
            before = file.read_text(encoding="utf-8") if file.exists() else ""
            after = _with_line(before, key, line)
            done = _read(after) == {**_read(before), key: value}
            if done:
                replace_file(file.resolve(), after)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{line!r} could not be kept: {error}", hint=f"Write it into {file}.") from error
    if not done:
        raise ConfigError(f"{line!r} could not be kept", hint=f"Write it into {file}.")


def _with_line(text: str, key: str, line: str) -> str:
    found = re.compile(rf"^{re.escape(key)}[ \t]*:.*$", re.MULTILINE)
    if found.search(text):
        return found.sub(lambda _: line, text, count=1)
    return f"{text.rstrip()}\n{line}\n" if text.strip() else f"{line}\n"


def _read(text: str) -> dict[object, object]:
    data = yaml.safe_load(text)
    return data if isinstance(data, dict) else {}
