"""The project's files as they were last listed, and which of them fit what is being typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

SHOWN: Final = 50
"""So many of the files that fit are given, the best first."""


class FileIndex:
    """Paths in the order in which they shall be offered. Looking one up costs little with 100,000 there."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = tuple(paths)
        # a slash before each makes the beginning of a name one text to look for
        self._lower = tuple(f"/{path.lower()}" for path in self._paths)
        self._known = frozenset(self._paths)
        # what fitted the last text: whoever types on looks only among these
        self._last: tuple[str, Sequence[int]] = ("", range(len(self._paths)))

    def __contains__(self, path: str) -> bool:
        return path in self._known

    def __len__(self) -> int:
        return len(self._paths)

    def matches(self, text: str) -> list[str]:
        """The files that fit: first whose name or folder begins with the text, then those that hold it,
        then those that hold its characters in this order.
        """
        wanted = text.lower()
        before, among = self._last
        if not wanted.startswith(before):
            among = range(len(self._paths))
        fitting = self._holding(wanted, among)
        self._last = (wanted, fitting)
        best = dict.fromkeys(islice(self._ranked(wanted, fitting), SHOWN))
        return [self._paths[at] for at in best]

    def _holding(self, wanted: str, among: Sequence[int]) -> Sequence[int]:
        """Those that hold the characters in this order, which all others do that fit at all."""
        if not wanted:
            return among
        lower = self._lower
        if len(wanted) == 1:
            return [at for at in among if wanted in lower[at]]
        # each character at its first place, and never another try: the keys wait for this
        fits = re.compile("".join(f"[^{each}]*+{each}" for each in map(re.escape, wanted))).match
        return [at for at in among if fits(lower[at])]

    def _ranked(self, wanted: str, fitting: Sequence[int]) -> Iterator[int]:
        lower, start = self._lower, f"/{wanted}"
        yield from (at for at in fitting if start in lower[at])
        yield from (at for at in fitting if wanted in lower[at])
        yield from fitting
