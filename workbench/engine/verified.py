"""Checking a message list that grows, at the cost of what is new."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self, SupportsIndex

from workbench.engine.llm import Message
from workbench.engine.transcript import check_from
from workbench.errors import TranscriptError


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

    A message whose own dict was changed counts as the same. With a ``MessageList`` the answer costs the
    same at any length; a plain list, which a handler may have put in its place, is compared whole.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._list: list[Message] | None = None
        self._splices = 0

    def __len__(self) -> int:
        return len(self.messages)

    def holds(self, messages: list[Message]) -> bool:
        """Whether ``messages`` still begins with what is remembered."""
        if messages is self._list and isinstance(messages, MessageList):
            return messages.splices == self._splices
        same = messages[: len(self.messages)] == self.messages
        if same:
            self._follow(messages)
        return same

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

    Any message that was put in, taken out or exchanged since makes it check from the start.
    """

    def __init__(self) -> None:
        self.ids: set[str] = set()
        self._checked = Bookmark()

    def check(self, messages: list[Message]) -> None:
        """Raise TranscriptError if the list is not sendable as it is now."""
        if not self._checked.holds(messages):
            self._forget(messages)
        try:
            check_from(messages, len(self._checked), self.ids)
        except TranscriptError:
            self._forget(messages)
            raise
        self._checked.advance(messages)

    def _forget(self, messages: list[Message]) -> None:
        self._checked.start(messages)
        self.ids = set()
