"""What a person types to narrow the trace: ``tool:search status:error >200ms text``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import compress
from typing import Final, TypeAlias, get_args

from workbench.tui.trace_records import Entry, State

Holding: TypeAlias = Callable[[str], AbstractSet[int]]
"""Gives the serials of those entries being looked at in which a word, in lower case, is said."""

Sieve: TypeAlias = Callable[[list[Entry], Holding], list[bool]]
"""Tells of each entry whether it fits."""

KEYS: Final = ("tool:", "status:", "kind:", "agent:", "turn:")
STATUSES: Final[tuple[str, ...]] = get_args(State)
KINDS: Final = ("llm", "tool", "you")

_VALUES: Final = {"status": STATUSES, "kind": KINDS}
_UNITS: Final = {"ms": 1.0, "s": 1_000.0, "m": 60_000.0, "": 1.0}
_TIME: Final = re.compile(r"([<>])(\d+(?:\.\d+)?)(ms|s|m|)")
_WORD: Final = re.compile(r'-?\w+:"[^"]*"?|-?"[^"]*"?|\S+')


@dataclass(frozen=True, slots=True)
class Query:
    """Terms that all have to fit. ``problem`` says which of them means nothing, empty if each does."""

    sieves: tuple[Sieve, ...] = ()
    problem: str = ""
    words: tuple[str, ...] = field(default=(), compare=False)

    def keep(self, entries: Sequence[Entry], holding: Holding) -> list[Entry]:
        """The entries that fit, in their order."""
        found = list(entries)
        for sieve in self.sieves:
            found = list(compress(found, sieve(found, holding)))
        return found


def parse(text: str) -> Query:
    """The query that a text stands for.

    ``tool: status: kind: agent: turn:`` narrow by field (the beginning of a status is enough), ``>200ms``
    and ``<1s`` by time, any other word by what is said in names, arguments, results and errors. ``-``
    before a term turns it round; quotes hold words together.
    """
    sieves: list[Sieve] = []
    words: list[str] = []
    problem = ""
    for term in _WORD.findall(text):
        negative = term.startswith("-") and len(term) > 1
        bare = term[negative:].lower()
        if bare in KEYS or bare in ("<", ">", '"'):
            continue  # it is still being typed
        sieve = _sieve(bare)
        if sieve is None:
            problem = problem or f"no {bare.replace(':', ' ')}"
            continue
        if ":" not in bare and not _TIME.fullmatch(bare):
            words.append(bare.strip('"'))
        sieves.append(_not(sieve) if negative else sieve)
    return Query(tuple(sieves), problem, tuple(words))


def completions(text: str, tools: Iterable[str], agents: Iterable[str] = ()) -> list[str]:
    """The text with its last term completed to a field, or to a value of the field that it names."""
    head, blank, last = text.rpartition(" ")
    sign = "-" if last.startswith("-") else ""
    term = last.removeprefix("-").lower()
    key, colon, value = term.partition(":")
    begun, choices = term, list(KEYS)
    if colon:
        values: Iterable[str] = ()
        if key == "tool":
            names = sorted(tools)
            values = dict.fromkeys([*names, *sorted(name.rpartition(".")[2] for name in names)])
        elif key == "agent":
            values = sorted(agents)
        elif key in _VALUES:
            values = sorted(_VALUES[key])
        begun = value.strip('"')
        choices = [each for each in values if each.lower() != begun]
    fitting = [each for each in choices if each.lower().startswith(begun)]
    return [f"{head}{blank}{sign}{key + colon + _quoted(each) if colon else each}" for each in fitting]


def _quoted(value: str) -> str:
    return f'"{value}"' if " " in value else value


def _sieve(term: str) -> Sieve | None:
    time = _TIME.fullmatch(term)
    if time is not None:
        return _by_time(time[1] == ">", float(time[2]) * _UNITS[time[3]])
    key, colon, value = term.partition(":")
    if not colon or key + ":" not in KEYS:
        return _by_word(term.strip('"'))
    value = value.strip('"')
    if key == "tool":
        return _by_name(value)
    if key == "agent":
        return lambda entries, _: [value in entry.iteration.turn.agent.lower() for entry in entries]
    if key == "turn":
        return _by_turn(int(value)) if value.isdecimal() else None
    if key == "kind":
        return (lambda entries, _: [entry.kind == value for entry in entries]) if value in KINDS else None
    states = frozenset(state for state in STATUSES if state.startswith(value))
    return (lambda entries, _: [entry.state in states for entry in entries]) if states else None


def _by_time(longer: bool, limit: float) -> Sieve:
    if longer:
        return lambda entries, _: [(ms := entry.ms) is not None and ms > limit for entry in entries]
    return lambda entries, _: [(ms := entry.ms) is not None and ms < limit for entry in entries]


def _by_turn(number: int) -> Sieve:
    return lambda entries, _: [entry.iteration.turn.root.number == number for entry in entries]


def _by_name(value: str) -> Sieve:
    names = _Names(value)
    return lambda entries, _: [names[entry.name] and entry.kind == "tool" for entry in entries]


class _Names(dict[str, bool]):
    """Whether a name holds the value, worked out once for each."""

    def __init__(self, value: str) -> None:
        self._value = value

    def __missing__(self, name: str) -> bool:
        fits = self[name] = self._value in name.lower()
        return fits


def _by_word(word: str) -> Sieve:
    def fits(entries: list[Entry], holding: Holding) -> list[bool]:
        found = holding(word)
        return [entry.serial in found for entry in entries]

    return fits


def _not(sieve: Sieve) -> Sieve:
    return lambda entries, holding: [not fits for fits in sieve(entries, holding)]
