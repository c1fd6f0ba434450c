"""A pasted text that is the path of a picture, as terminals write it when a file is dropped on them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from workbench.tui.attachments import is_image
from workbench.tui.completion import mention_of

_ENDINGS: Final = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_LONGEST: Final = 4_096
_ENDS: Final = re.compile(r"[\"']?\s*$")


def may_be_image(pasted: str) -> bool:
    """Whether it looks like one path of a picture; nothing is read."""
    text = pasted.strip()
    return len(text) <= _LONGEST and "\n" not in text and _ENDS.sub("", text).lower().endswith(_ENDINGS)


def mention_of_pasted(pasted: str, root: Path) -> str | None:
    """How a message names the picture whose path was pasted; None if there is no such picture.

    Paths start at ``root``, and those inside it are written from there. Reads the file's first bytes.
    """
    for written in _readings(pasted.strip()):
        try:
            place = root / Path(written).expanduser()
            if not place.is_file() or not is_image(place):
                continue
        except (OSError, ValueError, RuntimeError):  # a NUL in the path, a home that nobody has
            continue
        path = str(place.relative_to(root)) if place.is_relative_to(root) else str(place)
        if '"' not in path:
            return mention_of(path)
    return None


def _readings(text: str) -> list[str]:
    """The path that is meant, as it may be written: plain, in quotes, with backslashes, as an address."""
    if text.lower().startswith("file://"):
        try:
            return [unquote(urlsplit(text).path)]
        except ValueError:  # it only begins like an address
            return []
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    return [text, *(words if len(words) == 1 else [])]
