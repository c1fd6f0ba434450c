"""What one call writes, and whose text it is that is being written."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Final, Protocol, Self

KEPT: Final = 1_000_000
"""Characters kept of what one call writes: half from its beginning, half from its end."""

DECODING: Final = "backslashreplace"
"""What happens to bytes that are not UTF-8: they are shown as escapes."""


class Keeper(Protocol):
    """A capture, as the texts see it that are kept by it."""

    def begin(self, captured: Captured) -> None:
        """The call runs from now on."""

    def end(self, captured: Captured) -> None:
        """The call has ended; what it wrote is complete."""


_owner: ContextVar[Captured | None] = ContextVar("workbench_output_owner", default=None)
# reentrant: a finalizer may print at any moment, also in here
_lock = threading.RLock()


class Captured:
    """What one call writes, as a context manager for the time in which it runs. Not reusable.

    Bounded: of a long text the beginning and the end are kept.
    """

    __slots__ = ("_head", "_keeper", "_tail", "_total", "call_id", "closed", "parent")

    def __init__(self, call_id: str, keeper: Keeper) -> None:
        self.call_id = call_id
        self.parent: Captured | None = None
        self.closed = False
        self._keeper = keeper
        self._head: io.StringIO | None = None
        self._tail: io.StringIO | None = None
        self._total = 0

    def write(self, text: str) -> None:
        """Add text at the end; from any thread."""
        with _lock:
            if self._head is None:
                self._head = io.StringIO()
            room = KEPT // 2 - self._head.tell()
            if room > 0:
                self._head.write(text[:room])
            if len(text) > room:
                self._write_tail(text[max(room, 0) :])
            self._total += len(text)

    def _write_tail(self, text: str) -> None:
        half = KEPT // 2
        if self._tail is None:
            self._tail = io.StringIO()
        elif self._tail.tell() + len(text) > 2 * half:
            kept = self._tail.getvalue()[-half:]
            self._tail = io.StringIO()
            self._tail.write(kept)
        self._tail.write(text[-half:])

    @property
    def text(self) -> str:
        """Everything so far; where something is missing in the middle, a line says how much."""
        if self._head is None:
            return ""
        with _lock:
            head = self._head.getvalue()
            tail = self._tail.getvalue()[-(KEPT // 2) :] if self._tail is not None else ""
            missing = self._total - len(head) - len(tail)
        if missing <= 0:
            return head + tail
        return f"{head}\n… {missing:,} characters not kept …\n{tail}"

    def end_of_text(self, characters: int) -> str:
        """So many of the last characters so far, at a cost that does not grow with the text."""
        with _lock:
            newest = self._tail or self._head
            if newest is None:
                return ""
            newest.seek(max(0, newest.tell() - characters))
            return newest.read()

    def __enter__(self) -> Self:
        self.parent = _owner.get()
        self._keeper.begin(self)
        _owner.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._keeper.end(self)
        # not reset by token: the bracket may be left in another context than it was entered in
        _owner.set(self.parent)

    def kept_by(self, keeper: Keeper) -> Captured | None:
        """The innermost call that belongs to this capture: this one, or one that it runs inside of."""
        captured: Captured | None = self
        while captured is not None and captured._keeper is not keeper:
            captured = captured.parent
        return captured


def owner(keeper: Keeper) -> Captured | None:
    """The innermost call of this capture that the running code belongs to, by its context."""
    captured = _owner.get()
    return captured.kept_by(keeper) if captured is not None else None


def owned() -> bool:
    """Whether the running code belongs to some call by its context, whichever capture keeps it."""
    return _owner.get() is not None


@contextmanager
def apart() -> Iterator[None]:
    """What is written inside belongs to no call, wherever it is written."""
    token = _owner.set(None)
    try:
        yield
    finally:
        _owner.reset(token)
