"""One model host process as its parent sees it: pipes, threads, and its end."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import IO, cast

from workbench.errors import ModelHostError
from workbench.providers.host_pipes import EventPipe, OrderPipe
from workbench.providers.protocol import PARENT_VARIABLE, UNFINISHED, Event, decode, encode

LOG = logging.getLogger("workbench.providers.host")
LOG.addHandler(logging.NullHandler())  # without a handler of the application, nothing reaches its stderr

_CLOSE_SECONDS = 0.5
_NEXT_HINT = "The next message starts a new one."


class Inbox:
    """The events of one request, for the one thread that waits for them."""

    def __init__(self, process: HostProcess, number: int) -> None:
        self.number = number
        self.queue: SimpleQueue[Event] = SimpleQueue()
        self._process = process

    def put(self, event: Event) -> None:
        """Add an event that does not come from the host, such as a stop. From any thread."""
        self.queue.put(event)
        self._process.ring()


class HostProcess:
    """A running host. Once it has ended it stays ended; ``ModelHost`` starts the next.

    Three daemon threads serve it: one reads, one writes what a caller cannot write at once, and one turns
    its stderr into log lines. A request that is alone reads its events by itself, on the caller's thread:
    each thread that has to be woken for an event costs more than the event. With the second request, and
    between requests, the reading is the thread's.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self.ready = threading.Event()
        self.started = time.monotonic()
        self.last_heard = self.started
        self._lock = threading.Lock()
        self._queues: dict[int, SimpleQueue[Event]] = {}
        self._turn = threading.Condition(self._lock)
        """Only to wait and to notify: unlike the lock itself, it would stay locked if an interrupt hit it."""
        self._reader: object = self
        """Whose the reading is: the queue of the request that does it by itself, or ``self``, the thread."""
        self._at_pipe: object = None
        """Which of them is there; it leaves when it rings."""
        self._failure: str | None = None
        self._stderr_tail: deque[str] = deque(maxlen=5)
        self._environ = dict(os.environb)
        try:
            self._process = self._start(command)
        except OSError as error:
            raise ModelHostError(f"The model host cannot be started: {error}.") from error
        self._orders = OrderPipe(cast("IO[bytes]", self._process.stdin))
        self._events = EventPipe(cast("IO[bytes]", self._process.stdout), self._deliver)
        self._log_thread = self._thread(self._read_stderr, "model-host-log")
        self._thread(self._orders.serve, "model-host-write")
        self._thread(self._read, "model-host-read")

    def _start(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603  our own module, or what a test gave
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1", PARENT_VARIABLE: str(os.getpid())},
        )

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it takes requests."""
        return self._failure is None

    def open(self, number: int) -> Inbox:
        """Where the events of request ``number`` will come. Raises ``ModelHostError`` after the end."""
        inbox = Inbox(self, number)
        with self._lock:
            if self._failure is not None:
                raise ModelHostError(self._failure, hint=_NEXT_HINT)
            self._queues[number] = inbox.queue
            before = self._reader
            self._let_read(inbox.queue if len(self._queues) == 1 else self)
            if self._reader is not before:
                self._events.ring()  # whoever reads shall look whether it is still his turn
        return inbox

    def is_open(self, number: int) -> bool:
        """Whether request ``number`` still waits for its last event."""
        with self._lock:
            return number in self._queues

    def leave(self, inbox: Inbox) -> None:
        """Nobody waits at ``inbox`` any more, although the request may still be open."""
        with self._lock:
            if self._at_pipe is inbox.queue:  # an interrupt hit just when it came there
                self._at_pipe = None
                self._turn.notify_all()
            if self._reader is inbox.queue:
                self._let_read(self)

    def send(self, pieces: list[bytes]) -> None:
        """Send one line, after what changed in the environment since the last one."""
        self._orders.send(b"".join([*self._environ_line(), *pieces]))

    def ring(self) -> None:
        """Make the request that reads by itself look into its queue."""
        if self._reader is not self:
            self._events.ring()

    def next_event(self, inbox: Inbox, seconds: float) -> Event:
        """The next event of ``inbox``. Raises ``queue.Empty`` when none came for so long."""
        queue = inbox.queue
        while self._begin_reading(queue):
            goes_on = True
            try:
                if not queue.empty():
                    return queue.get_nowait()
                goes_on = self._read_once(seconds)
            finally:
                self._end_reading(queue)
            if not goes_on:
                self.leave(inbox)  # the thread does what is to be done at the end
        return queue.get(timeout=seconds)

    def kill(self, reason: str) -> None:
        """End it at once; requests in flight fail with ``reason`` without waiting for the process."""
        self._fail(reason)
        self._signal()

    def close(self) -> None:
        """Let it end by itself, which it does when its input closes, then make sure."""
        self._fail("The model host was closed.")
        self._orders.end()
        try:
            self._process.wait(_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._signal()
            self._process.wait()

    def _signal(self) -> None:
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            LOG.debug("the model host %d had ended already", self._process.pid)

    def _environ_line(self) -> list[bytes]:
        now = dict(os.environb)
        with self._lock:
            before, self._environ = self._environ, now
        if now == before:
            return []
        changes: dict[str, str | None] = {os.fsdecode(name): None for name in before.keys() - now.keys()}
        for name, value in now.items():
            if before.get(name) != value:
                changes[os.fsdecode(name)] = os.fsdecode(value)
        return [encode({"op": "environ", "set": changes})]

    def _thread(self, target: Callable[[], None], name: str) -> threading.Thread:
        thread = threading.Thread(target=target, name=name, daemon=True)
        thread.start()
        return thread

    def _let_read(self, who: object) -> None:
        """From now on the reading is theirs. To be called with the lock held."""
        self._reader = who
        self._turn.notify_all()

    def _read(self) -> None:
        goes_on = True
        while goes_on:
            with self._lock:
                self._turn.wait_for(lambda: self._reader is self)
            if self._begin_reading(self):
                goes_on = self._read_once(None)
                self._end_reading(self)
        code = self._process.wait()
        self._log_thread.join(_CLOSE_SECONDS)
        self._fail(self._describe_end(code))
        self._orders.end()
        with self._lock:
            self._let_read(self)
            self._turn.wait_for(lambda: self._at_pipe is None)
        self._events.close()

    def _begin_reading(self, who: object) -> bool:
        """Go to the pipe when nobody is there any more; False if the reading is, or becomes, another's."""
        with self._lock:
            while self._reader is who and self._at_pipe is not None:
                self._turn.wait()
            if self._reader is not who:
                return False
            self._at_pipe = who
            return True

    def _end_reading(self, who: object) -> None:
        with self._lock:
            self._at_pipe = None
            if self._reader is not who:
                self._turn.notify_all()

    def _read_once(self, seconds: float | None) -> bool:
        """Wait for events and deliver them; False at their end. Only between begin and end of reading.

        Raises ``queue.Empty`` when none came in time.
        """
        if not self._events.wait(seconds):
            return True
        try:
            return self._events.read()
        except ModelHostError as error:
            self.kill(str(error))
        except BaseException:
            self.kill("The model host was ended because reading from it was interrupted.")
            raise
        return False

    def _deliver(self, line: bytes) -> None:
        event = decode(line)
        self.last_heard = time.monotonic()
        kind = event["kind"]
        if kind == "log":
            LOG.log(int(event["level"]), "%s: %s", event["name"], event["text"])
        elif kind == "ready":
            self.ready.set()
        elif "id" in event:
            with self._lock:
                if kind in UNFINISHED:
                    queue = self._queues.get(event["id"])
                else:
                    queue = self._queues.pop(event["id"], None)
            if queue is not None:
                queue.put(event)

    def _read_stderr(self) -> None:
        pipe = cast("IO[bytes]", self._process.stderr)
        with pipe:
            for raw in pipe:
                line = raw.decode("utf-8", "replace").rstrip()
                if line:
                    self._stderr_tail.append(line)
                    LOG.info("%s", line)

    def _describe_end(self, code: int) -> str:
        if code < 0:
            name = next((each.name for each in signal.Signals if each == -code), f"signal {-code}")
            return f"The model host ended ({name})."
        said = f": {self._stderr_tail[-1]}" if self._stderr_tail else "."
        return f"The model host ended with exit code {code}{said}"

    def _fail(self, reason: str) -> None:
        """Note the end and tell every request; only the first reason counts."""
        with self._lock:
            if self._failure is not None:
                return
            self._failure = reason
            queues, self._queues = self._queues, {}
        for queue in queues.values():
            queue.put({"kind": "dead", "reason": reason, "hint": _NEXT_HINT})
        self.ring()
