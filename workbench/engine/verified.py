"""Checking a message list that grows, at the cost of what is new."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from operator import is_
from typing import Any, Self, SupportsIndex

from workbench.engine.llm import Message
from workbench.engine.transcript import check_from
from workbench.engine.watched import watch


class MessageList(list[Message]):
    """A list that counts how often it was changed in any way but by adding at its end."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        super().__init__(messages)
        self.splices = 0

    def __setitem__(self, index: Any, value: Any) -> None:
        self.splices += 1
        super().__setitem__(index, value)

    def __delitem__(self, index: SupportsIndex | slice) -> None:
        self.splices += 1
        super().__delitem__(index)

    def __imul__(self, count: SupportsIndex) -> Self:
        self.splices += 1
        return super().__imul__(count)

    def insert(self, index: SupportsIndex, message: Message) -> None:
        """As in a list."""
        self.splices += 1
        super().insert(index, message)

    def pop(self, index: SupportsIndex = -1) -> Message:
        """As in a list."""
        self.splices += 1
        return super().pop(index)

    def remove(self, message: Message) -> None:
        """As in a list."""
        self.splices += 1
        super().remove(message)

    def clear(self) -> None:
        """As in a list."""
        self.splices += 1
        super().clear()

    def reverse(self) -> None:
        """As in a list."""
        self.splices += 1
        super().reverse()

    def sort(self, **options: Any) -> None:
        """As in a list."""
        self.splices += 1
        super().sort(**options)


class Bookmark:
    """Remembers the first part of a message list, and tells whether it is still there and in its place.

    With a ``MessageList`` that nobody spliced the answer costs the same at any length; any other list is
    compared. A message whose own dict was changed counts as the same.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._list: list[Message] | None = None
        self._splices = 0

    def __len__(self) -> int:
        return len(self.messages)

    def holds(self, messages: list[Message]) -> bool:
        """Whether ``messages`` still begins with the very messages that are remembered."""
        if messages is self._list and isinstance(messages, MessageList) and messages.splices == self._splices:
            return True
        known = self.messages
        same = not known or (len(messages) >= len(known) and all(map(is_, messages, known)))
        if same:
            self._follow(messages)
        return same

    def says(self, messages: list[Message]) -> bool:
        """Whether ``messages`` begins with what is remembered or with its equals, which take its place."""
        if self.holds(messages):
            return True
        begin = messages[: len(self.messages)]
        if not equal(begin, self.messages):
            return False
        self.start(messages)
        self.messages = begin
        return True

    def start(self, messages: list[Message]) -> None:
        """Remember nothing of this list yet."""
        self._follow(messages)
        self.messages = []

    def _follow(self, messages: list[Message]) -> None:
        self._list = messages
        self._splices = messages.splices if isinstance(messages, MessageList) else 0

    def advance(self, messages: list[Message]) -> list[Message]:
        """Remember everything that is in the list now; returns what is new."""
        new = messages[len(self.messages) :]
        self.messages.extend(new)
        return new


class VerifiedTranscript:
    """Keeps track of how much of a message list was checked.

    Any message that was put in, taken out, exchanged or changed since makes it check from the start. The
    engine's own messages say themselves when they are changed; the few that a handler added are compared
    with what they were, once ``doubted`` is set.
    """

    def __init__(self) -> None:
        self.ids: set[str] = set()
        self._checked = Bookmark()
        self._changed: set[int] = set()
        self._strange: list[tuple[int, Message, Message]] = []
        """Place, message and copy of each message that cannot be watched."""
        self.doubted = False
        """Set when somebody else's code ran, which may have changed any message."""
        self._rewritten: int | None = None

    def check(self, messages: list[Message]) -> None:
        """Raise TranscriptError if the list is not sendable as it is now."""
        if self.doubted and self._strange:
            self._changed.update(place for place, message, was in self._strange if not equal(message, was))
        self.doubted = False
        if self._changed:
            self._note_rewritten(min(self._changed))
            self._forget(messages)
        elif not self._checked.holds(messages):
            self._forget(messages)
        start = len(self._checked)
        try:
            check_from(messages, start, self.ids)
            for place, message in enumerate(self._checked.advance(messages), start):
                if not watch(message, self._changed, place):
                    self._strange.append((place, message, copy_of(message)))
        except BaseException:  # an interrupt too: what was half checked counts as not checked
            self._forget(messages)
            raise

    def take_rewritten(self) -> int | None:
        """The first place at which a checked message was changed in place since this was last asked."""
        place, self._rewritten = self._rewritten, None
        return place

    def _note_rewritten(self, place: int) -> None:
        self._rewritten = place if self._rewritten is None else min(place, self._rewritten)

    def _forget(self, messages: list[Message]) -> None:
        self._checked.start(messages)
        self.ids = set()
        self._changed = set()
        self._strange = []


def equal(one: Any, other: Any) -> bool:
    """``one == other`` for values that a handler may have filled with anything."""
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001 - comparing calls the values' own __eq__
        return False


def copy_of(message: Message) -> Message:
    """A copy that no change of the message reaches; it was checked, so it is JSON all through."""
    return copy.deepcopy(dict(message))
