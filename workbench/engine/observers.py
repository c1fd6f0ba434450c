"""The observers of one agent, called so that none of them can disturb the turn."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from workbench.engine.observer import Observer

logger = logging.getLogger("workbench.engine")


class Observers:
    """List-like; may be changed while a turn runs, from any thread."""

    def __init__(self, observers: Iterable[Observer] = ()) -> None:
        self._items: tuple[Observer, ...] = tuple(observers)

    def add(self, observer: Observer) -> None:
        """Add one at the end."""
        self._items = (*self._items, observer)

    append = add

    def remove(self, observer: Observer) -> None:
        """Take one out; raises ValueError if it is not there."""
        items = list(self._items)
        items.remove(observer)
        self._items = tuple(items)

    def tell(self, method: str, *arguments: object) -> None:
        """Call ``method`` of each; an exception is logged with its traceback and goes no further."""
        for observer in self._items:
            tell_one(observer, method, *arguments)

    def __iter__(self) -> Iterator[Observer]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, observer: object) -> bool:
        return observer in self._items


def tell_one(observer: Observer, method: str, *arguments: object) -> None:
    """Call one method of one observer behind the guard."""
    try:
        getattr(observer, method)(*arguments)
    except Exception:
        logger.exception("observer %s failed in %s", type(observer).__qualname__, method)
