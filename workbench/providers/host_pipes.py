"""The two pipes of a model host, written and read with as few threads woken as can be."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import IO

_READ_BYTES = 1 << 16


class OrderPipe:
    """The way to a host, which never blocks a caller.

    A caller writes by himself what the pipe takes at once. The rest of a long line, and whatever is sent
    before that is through, is for the thread that runs ``serve``.
    """

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._descriptor = pipe.fileno()
        self._lock = threading.Lock()
        self._rest: SimpleQueue[memoryview | None] = SimpleQueue()
        self._waiting = 0
        self._open = True
        os.set_blocking(self._descriptor, False)

    def send(self, line: bytes) -> None:
        """Write a line, or leave it to be written. After the end it goes nowhere."""
        rest = memoryview(line)
        with self._lock:
            if self._open and not self._waiting:
                rest = rest[self._write(rest) :]
            if self._open and rest:
                self._waiting += 1
                self._rest.put(rest)

    def end(self) -> None:
        """Close it once everything is written."""
        self._rest.put(None)

    def serve(self) -> None:
        """Write what did not fit, until the end of either side."""
        room = select.poll()
        room.register(self._descriptor, select.POLLOUT)
        while (rest := self._rest.get()) is not None:
            while rest and self._open:
                room.poll()
                rest = rest[self._write(rest) :]
            with self._lock:
                self._waiting -= 1
        with self._lock:
            self._open = False
            self._pipe.close()

    def _write(self, data: memoryview) -> int:
        """The bytes that were taken at once."""
        try:
            return os.write(self._descriptor, data)
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            self._open = False  # the host is gone, which whoever reads from it will tell
            return 0


class EventPipe:
    """The lines from a host. One thread at a time may call ``read``; any may ``ring``."""

    def __init__(self, pipe: IO[bytes], take: Callable[[bytes], None]) -> None:
        self._pipe = pipe
        self._take = take
        self._pieces: list[bytes] = []
        self._lock = threading.RLock()  # a signal may ask for a stop while its thread rings
        self._bell, self._button = os.pipe()
        os.set_blocking(self._button, False)
        self._open = True
        self._descriptor = pipe.fileno()
        self._poll = select.poll()
        self._poll.register(self._descriptor, select.POLLIN)
        self._poll.register(self._bell, select.POLLIN)

    def ring(self) -> None:
        """Make the ``read`` that waits return, or the next one."""
        with self._lock:
            if self._open:
                try:
                    os.write(self._button, b"!")
                except BlockingIOError:
                    return  # it has been rung often enough

    def wait(self, seconds: float | None) -> bool:
        """Wait until there is something to ``read``; False if the bell rang before.

        Raises ``queue.Empty`` when the time is over.
        """
        ready = self._poll.poll(None if seconds is None else seconds * 1000)
        if not ready:
            raise Empty
        heard = False
        for descriptor, _ in ready:
            if descriptor == self._descriptor:
                heard = True
            else:
                os.read(self._bell, _READ_BYTES)
        return heard

    def read(self) -> bool:
        """Hand on the lines that are there. False at the end of the pipe."""
        data = os.read(self._descriptor, _READ_BYTES)
        if not data:
            return False
        if data.find(b"\n") == len(data) - 1 and not self._pieces:  # one whole line, as nearly always
            self._take(data)
            return True
        *lines, rest = data.split(b"\n")
        for line in lines:
            whole = b"".join([*self._pieces, line]) if self._pieces else line
            self._pieces.clear()
            self._take(whole)
        if rest:
            self._pieces.append(rest)
        return True

    def close(self) -> None:
        """Give the descriptors back. Only when nobody reads."""
        with self._lock:
            self._open = False
            self._pipe.close()
            os.close(self._bell)
            os.close(self._button)
