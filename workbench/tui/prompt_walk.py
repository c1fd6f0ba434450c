"""Walking back from the draft over what was sent before, and forward to the draft again."""

from __future__ import annotations

from collections.abc import Sequence


class PromptWalk:
    """Where one stands among the messages; what was changed on the way is kept until something is sent."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._at: int | None = None
        self._written: dict[int, str] = {}

    @property
    def texts(self) -> Sequence[str]:
        """The messages, oldest first."""
        return self._texts

    def begin(self, older: Sequence[str]) -> None:
        """These were sent before the app was opened."""
        self._texts[:0] = older
        if self._at is not None:
            self._at += len(older)
            self._written = {at + len(older): text for at, text in self._written.items()}

    def add(self, text: str) -> None:
        """This was sent, or thrown away: the next walk begins behind it."""
        if text and (not self._texts or self._texts[-1] != text):
            self._texts.append(text)
        self._at = None
        self._written.clear()

    def step(self, draft: str, step: int) -> str | None:
        """The text one further, where there is one; ``draft`` is what stands in the prompt now."""
        at = len(self._texts) if self._at is None else self._at
        target = at + step
        if not 0 <= target <= len(self._texts):
            return None
        self._written[at] = draft
        self._at = target
        return self._written[target] if target in self._written else self._texts[target]
