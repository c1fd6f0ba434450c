"""The thumb of the scrollbar: which rows it covers, and where a drag on it leads."""

from __future__ import annotations

from typing import NamedTuple


class Thumb(NamedTuple):
    """The thumb for a view of ``height`` rows, ``total`` rows of text, and the row at the top."""

    height: int
    total: int
    top: int

    @property
    def shown(self) -> bool:
        """Whether there is more than fits."""
        return self.total > self.height > 0

    def covers(self, y: int) -> bool:
        """Whether the thumb is on a row of the view."""
        if not self.shown:
            return False
        length = max(round(self.height * self.height / self.total), 1)
        start = round((self.height - length) * self.top / (self.total - self.height))
        return start <= y < start + length

    def top_for(self, y: int) -> int:
        """The row to scroll to when the thumb is held at a row of the view."""
        fraction = max(min(y / max(self.height - 1, 1), 1.0), 0.0)
        return round(fraction * (self.total - self.height))
