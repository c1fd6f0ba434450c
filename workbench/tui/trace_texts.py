"""What is said in the entries of a trace, kept so that a word is found in all of them at once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from operator import attrgetter
from reprlib import Repr
from typing import Any, Final

from workbench.tui.trace_records import OPEN, Entry

_BLOCK: Final = 500
"""Entries whose texts lie together."""

_LONGEST: Final = 400
"""Characters that are kept of each argument, result and error."""

_BETWEEN: Final = "\0"
"""Stands between the texts of two entries of a block; nobody can type it."""

_SAID: Final = ("error", "result", "content", "model")
_PLAIN: Final = (int, float, bool)
_serial = attrgetter("serial")


class TraceTexts:
    """The texts of ``flat``, all entries in the order in which they came up, in lower case.

    The texts of a block of entries are put together once the last of them has ended; ``keep_up`` does so
    for what has ended since, and its cost does not depend on how long the trace is. Entries of a block
    that is not together yet are read when they are asked for.
    """

    def __init__(self, flat: Sequence[Entry]) -> None:
        self._flat = flat
        self._blocks: dict[int, bytes] = {}
        self._begun: dict[int, int] = {}
        self._reached = 0

    def keep_up(self) -> None:
        """Put the texts of blocks together whose entries have all ended."""
        while self._reached + _BLOCK <= len(self._flat):
            self._begun[self._reached // _BLOCK] = self._reached
            self._reached += _BLOCK
        for block in [block for block, place in self._begun.items() if ended(self._flat[place])]:
            self._try(block)

    def changed(self, entry: Entry) -> None:
        """What is said in an entry is another thing than before."""
        block = bisect_left(self._flat, entry.serial, key=_serial) // _BLOCK
        if self._blocks.pop(block, None) is not None:
            self._begun[block] = block * _BLOCK

    def empty(self) -> None:
        """There are no entries any more."""
        self._blocks.clear()
        self._begun.clear()
        self._reached = 0

    def holding(self, word: str, start: int, stop: int) -> set[int]:
        """The serials of the entries ``start`` to ``stop`` of the trace in which a word is said.

        The word is in lower case.
        """
        found: set[int] = set()
        sought = _encoded(word)
        for first in range(start - start % _BLOCK, stop, _BLOCK):
            low, high = max(first, start), min(first + _BLOCK, stop)
            entries = self._flat[low:high]
            block = self._blocks.get(first // _BLOCK)
            if block is None:
                found.update([entry.serial for entry in entries if word in text_of(entry).lower()])
            elif sought in block:
                texts = block.split(_encoded(_BETWEEN))[low - first : high - first]
                pairs = zip(entries, texts, strict=True)
                found.update([entry.serial for entry, text in pairs if sought in text])
        return found

    def _try(self, block: int) -> None:
        """Put a block together, or note which of its entries is the first that has not ended."""
        entries = self._flat[block * _BLOCK : (block + 1) * _BLOCK]
        for place in range(self._begun[block] - block * _BLOCK, _BLOCK):
            if not ended(entries[place]):
                self._begun[block] = block * _BLOCK + place
                return
        del self._begun[block]
        texts = list(map(text_of, entries))
        together = _BETWEEN.join(texts)
        if together.count(_BETWEEN) >= _BLOCK:
            together = _BETWEEN.join(text.replace(_BETWEEN, " ") for text in texts)
        self._blocks[block] = _encoded(together.lower())


def ended(entry: Entry) -> bool:
    """Whether nothing more is going to happen to an entry by itself."""
    if entry.data:
        return True
    if entry.kind == "you":
        return entry.state != "waiting"
    return entry.state not in OPEN and not entry.iteration.turn.live


def text_of(entry: Entry) -> str:
    """What words are looked for in: the beginning of each text that the entry holds."""
    parts = [entry.name]
    if entry.detail:
        parts.append(entry.detail)
    for value in entry.arguments.values():
        beginning = value[:_LONGEST] if type(value) is str else _beginning(value)
        parts.append(beginning)
    if entry.data:
        said = entry.data.get
        for key in _SAID:
            value = said(key)
            if value:
                parts.append(value[:_LONGEST] if type(value) is str else _beginning(value))
    return "\n".join(parts)


class _Short(Repr):
    """Writes the beginning of a value out, however large it is."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxdict = self.maxlist = self.maxtuple = self.maxset = 40
        self.maxstring = self.maxother = self.maxlong = _LONGEST


_SHORT: Final = _Short()


def _beginning(value: Any) -> str:
    return str(value) if type(value) in _PLAIN or value is None else _SHORT.repr(value)[:_LONGEST]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
