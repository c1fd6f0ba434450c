"""Long work on two sequences that ends soon after somebody wants no more of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from typing import SupportsIndex, TypeVar, overload

T = TypeVar("T")


def never() -> bool:
    """Nobody stops it."""
    return False


class Watched(list[T]):
    """A list that a matcher reads item by item; raises CancelledError there once ``stopped`` is true."""

    def __init__(self, items: Iterable[T], stopped: Callable[[], bool]) -> None:
        super().__init__(items)
        self._stopped = stopped

    @overload
    def __getitem__(self, index: SupportsIndex) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> list[T]: ...

    def __getitem__(self, index: SupportsIndex | slice) -> T | list[T]:
        if self._stopped():
            raise CancelledError
        return super().__getitem__(index)


def watch(items: Iterable[T], stopped: Callable[[], bool]) -> Iterator[T]:
    """The items; raises CancelledError in their place once ``stopped`` is true."""
    for item in items:
        if stopped():
            raise CancelledError
        yield item
