"""Work that somebody waits for and may leave: its outcome, or what became of it when nobody waited any more.

The waiting side listens to one bell for the result and for the stop, which costs one hop each way and no
polling. A job whose caller left is *abandoned*: it stays listed in ``left_running`` until it ends, and its
late outcome is told then.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workbench.engine.bell import own_bell
from workbench.engine.call_threads import CallThread, CallThreads
from workbench.engine.cancel import CancelToken
from workbench.engine.children import children_of, end_processes
from workbench.engine.ending import EndedFromOutside
from workbench.engine.human_time import HumanTime
from workbench.errors import ToolTimeoutError

logger = logging.getLogger("workbench.engine")

_CHILDREN_GRACE = 0.25
"""Seconds that a call has to end after its child processes were told to, before it counts as left running."""


_LOOK = 0.05
"""Seconds between two looks at the limit of a call that has nearly reached it while a person is asked."""


class Abandoned(BaseException):
    """Internal: the caller stopped waiting. ``why`` is "stop" or "timeout"; ``ended``: nothing runs on.

    Not an Exception, so that nothing between the worker and the engine takes it for a tool's own error.
    """

    def __init__(self, why: str, *, ended: bool) -> None:
        super().__init__(why)
        self.why = why
        self.ended = ended


@dataclass(frozen=True, slots=True)
class LateOutcome:
    """How an abandoned job ended after all; ``duration_ms`` counts from its start."""

    label: str
    value: Any
    error: BaseException | None
    duration_ms: float


@dataclass(frozen=True, slots=True)
class LeftRunning:
    """A job that nobody waits for, and that has not ended yet.

    ``label`` is the tool's name, ``thread`` that of the thread; ``started`` is in Unix seconds.
    """

    label: str
    call_id: str | None
    thread: str
    started: float


@dataclass(slots=True)
class Errand:
    """Whose job it is and what it is for: shown when it is left running, told when it ends late."""

    label: str
    owner: object = None
    call_id: str | None = None
    on_late: Callable[[LateOutcome], None] | None = None
    threads: CallThreads | None = None
    """Other threads that work for it."""
    may_end: bool = False
    """Whether its thread may be ended from outside when nobody waits any more."""

    @property
    def helped_by(self) -> tuple[CallThread, ...]:
        """The other threads that work for it now."""
        return self.threads.busy if self.threads is not None else ()


_settling = threading.Lock()


class Job:
    """One call on its way; the thread that makes it is the one that waits for it."""

    __slots__ = (
        "_arrived",
        "_bell",
        "_children_told",
        "_claim",
        "_context",
        "_func",
        "_gone",
        "_overdue",
        "_taken",
        "ended",
        "errand",
        "left",
        "started",
        "thread_id",
        "thread_name",
    )

    def __init__(self, func: Callable[[], Any], errand: Errand) -> None:
        self._func = func
        self._context = contextvars.copy_context()
        self._bell = own_bell()
        self._arrived: tuple[Any, BaseException | None] | None = None
        self._claim = threading.Lock()
        self._gone: threading.Event | None = None
        """Set when it ends after nobody waited for it any more; there once somebody may leave."""
        self._overdue = False
        self._children_told = False
        """Whether it had child processes, which were told to end: what waits for them ends at once."""
        self._taken = False
        """Whether the waiting side has the outcome."""
        self.errand = errand
        self.ended = False
        self.left: str | None = None
        """Why nobody waits any more, "stop" or "timeout"; None while somebody does."""
        self.started = time.time()
        self.thread_id: int | None = None
        self.thread_name = ""

    def settle(self, value: Any, error: BaseException | None) -> bool:
        """Leave the outcome for the waiting side; False if nobody waits any more."""
        if not self._claim.acquire(blocking=False):
            return False
        self._arrived = (value, error)
        return True

    def announce(self) -> None:
        """Wake the waiting side."""
        self._bell.ring()

    def end_late(self, value: Any, error: BaseException | None) -> None:
        """Nobody waits for the outcome any more: report it."""
        assert self._gone is not None
        with _settling:
            self._gone.set()
        running.discard(self)
        if self.errand.on_late is not None and not self._ended_as_asked(error):
            late = LateOutcome(self.errand.label, value, error, (time.time() - self.started) * 1000)
            try:
                self.errand.on_late(late)
            except BaseException:  # the top of a worker: the next call needs the thread
                logger.exception("the late outcome of %s could not be noted", self.errand.label)

    def wait(self, cancel: CancelToken | None, timeout: float | None, human: HumanTime | None = None) -> Any:
        """The function's value, or its exception; Abandoned at a stop or after ``timeout`` seconds.

        Of these, none are counted in which ``human`` runs from now on.
        Abandoned also when it was waited for before, and an interrupt took what came of that.
        """
        try:
            why = self._listen(cancel, timeout, human or HumanTime())
        except BaseException:
            self._abandon("stop")
            raise
        value, error = self._arrived or self._leave(why)
        self._taken, self._arrived = True, None
        if error is None:
            return value
        try:
            raise error
        finally:
            del error  # its traceback holds this frame: nothing of the call shall live in a cycle

    def _listen(self, cancel: CancelToken | None, timeout: float | None, human: HumanTime) -> str:
        """Wait for the outcome; returns without one, and with the reason, when it is time to leave."""
        bell = self._bell
        if cancel is not None:
            cancel.wake(bell)
        if timeout is None:
            while self._arrived is None and not (cancel is not None and cancel.cancelled):
                bell.wait()
            return "stop"
        deadline = time.monotonic() + timeout - human.seconds
        while self._arrived is None:
            if cancel is not None and cancel.cancelled:
                return "stop"
            left = deadline + human.seconds - time.monotonic()
            if left <= 0:
                break
            bell.wait(max(left, _LOOK) if human.runs else left)
        return "timeout"

    def _leave(self, why: str) -> tuple[Any, BaseException | None]:
        """Give up waiting, unless the outcome arrives at the same moment: then that is the answer."""
        if self._taken:
            raise Abandoned(why, ended=True)
        if self.left is not None or self._abandon(why):
            raise Abandoned(why, ended=self._ended_within(self._grace()) and not self.errand.helped_by)
        while self._arrived is None:
            self._bell.wait()
        return self._arrived

    def _abandon(self, why: str) -> bool:
        self._gone = self._gone or threading.Event()
        if not self._claim.acquire(blocking=False):
            return False
        self.left = why
        running.add(self)
        self._interrupt()
        return True

    def _interrupt(self) -> None:
        """End the child processes that this call started."""
        children = dict(self.errand.threads.left) if self.errand.threads is not None else {}
        if self.thread_id is not None:
            children |= children_of(self.thread_id, self.started)
        for helper in self.errand.helped_by:
            children |= children_of(helper.native_id, helper.since)
        self._children_told = bool(children)  # before they are: it may end at once
        end_processes(children)

    def _grace(self) -> float:
        """How many seconds it has to end, right after it was abandoned."""
        return _CHILDREN_GRACE if self._children_told else 0.0

    def _ended_within(self, grace: float) -> bool:
        """Whether it ends so soon that it does not count as left running; asked once."""
        assert self._gone is not None
        if not self._gone.wait(grace):
            with _settling:
                self._overdue = not self._gone.is_set()
        return not self._overdue

    def _ended_as_asked(self, error: BaseException | None) -> bool:
        """Whether there is nothing late about the outcome: it was told to end, and that was all."""
        asked = asyncio.CancelledError | ToolTimeoutError | EndedFromOutside
        return not self._overdue and (self._children_told or isinstance(error, asked))


class LeftRunningList:
    """The abandoned jobs of this process that have not ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[int, Job] = {}

    def add(self, job: Job) -> None:
        """Called by whoever abandons the job."""
        with self._lock:
            if not job.ended or job.errand.helped_by:
                self._jobs[id(job)] = job

    def discard(self, job: Job) -> None:
        """Called when the job has ended after all; other threads that work for it may still go on."""
        with self._lock:
            job.ended = True
        if job.errand.threads is None:
            self._forget(job)
        else:
            job.errand.threads.when_idle(lambda: self._forget(job))

    def _forget(self, job: Job) -> None:
        with self._lock:
            self._jobs.pop(id(job), None)

    def of(self, owner: object) -> list[LeftRunning]:
        """What ``owner`` has left running now, oldest first."""
        with self._lock:
            jobs = [job for job in self._jobs.values() if job.errand.owner is owner]
        found: list[LeftRunning] = []
        for job in jobs:
            label, call_id = job.errand.label, job.errand.call_id
            if not job.ended:
                found.append(LeftRunning(label, call_id, job.thread_name, job.started))
            else:
                found += [LeftRunning(label, call_id, each.name, each.since) for each in job.errand.helped_by]
        return found


running = LeftRunningList()
