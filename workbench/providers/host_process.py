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
from workbench.providers.protocol import PARENT_VARIABLE, UNFINISHED, Event, decode, encode

LOG = logging.getLogger("workbench.providers.host")
LOG.addHandler(logging.NullHandler())  # without a handler of the application, nothing reaches its stderr

_CLOSE_SECONDS = 0.5
_NEXT_HINT = "The next message starts a new one."


class HostProcess:
    """A running host. Once it has ended it stays ended; ``ModelHost`` starts the next.

    Three daemon threads serve it: one reads events into the queue of their request, one writes, so that
    a host that does not listen never blocks a caller, and one turns its stderr into log lines.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self.ready = threading.Event()
        self.started = time.monotonic()
        self.last_heard = self.started
        self._lock = threading.Lock()
        self._queues: dict[int, SimpleQueue[Event]] = {}
        self._outbox: SimpleQueue[list[bytes] | None] = SimpleQueue()
        self._failure: str | None = None
        self._stderr_tail: deque[str] = deque(maxlen=5)
        self._environ = dict(os.environ)
        try:
            self._process = self._start(command)
        except OSError as error:
            raise ModelHostError(f"The model host cannot be started: {error}.") from error
        self._log_thread = self._thread(self._read_stderr, "model-host-log")
        self._thread(self._write, "model-host-write")
        self._thread(self._read, "model-host-read")

    def _start(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603  our own module, or what a test gave
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env={**self._environ, "PYTHONUNBUFFERED": "1", PARENT_VARIABLE: str(os.getpid())},
        )

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it takes requests."""
        return self._failure is None

    def open(self, number: int, queue: SimpleQueue[Event]) -> None:
        """Deliver the events of request ``number`` to ``queue``. Raises ``ModelHostError`` after the end."""
        with self._lock:
            if self._failure is not None:
                raise ModelHostError(self._failure, hint=_NEXT_HINT)
            self._queues[number] = queue

    def is_open(self, number: int) -> bool:
        """Whether request ``number`` still waits for its last event."""
        with self._lock:
            return number in self._queues

    def send(self, pieces: list[bytes]) -> None:
        """Queue one line for writing, after what changed in the environment since the last one."""
        self._outbox.put([*self._environ_line(), *pieces])

    def kill(self, reason: str) -> None:
        """End it at once; requests in flight fail with ``reason`` without waiting for the process."""
        self._fail(reason)
        self._signal()

    def close(self) -> None:
        """Let it end by itself, which it does when its input closes, then make sure."""
        self._fail("The model host was closed.")
        self._outbox.put(None)
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
        now = dict(os.environ)
        with self._lock:
            before, self._environ = self._environ, now
        if now == before:
            return []
        changes: dict[str, str | None] = dict.fromkeys(before.keys() - now.keys())
        changes.update({name: value for name, value in now.items() if before.get(name) != value})
        return [encode({"op": "environ", "set": changes})]

    def _thread(self, target: Callable[[], None], name: str) -> threading.Thread:
        thread = threading.Thread(target=target, name=name, daemon=True)
        thread.start()
        return thread

    def _write(self) -> None:
        pipe = cast("IO[bytes]", self._process.stdin)
        try:
            while (pieces := self._outbox.get()) is not None:
                for piece in pieces:
                    pipe.write(piece)
                pipe.flush()
        except (BrokenPipeError, ValueError):
            LOG.debug("the model host %d closed its input", self._process.pid)
        finally:
            try:
                pipe.close()
            except BrokenPipeError:
                LOG.debug("the model host %d was gone before its input closed", self._process.pid)

    def _read(self) -> None:
        pipe = cast("IO[bytes]", self._process.stdout)
        with pipe:
            try:
                for line in pipe:
                    self._deliver(decode(line))
            except ModelHostError as error:
                self.kill(str(error))
        code = self._process.wait()
        self._log_thread.join(_CLOSE_SECONDS)
        self._fail(self._describe_end(code))
        self._outbox.put(None)

    def _deliver(self, event: Event) -> None:
        self.last_heard = time.monotonic()
        kind = event["kind"]
        if kind == "log":
            LOG.log(int(event["level"]), "%s: %s", event["name"], event["text"])
        elif kind == "ready":
            self.ready.set()
        elif "id" in event:
            with self._lock:
                find = self._queues.get if kind in UNFINISHED else self._queues.pop
                queue = find(event["id"], None)
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
