"""Who changes a registry just now, for those who are told of the change."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_actor: Final[ContextVar[str]] = ContextVar("workbench_actor", default="")


@contextmanager
def acting(who: str) -> Iterator[None]:
    """What is changed inside is changed by ``who``, such as ``user`` or ``reload``."""
    token = _actor.set(who)
    try:
        yield
    finally:
        _actor.reset(token)


def actor() -> str:
    """Who acts on this thread, empty for code that does not say.

    A change callback runs on the thread that made the change, so there it tells who made it; only an event
    that another thread had to deliver, because a callback held things up, has no actor.
    """
    return _actor.get()
