"""The parent's side of the model host: requests, stops, and a new host when one has ended."""

from __future__ import annotations

import atexit
import itertools
import os
import sys
import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Empty
from typing import Any

from workbench.engine.cancel import CancelToken
from workbench.engine.llm import ToolSchema
from workbench.errors import ModelHostError, StopTurn
from workbench.providers.host_process import LOG, HostProcess, Inbox
from workbench.providers.protocol import UNFINISHED, Event, encode, encode_request

HOST_COMMAND = (sys.executable, "-m", "workbench.providers.host")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a host, in seconds.

    ``start``: until it is ready. ``silence``: until it is asked whether it lives; ``answer``: for the
    reply to that. ``stop``: until it is killed because it did not end a request that was stopped.
    """

    start: float = 120.0
    silence: float = 15.0
    answer: float = 30.0
    stop: float = 1.0


class ModelHost:
    """A model host that is there when needed. Safe to use from several threads."""

    def __init__(self, command: Sequence[str] = HOST_COMMAND, patience: Patience | None = None) -> None:
        self._command = tuple(command)
        self._patience = patience or Patience()
        self._lock = threading.Lock()
        self._process: HostProcess | None = None
        self._parents: HostProcess | None = None
        self._closed = False
        self._numbers = itertools.count(1)

    @property
    def ready(self) -> bool:
        """Whether a host runs and has loaded the model library."""
        process = self._process
        return process is not None and process.alive and process.ready.is_set()

    @property
    def closed(self) -> bool:
        """Whether it was ended by ``close``, and no new one was wanted since."""
        return self._closed

    @property
    def pid(self) -> int | None:
        """The process id of the running host."""
        process = self._process
        return process.pid if process is not None and process.alive else None

    def warm(self) -> None:
        """Start a host in the background, so that it is ready when the first message comes."""
        threading.Thread(target=self._start, name="model-host-start", daemon=True).start()

    def complete(
        self,
        model: str,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[ToolSchema] | None,
        parameters: Mapping[str, Any],
        cancel: CancelToken | None = None,
    ) -> Generator[Event, None, None]:
        """The events of one request, ``done`` or ``failed`` last.

        Raises ``StopTurn`` when cancelled, ``ModelHostError`` when the host ends or does not answer,
        ``InvalidRequestError`` for messages that are not JSON. Close the iterator to stop early.
        """
        number = next(self._numbers)
        yield from self._exchange(number, encode_request(number, model, messages, tools, parameters), cancel)

    def facts(self, model: str, cancel: CancelToken | None = None) -> Event:
        """What the local tables know about ``model``, see ``host_facts.py``.

        Raises ``ModelHostError``, and ``StopTurn`` when cancelled.
        """
        return self._ask({"op": "facts", "model": model}, cancel)

    def models(self) -> dict[str, dict[str, Any]]:
        """Chat models by provider: ``{"models": {name: facts}, "key": whether its key is set, "variables"}``.

        The facts are context window, input and output price in dollars per million tokens, None for what
        is not known, and whether it takes images. ``variables`` would hold the key. Raises
        ``ModelHostError``.
        """
        providers: dict[str, dict[str, Any]] = self._ask({"op": "models"})["providers"]
        return providers

    def close(self) -> None:
        """End the host. A later request starts a new one."""
        with self._lock:
            process, self._process = self._process, None
            self._closed = True
        if process is not None:
            process.close()

    def abandon(self) -> None:
        """Forget the host without touching it: in a forked child it belongs to the parent."""
        self._lock = threading.Lock()
        self._parents = self._process  # kept, so that nothing ends or waits for it here
        self._process = None

    def _ask(self, order: Mapping[str, Any], cancel: CancelToken | None = None) -> Event:
        number = next(self._numbers)
        return next(self._exchange(number, [encode({**order, "id": number})], cancel))

    def _start(self) -> None:
        try:
            self._running()
        except ModelHostError as error:
            LOG.warning("%s", error)

    def _running(self) -> HostProcess:
        with self._lock:
            if self._process is None or not self._process.alive:
                self._process = HostProcess(self._command)
                self._closed = False
            return self._process

    def _replace(self, dead: HostProcess) -> bool:
        """Start the next host at once, so that it is ready sooner; not after one that never was."""
        with self._lock:
            if self._process is dead and dead.ready.is_set():
                try:
                    self._process = HostProcess(self._command)
                except ModelHostError as error:
                    LOG.warning("%s", error)
            return self._process is not None and self._process.alive

    def _exchange(
        self, number: int, pieces: list[bytes], cancel: CancelToken | None
    ) -> Generator[Event, None, None]:
        process = self._running()
        inbox = process.open(number)
        with self._stopping(process, inbox), _stop_mark(inbox, cancel):
            process.send(pieces)
            while True:
                event = self._next(process, inbox)
                if event["kind"] == "stop":
                    raise StopTurn(event["reason"])
                if event["kind"] == "dead":
                    hint = "A new one is starting." if self._replace(process) else event["hint"]
                    raise ModelHostError(event["reason"], hint=hint)
                yield event
                if event["kind"] not in UNFINISHED:
                    return

    def _next(self, process: HostProcess, inbox: Inbox) -> Event:
        """The next event; a host that stays silent is asked, and killed if it does not reply."""
        patience = self._patience
        look = min(patience.silence, patience.answer)
        asked: float | None = None
        while True:
            try:
                return process.next_event(inbox, look)
            except Empty:
                now = time.monotonic()
            if not process.ready.is_set():
                if now - process.started > patience.start:
                    process.kill(f"The model host was not ready after {patience.start:.0f} s.")
            elif asked is not None and process.last_heard < asked:
                if now - asked >= patience.answer:
                    process.kill(f"The model host did not answer for {now - process.last_heard:.0f} s.")
            elif now - process.last_heard >= patience.silence:
                asked = now
                process.send([encode({"op": "ping"})])

    @contextmanager
    def _stopping(self, process: HostProcess, inbox: Inbox) -> Iterator[None]:
        """On the way out, stop a request that has not ended, and its host if that does not listen."""
        try:
            yield
        finally:
            process.leave(inbox)
            if process.is_open(inbox.number):
                process.send([encode({"op": "cancel", "id": inbox.number})])
                timer = threading.Timer(self._patience.stop, self._kill_if_open, (process, inbox.number))
                timer.daemon = True
                timer.start()

    def _kill_if_open(self, process: HostProcess, number: int) -> None:
        if process.is_open(number):
            process.kill("The model host was killed because it did not stop a request.")
            self._replace(process)


@contextmanager
def _stop_mark(inbox: Inbox, cancel: CancelToken | None) -> Iterator[None]:
    """While inside, a stop shows up in ``inbox``."""
    if cancel is None:
        yield
        return
    forget = cancel.on_cancel(lambda: inbox.put({"kind": "stop", "reason": cancel.reason or "stopped"}))
    try:
        yield
    finally:
        forget()


_SHARED = ModelHost()
atexit.register(_SHARED.close)
os.register_at_fork(after_in_child=_SHARED.abandon)


def shared_host() -> ModelHost:
    """The one host that every model of this process uses."""
    return _SHARED
