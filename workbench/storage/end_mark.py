"""The last line of a session file: how many turns it holds, so that nobody has to count them."""

from __future__ import annotations

import os
import re
from typing import Final

from workbench.storage import private_file

PREFIX: Final = b"# turns: "
LONGEST: Final = 64
"""Bytes of the longest mark."""

_MARK: Final = re.compile(rb"^# turns: (\d{1,15}), bytes: (\d{1,20})\n\Z", re.MULTILINE)


def append_marked(descriptor: int, data: bytes, turns: int) -> None:
    """Append ``data``, after which the file holds so many turns, and say so. Raises ``OSError``."""
    at = os.fstat(descriptor).st_size + len(data)
    private_file.append(descriptor, b"%b%b%d, bytes: %d\n" % (data, PREFIX, turns, at))


def is_torn(tail: bytes) -> bool:
    """Whether these bytes at the end of a file are the beginning of a mark: no turn is lost with them."""
    return bool(tail) and not tail.endswith(b"\n") and PREFIX.startswith(tail[: len(PREFIX)])


def marked_turns(tail: bytes, size: int) -> int | None:
    """The number of turns that the end of a file of this ``size`` tells; None if it was changed since."""
    found = _MARK.search(tail)
    at = size - len(tail) + found.start() if found is not None else -1
    return int(found[1]) if found is not None and int(found[2]) == at else None
