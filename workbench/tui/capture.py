"""What tools write to stdout, stderr and the log, kept with the call that wrote it."""

from __future__ import annotations

import io
import logging
import os
import sys
import threading
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

KEPT: Final = 1_000_000
"""Characters kept of what one call writes: half from its beginning, half from its end."""

DECODING: Final = "backslashreplace"
"""What happens to bytes that are not UTF-8: they are shown as escapes."""

_RECENT: Final = 4_000
_LONGEST_LINE: Final = 8_000

Stray = Callable[[str], None]
"""Takes text that belongs to no call, in pieces of any size."""


class Captured:
    """What one call has written so far. Bounded: of a long text the beginning and the end are kept."""

    __slots__ = ("_head", "_lock", "_tail", "_total", "call_id", "closed", "parent")

    def __init__(self, call_id: str, parent: Captured | None = None) -> None:
        self.call_id = call_id
        self.parent = parent
        self.closed = False
        # reentrant: a finalizer may print at any moment, also in here
        self._lock = threading.RLock()
        self._head: io.StringIO | None = None
        self._tail: io.StringIO | None = None
        self._total = 0

    def write(self, text: str) -> None:
        """Add text at the end; from any thread."""
        with self._lock:
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
        with self._lock:
            head = self._head.getvalue() if self._head is not None else ""
            tail = self._tail.getvalue()[-(KEPT // 2) :] if self._tail is not None else ""
            missing = self._total - len(head) - len(tail)
        if missing <= 0:
            return head + tail
        return f"{head}\n… {missing:,} characters not kept …\n{tail}"


_owner: ContextVar[Captured | None] = ContextVar("workbench_output_owner", default=None)


class StreamCapture:
    """An ``OutputCapture`` for the app: routes what is written to the call that writes it.

    The writer's context says whose text it is. Text without a context (file descriptors, threads that
    a tool starts itself) belongs to the only running call; where several run, to the call that
    they all run inside of; otherwise it is stray.

    ``drain`` brings in what still waits in the file descriptors; the default knows none.
    ``stray`` takes the text of no call; the default logs it under ``workbench.screen``.
    """

    def __init__(self, *, drain: Callable[[], None] | None = None, stray: Stray | None = None) -> None:
        self.drain = drain if drain is not None else _nothing
        self.stray: Stray = stray if stray is not None else StrayLog()
        self._running: dict[Captured, None] = {}
        self._lock = threading.RLock()
        self._app_thread: int | None = None
        self._recent = threading.local()
        self._streams = _Streams(self)

    def bracket(self, call_id: str) -> Bracket:
        """While it is open, what this context writes belongs to ``call_id``. Not reusable."""
        return Bracket(self, call_id)

    def install(self) -> None:
        """Take over ``sys.stdout``, ``sys.stderr`` and logging; call on the app's own thread."""
        self._app_thread = threading.get_ident()
        self._streams.install()

    def remove(self) -> None:
        """Give them back; what somebody else has put there since stays."""
        self._streams.remove()
        self._app_thread = None

    def replace_streams(self) -> None:
        """Take over the two streams again after somebody else redirected them; nothing before ``install``."""
        self._streams.replace()

    def write(self, text: str) -> None:
        """Text that the running code wrote."""
        captured = self.current()
        if captured is None or captured.closed:
            self._remember(text)
            self.stray(text)
        else:
            captured.write(text)

    def write_unowned(self, text: str) -> bool:
        """Text of unknown origin; False if no call can be named for it."""
        captured = self._common()
        if captured is None:
            return False
        captured.write(text)
        return True

    def current(self) -> Captured | None:
        """The call that the running code belongs to, as far as can be known."""
        captured = _owner.get()
        if captured is not None or threading.get_ident() == self._app_thread:
            return captured
        return self._common()

    def recent(self) -> str:
        """What the running code has written lately: the end of its call's text, or of its thread's own."""
        self.drain()
        captured = self.current()
        if captured is None or captured.closed:
            return str(getattr(self._recent, "text", ""))
        return captured.text[-_RECENT:]

    def _remember(self, text: str) -> None:
        self._recent.text = (getattr(self._recent, "text", "") + text)[-_RECENT:]

    def _common(self) -> Captured | None:
        with self._lock:
            running = tuple(self._running)
        if len(running) < 2:
            return running[0] if running else None
        parents = {captured.parent for captured in running}
        leaves = [captured for captured in running if captured not in parents]
        if len(leaves) == 1:
            return leaves[0]
        above = {leaf.parent for leaf in leaves}
        common = above.pop()
        return common if not above and common in running else None

    def begin(self, captured: Captured) -> None:
        """Called by the bracket: the call runs from now on."""
        self.drain()
        with self._lock:
            self._running[captured] = None

    def end(self, captured: Captured) -> None:
        """Called by the bracket: the call has ended; what it wrote is complete."""
        self.drain()
        with self._lock:
            self._running.pop(captured, None)
        captured.closed = True


class Bracket:
    """The time in which one call runs; entering gives what it writes."""

    __slots__ = ("_capture", "_captured")

    def __init__(self, capture: StreamCapture, call_id: str) -> None:
        self._capture = capture
        self._captured = Captured(call_id)

    def __enter__(self) -> Captured:
        captured = self._captured
        captured.parent = _owner.get()
        self._capture.begin(captured)
        _owner.set(captured)
        return captured

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._capture.end(self._captured)
        # not reset by token: the bracket may be left in another context than it was entered in
        _owner.set(self._captured.parent)


class StrayLog:
    """Logs text of no call line by line, as ``workbench.screen`` at INFO.

    The records reach handlers of that logger and of ``workbench``, never those of the root: a root
    handler may write to a stream whose text is stray again. What a handler writes meanwhile is dropped.
    """

    def __init__(self) -> None:
        self._logger = logging.getLogger("workbench.screen")
        self._logger.propagate = False
        if not any(isinstance(handler, _ToWorkbench) for handler in self._logger.handlers):
            self._logger.addHandler(_ToWorkbench())
        self._lock = threading.RLock()
        self._rest = ""
        self._busy = threading.local()

    def __call__(self, text: str) -> None:
        if getattr(self._busy, "now", False):
            return
        with self._lock:
            *lines, self._rest = (self._rest + text).split("\n")
            if len(self._rest) > _LONGEST_LINE:
                lines.append(self._rest)
                self._rest = ""
        self._log(lines)

    def flush(self) -> None:
        """Log a last line that has no end."""
        with self._lock:
            line, self._rest = self._rest, ""
        self._log([line])

    def _log(self, lines: list[str]) -> None:
        self._busy.now = True
        try:
            for line in lines:
                if line:
                    self._logger.info("%s", line)
        finally:
            self._busy.now = False


class _ToWorkbench(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        for handler in logging.getLogger("workbench").handlers:
            if record.levelno >= handler.level:
                handler.handle(record)


class CallLog(logging.Handler):
    """Shows log records of tools and libraries on the call that made them: ``WARNING name: text``.

    Records of ``workbench`` itself, and those that a console handler of the user's own shows on the
    call anyway, are left out.
    """

    def __init__(self, capture: StreamCapture, consoles: tuple[TextIO, ...]) -> None:
        super().__init__(logging.INFO)
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        self._capture = capture
        self._consoles = consoles

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record to the call that runs, if one does."""
        captured = self._capture.current()
        if captured is None or captured.closed or record.name.partition(".")[0] == "workbench":
            return
        if self._shown_anyway(record):
            return
        try:
            captured.write(self.format(record) + "\n")
        except Exception:  # noqa: BLE001 - arguments that do not fit their format are the tool's mistake
            self.handleError(record)

    def _shown_anyway(self, record: logging.LogRecord) -> bool:
        logger: logging.Logger | None = logging.getLogger(record.name)
        while logger is not None:
            for handler in logger.handlers:
                if record.levelno >= handler.level and console_of(handler) in self._consoles:
                    return True
            logger = logger.parent if logger.propagate else None
        return False


def console_of(handler: logging.Handler) -> TextIO | None:
    """The stream that a plain stream handler writes to; None for every other kind."""
    if isinstance(handler, logging.StreamHandler) and not isinstance(handler, logging.FileHandler):
        stream: TextIO = handler.stream
        return stream
    return None


class _Writer(io.RawIOBase):
    """The bytes below a stream: decoded and routed. Cannot be closed: later calls write to it too."""

    def __init__(self, capture: StreamCapture, fd: int) -> None:
        self.name = "<stdout>" if fd == 1 else "<stderr>"
        self._capture = capture
        self._fd = fd
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
            self._capture.write(text)
        return view.nbytes

    def fileno(self) -> int:
        return self._fd

    def isatty(self) -> bool:
        return False

    def close(self) -> None:
        self.flush()


class _Streams:
    """``sys.stdout``, ``sys.stderr`` and logging while the app has them, and what was there before."""

    def __init__(self, capture: StreamCapture) -> None:
        self._out = _stream(capture, 1)
        self._err = _stream(capture, 2)
        # handlers made before the app started hold one of these
        self._early = {id(stream): self._out for stream in (sys.stdout, sys.__stdout__)}
        self._early |= {id(stream): self._err for stream in (sys.stderr, sys.__stderr__)}
        self._log = CallLog(capture, (self._out, self._err))
        self._last_resort: logging.Handler | None = None
        self._before: tuple[TextIO, TextIO] | None = None
        self._moved: list[tuple[logging.StreamHandler[Any], TextIO]] = []

    def install(self) -> None:
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
        self._last_resort, logging.lastResort = logging.lastResort, self._log
        if logging.root.handlers:
            logging.root.addHandler(self._log)
        self.replace()

    def replace(self) -> None:
        if self._before is not None:
            sys.stdout, sys.stderr = self._out, self._err

    def remove(self) -> None:
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


def _stream(capture: StreamCapture, fd: int) -> io.TextIOWrapper:
    return io.TextIOWrapper(
        _Writer(capture, fd),
        encoding="utf-8",
        errors=DECODING,
        newline="",
        write_through=True,
    )


def _all_handlers() -> Iterator[logging.Handler]:
    yield from logging.root.handlers
    for logger in logging.root.manager.loggerDict.values():
        if isinstance(logger, logging.Logger):
            yield from logger.handlers


def _nothing() -> None:
    return
