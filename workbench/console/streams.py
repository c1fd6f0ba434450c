"""``sys.stdout``, ``sys.stderr`` and logging, lent to whoever says what becomes of their text."""

from __future__ import annotations

import io
import logging
import os
import sys
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TextIO

from workbench.console.call_log import CallLog, console_of
from workbench.console.captured import DECODING, Captured

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

Take = Callable[[str, int], None]
"""Takes text, and the file descriptor that it was meant for: 1 or 2."""


class Streams:
    """The two streams while they are lent, and what was there before.

    ``take`` gets what is written to them; ``current`` says which call log records belong to. ``terminals``
    are the descriptors of 1 and 2 that shall look like terminals. ``silent``: nobody sees the streams, so
    what logging would print without any handler is only noted with its call.
    """

    def __init__(
        self,
        take: Take,
        current: Callable[[], Captured | None],
        *,
        terminals: frozenset[int] = frozenset(),
        silent: bool = True,
    ) -> None:
        self._silent = silent
        self._out = _stream(take, 1, 1 in terminals)
        self._err = _stream(take, 2, 2 in terminals)
        # handlers made before hold one of these
        self._early = {id(stream): self._out for stream in (sys.stdout, sys.__stdout__)}
        self._early |= {id(stream): self._err for stream in (sys.stderr, sys.__stderr__)}
        self._log = CallLog(current, (self._out, self._err))
        self._last_resort: logging.Handler | None = None
        self._before: tuple[TextIO, TextIO] | None = None
        self._moved: list[tuple[logging.StreamHandler[Any], TextIO]] = []

    def install(self) -> None:
        """Take over the streams and logging; nothing when they are taken already."""
        if self._before is not None:
            return
        self._before = (sys.stdout, sys.stderr)
        for handler in _all_handlers():
            stream = console_of(handler)
            ours = self._early.get(id(stream)) if stream is not None else None
            if ours is not None and isinstance(handler, logging.StreamHandler):
                self._moved.append((handler, handler.stream))
                handler.setStream(ours)
        # A root handler of ours would turn a tool's own basicConfig() into nothing; without any handler
        # logging uses its last resort.
        self._last_resort = logging.lastResort
        if self._silent:
            logging.lastResort = self._log
        if logging.root.handlers:
            logging.root.addHandler(self._log)
        self.replace()

    def replace(self) -> None:
        """Take over the two streams again after somebody else redirected them; nothing before ``install``."""
        if self._before is not None:
            sys.stdout, sys.stderr = self._out, self._err

    def remove(self) -> None:
        """Give everything back; what somebody else has put there since stays."""
        if self._before is None:
            return
        before, self._before = self._before, None
        if sys.stdout is self._out:
            sys.stdout = before[0]
        if sys.stderr is self._err:
            sys.stderr = before[1]
        logging.root.removeHandler(self._log)
        if logging.lastResort is self._log:
            logging.lastResort = self._last_resort
        for handler, stream in self._moved:
            handler.setStream(stream)
        self._moved.clear()


class _Writer(io.RawIOBase):
    """The bytes below a stream: decoded and routed. Cannot be closed: later calls write to it too."""

    def __init__(self, take: Take, fd: int, terminal: bool) -> None:
        self.name = "<stdout>" if fd == 1 else "<stderr>"
        self._take = take
        self._fd = fd
        self._terminal = terminal
        self._pid = os.getpid()
        self._decode = getincrementaldecoder("utf-8")(DECODING).decode

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        view = memoryview(data)
        if os.getpid() != self._pid:
            # a forked child: its memory is its own, the file descriptor is what it shares
            return os.write(self._fd, view)
        text = self._decode(view)
        if text:
            self._take(text, self._fd)
        return view.nbytes

    def fileno(self) -> int:
        return self._fd

    def isatty(self) -> bool:
        return self._terminal

    def close(self) -> None:
        self.flush()


def _stream(take: Take, fd: int, terminal: bool) -> io.TextIOWrapper:
    return io.TextIOWrapper(
        _Writer(take, fd, terminal), encoding="utf-8", errors=DECODING, newline="", write_through=True
    )


def _all_handlers() -> Iterator[logging.Handler]:
    yield from logging.root.handlers
    for logger in logging.root.manager.loggerDict.values():
        if isinstance(logger, logging.Logger):
            yield from logger.handlers
