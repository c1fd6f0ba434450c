"""What tools print in a script: printed as ever, and kept with the call that printed it."""

from __future__ import annotations

import io
import logging
import sys
import threading
from codecs import getincrementaldecoder
from typing import TYPE_CHECKING, Any, TextIO

from workbench.console.call_log import CallLog
from workbench.console.captured import DECODING, Captured, owner

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class ScriptOutput:
    """An ``OutputCapture`` that takes nothing away: each text goes where it would have gone.

    While a call runs, ``sys.stdout`` and ``sys.stderr`` are the ones of the script with an ear on them, and
    log records are noted too. Between the calls everything is the script's own. What does not pass through
    Python's streams is not heard: file descriptors, child processes (``ProcessOutput`` hears those as well).
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._open = 0
        self._out: _Ear | None = None
        self._err: _Ear | None = None
        self._log = CallLog(self._current, ())

    def bracket(self, call_id: str) -> Captured:
        """While it is open, what this context prints belongs to ``call_id``."""
        return Captured(call_id, self)

    def begin(self, captured: Captured) -> None:
        """Called by the bracket: the call runs from now on."""
        with self._lock:
            self._open += 1
            if self._open == 1:
                self._listen()

    def end(self, captured: Captured) -> None:
        """Called by the bracket: the call has ended."""
        captured.closed = True
        with self._lock:
            self._open -= 1
            if not self._open:
                self._leave()

    def _listen(self) -> None:
        out, err = self._out, self._err
        if out is None or err is None or sys.stdout is not out.below or sys.stderr is not err.below:
            self._out, self._err = self._ear(sys.stdout, out), self._ear(sys.stderr, err)
        sys.stdout, sys.stderr = self._out or sys.stdout, self._err or sys.stderr
        if logging.root.handlers:  # without one, logging's last resort prints to sys.stderr, which is heard
            self._log.consoles = tuple(ear for ear in (self._out, self._err) if ear is not None)
            logging.root.addHandler(self._log)

    def _leave(self) -> None:
        """What somebody else has put in the place of a stream since stays."""
        if self._out is not None and sys.stdout is self._out:
            sys.stdout = self._out.below
        if self._err is not None and sys.stderr is self._err:
            sys.stderr = self._err.below
        if logging.root.handlers:
            logging.root.removeHandler(self._log)

    def _ear(self, stream: TextIO | None, last: _Ear | None) -> _Ear | None:
        """An ear on the stream as it is now: the one of the last call, if nobody put another stream there."""
        if stream is None or (isinstance(stream, _Ear) and stream.hears_for(self)):
            return stream
        return last if last is not None and last.below is stream else _Ear(self, stream)

    def _current(self) -> Captured | None:
        return owner(self)

    def hear(self, text: str) -> None:
        """Text that the running code prints; it is printed by whoever calls this."""
        captured = owner(self)
        if captured is not None and not captured.closed:
            captured.write(text)


class _Ear(io.TextIOBase):
    """A stream that passes everything on to the one below, and is that one in all other respects."""

    def __init__(self, output: ScriptOutput, below: TextIO) -> None:
        self.below = below
        self._output = output
        self._buffer: _EarBelow | None = None

    def hears_for(self, output: ScriptOutput) -> bool:
        """Whether what is written here is this capture's already."""
        return self._output is output

    def write(self, text: str, /) -> int:
        written = self.below.write(text)
        self._output.hear(text)
        return written

    @property
    def buffer(self) -> Any:
        """The byte stream; AttributeError where the stream below has none."""
        below = self.below.buffer
        if self._buffer is None or self._buffer.below is not below:
            self._buffer = _EarBelow(self._output, below)
        return self._buffer

    def __getattr__(self, name: str) -> Any:
        return getattr(self.below, name)

    @property
    def encoding(self) -> Any:  # type: ignore[override]  # it is the one of the stream below
        return self.below.encoding

    @property
    def errors(self) -> Any:  # type: ignore[override]  # it is the one of the stream below
        return self.below.errors

    @property
    def newlines(self) -> Any:  # type: ignore[override]  # it is the one of the stream below
        return self.below.newlines

    @property
    def closed(self) -> bool:
        return self.below.closed

    def close(self) -> None:
        self.below.close()

    def detach(self) -> Any:
        return self.below.detach()  # type: ignore[attr-defined]  # as much as the stream below can

    def fileno(self) -> int:
        return self.below.fileno()

    def flush(self) -> None:
        self.below.flush()

    def isatty(self) -> bool:
        return self.below.isatty()

    def writable(self) -> bool:
        return self.below.writable()

    def __del__(self) -> None:
        """Not closed with this object, as a stream would be: the one below lives on."""


class _EarBelow(io.BufferedIOBase):
    """The same for the byte stream of a text stream."""

    def __init__(self, output: ScriptOutput, below: Any) -> None:
        self.below = below
        self._output = output
        self._decode = getincrementaldecoder("utf-8")(DECODING).decode

    def write(self, data: ReadableBuffer, /) -> int:
        written: int = self.below.write(data)
        self._output.hear(self._decode(bytes(data)))
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self.below, name)

    @property
    def closed(self) -> bool:
        return bool(self.below.closed)

    def close(self) -> None:
        self.below.close()

    def fileno(self) -> int:
        return int(self.below.fileno())

    def flush(self) -> None:
        self.below.flush()

    def isatty(self) -> bool:
        return bool(self.below.isatty())

    def writable(self) -> bool:
        return bool(self.below.writable())

    def __del__(self) -> None:
        """As above."""


_shared: ScriptOutput | None = None


def script_output() -> ScriptOutput:
    """The one of this process: its streams are one for all agents."""
    global _shared
    if _shared is None:
        _shared = ScriptOutput()
    return _shared
