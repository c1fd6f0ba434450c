"""Messages written while a turn runs, in the order they will be sent."""

from __future__ import annotations


class MessageQueue:
    """A queue that a stop or an error holds until the person sends again."""

    def __init__(self) -> None:
        self._messages: list[str] = []
        self.held = False

    def __len__(self) -> int:
        return len(self._messages)

    @property
    def messages(self) -> tuple[str, ...]:
        """What waits, next one first."""
        return tuple(self._messages)

    def add(self, text: str) -> None:
        """Put a message at the end."""
        self._messages.append(text)

    def take(self, index: int) -> str:
        """Take one out, for editing. Raises IndexError."""
        return self._messages.pop(index)

    def next(self) -> str | None:
        """The next message to send; None when there is none or the queue is held."""
        if self.held or not self._messages:
            return None
        return self._messages.pop(0)
