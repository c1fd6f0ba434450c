"""Messages that note when somebody changes them in place.

A hook may hold on to any message and change it at any time. So that this is noticed without looking at
every message again, the messages that the engine makes are dicts and lists that say so themselves. They
read, compare, print and encode as the plain ones do; a copy of one is a plain one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_DICT_CHANGES = "__setitem__ __delitem__ __ior__ clear pop popitem setdefault update"
_LIST_CHANGES = "__setitem__ __delitem__ __iadd__ __imul__ append clear extend insert pop remove reverse sort"


class WatchedDict(dict[str, Any]):
    """``changed`` gets ``place`` added at each change; both are set by ``watch``.

    ``vouched`` is a text in it that its maker has just written as JSON, and that need not be read again.
    """

    __slots__ = ("changed", "place", "vouched")
    changed: set[int]
    place: int
    vouched: str

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (dict, (dict(self),))


class WatchedList(list[Any]):
    """The same for the lists inside a message."""

    __slots__ = ("changed", "place")
    changed: set[int]
    place: int

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (list, (list(self),))


def _noting(method: Callable[..., Any]) -> Callable[..., Any]:
    def change(self: WatchedDict | WatchedList, *args: Any, **keywords: Any) -> Any:
        changed = getattr(self, "changed", None)
        if changed is not None:
            changed.add(self.place)
        return method(self, *args, **keywords)

    change.__name__ = method.__name__
    change.__doc__ = method.__doc__
    return change


for _kind, _plain, _changes in ((WatchedDict, dict, _DICT_CHANGES), (WatchedList, list, _LIST_CHANGES)):
    for _name in _changes.split():
        setattr(_kind, _name, _noting(getattr(_plain, _name)))


def watched(value: Any) -> Any:
    """The value with every dict and list in it in the form that notes changes; texts are shared."""
    if isinstance(value, dict):
        return WatchedDict({key: watched(item) for key, item in value.items()})
    if isinstance(value, list):
        return WatchedList([watched(item) for item in value])
    return value


def watch(message: object, changed: set[int], place: int) -> bool:
    """Have ``place`` added to ``changed`` at each change; False if not all of the message can be watched."""
    if not isinstance(message, WatchedDict):
        return False
    message.changed, message.place = changed, place
    whole = True
    for value in message.values():
        if value.__class__ is not str:
            whole = _watch_inside(value, changed, place) and whole
    return whole


def _watch_inside(value: Any, changed: set[int], place: int) -> bool:
    if isinstance(value, WatchedDict):
        return watch(value, changed, place)
    if isinstance(value, WatchedList):
        value.changed, value.place = changed, place
        inside = [
            _watch_inside(item, changed, place) for item in value
        ]  # all of them, whatever the first says
        return all(inside)
    return not isinstance(value, dict | list)
