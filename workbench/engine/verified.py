"""Checking a message list that grows, at the cost of what is new."""

from __future__ import annotations

from collections.abc import Iterable
from operator import is_
from typing import Any, Self, SupportsIndex

from workbench.engine.llm import Message
from workbench.engine.transcript import check_from
from workbench.errors import TranscriptError


class MessageList(list[Message]):
    """A list that notes when it was changed in any way but by adding at its end."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        super().__init__(messages)
        self.spliced = False

    def __setitem__(self, index: Any, value: Any) -> None:
        self.spliced = True
        super().__setitem__(index, value)

    def __delitem__(self, index: SupportsIndex | slice) -> None:
        self.spliced = True
        super().__delitem__(index)

    def __imul__(self, count: SupportsIndex) -> Self:
        self.spliced = True
        return super().__imul__(count)

    def insert(self, index: SupportsIndex, message: Message) -> None:
        """As in a list."""
        self.spliced = True
        super().insert(index, message)

    def pop(self, index: SupportsIndex = -1) -> Message:
        """As in a list."""
        self.spliced = True
        return super().pop(index)

    def remove(self, message: Message) -> None:
        """As in a list."""
        self.spliced = True
        super().remove(message)

    def clear(self) -> None:
        """As in a list."""
        self.spliced = True
        super().clear()

    def reverse(self) -> None:
        """As in a list."""
        self.spliced = True
        super().reverse()

    def sort(self, **options: Any) -> None:
        """As in a list."""
        self.spliced = True
        super().sort(**options)


class VerifiedTranscript:
    """Keeps track of how much of a message list was checked.

    Any message that was put in, taken out or exchanged since makes it check from the start; one whose
    own dict was changed in place is not noticed. With a ``MessageList`` the cost does not depend on the
    length; a plain list, which a handler may have put in its place, is compared message by message.
    """

    def __init__(self) -> None:
        self.ids: set[str] = set()
        self._list: list[Message] | None = None
        self._verified: list[Message] = []

    def check(self, messages: list[Message]) -> None:
        """Raise TranscriptError if the list is not sendable as it is now."""
        if not self._untouched(messages):
            self._forget(messages)
        count = len(self._verified)
        try:
            check_from(messages, count, self.ids)
        except TranscriptError:
            self._forget(messages)
            raise
        self._verified.extend(messages[count:])

    def _untouched(self, messages: list[Message]) -> bool:
        """Whether what was checked is still there, and in its place."""
        if messages is not self._list:
            return False
        if isinstance(messages, MessageList):
            return not messages.spliced
        return len(messages) >= len(self._verified) and all(map(is_, messages, self._verified))

    def _forget(self, messages: list[Message]) -> None:
        self._list = messages
        self._verified = []
        self.ids = set()
        if isinstance(messages, MessageList):
            messages.spliced = False
