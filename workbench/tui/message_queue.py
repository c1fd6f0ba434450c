"""Messages written while a turn runs, in the order they will be sent."""

from __future__ import annotations


class MessageQueue:
    """A queue that a stop or an error holds until the person sends again."""

    def __init__(self) -> None:
        self._messages: list[str] = []
        self._gap: int | None = None
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

    def put_back(self, text: str) -> None:
        """Put a message where the last one was taken out, once; at the end where none was."""
        gap, self._gap = self._gap, None
        self._messages.insert(len(self._messages) if gap is None else gap, text)

    def take(self, index: int) -> str:
        """Take one out, for editing. Raises IndexError."""
        text = self._messages.pop(index)
        self._gap = index
        return text

    def close_gap(self) -> None:
        """What was taken out does not come back."""
        self._gap = None

    def next(self) -> str | None:
        """The next message to send; None when there is none or the queue is held."""
        if self.held or not self._messages:
            return None
        self._gap = max(self._gap - 1, 0) if self._gap is not None else None
        return self._messages.pop(0)
