"""Threads that run tools and model calls, so that whoever waits for them can leave at once.

A worker is a daemon thread with an inbox. The waiting side listens to one bell for the result and for
the stop, which costs one hop each way and no polling. Nothing can kill a thread: a job whose caller
left is *abandoned*, stays listed in ``left_running``, and reports its late outcome when it ends.
"""

from __future__ import annotations

import asyncio
import contextvars
import itertools
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from workbench.engine.bell import Bell, own_bell
from workbench.engine.call_threads import CallThread, CallThreads
from workbench.engine.cancel import CancelToken
from workbench.engine.children import children_of, end_processes
from workbench.engine.inheritance import start_apart
from workbench.errors import ToolTimeoutError

logger = logging.getLogger("workbench.engine")


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
    """A job that nobody waits for and nothing can kill. ``started`` is in Unix seconds."""

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

    @property
    def helped_by(self) -> tuple[CallThread, ...]:
        """The other threads that work for it now."""
        return self.threads.busy if self.threads is not None else ()


_GRACE = 0.25
"""Seconds that a cancelled coroutine has for its clean-up before it counts as left running."""


class Job:
    """One call on its way through a worker; the thread that makes it is the one that waits for it."""

    __slots__ = (
        "_arrived",
        "_bell",
        "_claim",
        "_context",
        "_func",
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
        self.errand = errand
        self.ended = False
        self.left: str | None = None
        """Why nobody waits any more, "stop" or "timeout"; None while somebody does."""
        self.started = time.time()
        self.thread_id: int | None = None
        self.thread_name = ""

    def execute(self) -> tuple[Any, BaseException | None]:
        """On the worker: run the function; its value, or what it raised."""
        try:
            return self._context.run(self._func), None
        except BaseException as error:  # noqa: BLE001 - the top of a worker: the waiting side raises it
            return None, error

    def deliver(self, value: Any, error: BaseException | None) -> None:
        """Hand the outcome to the waiting side, or report it as late."""
        if self._claim.acquire(blocking=False):
            self._arrived = (value, error)
            self._bell.ring()
            return
        running.discard(self)
        if self.errand.on_late is not None and not self._ended_as_asked(error):
            late = LateOutcome(self.errand.label, value, error, (time.time() - self.started) * 1000)
            try:
                self.errand.on_late(late)
            except BaseException:  # the top of a worker: the next call needs the thread
                logger.exception("the late outcome of %s could not be noted", self.errand.label)

    def wait(self, cancel: CancelToken | None, timeout: float | None) -> Any:
        """The function's value, or its exception; Abandoned at a stop or after ``timeout`` seconds."""
        try:
            why = self._listen(cancel, timeout)
        except BaseException:
            self._abandon("stop")
            raise
        value, error = self._arrived or self._leave(why)
        self._arrived = None
        if error is None:
            return value
        try:
            raise error
        finally:
            del error  # its traceback holds this frame: nothing of the call shall live in a cycle

    def _listen(self, cancel: CancelToken | None, timeout: float | None) -> str:
        """Wait for the outcome; returns without one, and with the reason, when it is time to leave."""
        bell = self._bell
        if cancel is not None:
            cancel.wake(bell)
        if timeout is None:
            while self._arrived is None and not (cancel is not None and cancel.cancelled):
                bell.wait()
            return "stop"
        deadline = time.monotonic() + timeout
        while self._arrived is None:
            if cancel is not None and cancel.cancelled:
                return "stop"
            left = deadline - time.monotonic()
            if left <= 0:
                break
            bell.wait(left)
        return "timeout"

    def _leave(self, why: str) -> tuple[Any, BaseException | None]:
        """Give up waiting, unless the outcome arrives at the same moment: then that is the answer."""
        if self._abandon(why):
            raise Abandoned(why, ended=self._ended_soon() and not self.errand.helped_by)
        while self._arrived is None:
            self._bell.wait()
        return self._arrived

    def _abandon(self, why: str) -> bool:
        if not self._claim.acquire(blocking=False):
            return False
        self.left = why
        running.add(self)
        self._interrupt()
        return True

    def _interrupt(self) -> None:
        """End the child processes that this call started; the threads themselves cannot be ended."""
        children = dict(self.errand.threads.left) if self.errand.threads is not None else {}
        if self.thread_id is not None:
            children |= children_of(self.thread_id, self.started)
        for helper in self.errand.helped_by:
            children |= children_of(helper.native_id, helper.since)
        end_processes(children)

    def _ended_soon(self) -> bool:
        """Whether nothing runs on, asked once, right after the job was abandoned."""
        return False

    def _ended_as_asked(self, error: BaseException | None) -> bool:
        """Whether there is nothing late about the outcome: the job was cancelled, and that was all."""
        return False


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


class _Worker:
    """A daemon thread that runs one job after the other."""

    __slots__ = ("_bell", "_inbox", "name", "thread_id")

    _numbers = itertools.count(1)

    def __init__(self, idle: deque[_Worker]) -> None:
        self._bell = Bell()
        self._inbox: deque[Job] = deque()
        self.name = f"workbench-worker-{next(self._numbers)}"
        self.thread_id: int | None = None
        start_apart(threading.Thread(target=self._loop, args=(idle,), name=self.name, daemon=True))

    def take(self, job: Job) -> None:
        """Run this next."""
        self._inbox.append(job)
        self._bell.ring()

    def _loop(self, idle: deque[_Worker]) -> None:
        self.thread_id = threading.get_native_id()
        while True:
            while not self._inbox:
                self._bell.wait()
            job = self._inbox.popleft()
            job.thread_id = self.thread_id
            job.thread_name = self.name
            outcome = job.execute()
            idle.append(self)
            job.deliver(*outcome)
            del job, outcome  # the inbox may stay empty for long: the last call's values must not live on


class WorkerPool:
    """As many workers as calls run at one time, kept for the next ones."""

    def __init__(self) -> None:
        self._idle: deque[_Worker] = deque()

    def start(self, func: Callable[[], Any], errand: Errand) -> Job:
        """Begin ``func()`` on a worker, in a copy of the caller's context."""
        job = Job(func, errand)
        try:
            worker = self._idle.pop()
        except IndexError:
            worker = _Worker(self._idle)
        worker.take(job)
        return job

    def forget_all(self) -> None:
        """In a forked child, which has none of these threads."""
        self._idle = deque()


pool = WorkerPool()
os.register_at_fork(after_in_child=pool.forget_all)


class LoopJob(Job):
    """A coroutine on an event loop of another thread; a stop cancels it.

    ``owned``: nobody else starts child processes on that loop, so those of a stopped call may be ended.
    """

    __slots__ = ("_done", "_loop", "_outcome", "_overdue", "_owned", "_settling", "_task")

    def __init__(
        self,
        make: Callable[[], Awaitable[Any]],
        loop: asyncio.AbstractEventLoop,
        errand: Errand,
        *,
        owned: bool,
    ) -> None:
        super().__init__(make, errand)
        self._loop = loop
        self._owned = owned
        self._outcome: tuple[Any, BaseException | None] = (None, asyncio.CancelledError())
        self._done = threading.Event()
        self._settling = threading.Lock()
        self._overdue = False
        self.thread_name = "event loop"
        loop.call_soon_threadsafe(self._begin)

    def _begin(self) -> None:
        if self._owned:
            self.thread_id = threading.get_native_id()
        self._task = self._loop.create_task(self._main(), context=self._context)
        self._task.add_done_callback(self._end)

    async def _main(self) -> None:
        try:
            self._outcome = (await self._func(), None)
        except BaseException as error:  # noqa: BLE001 - the top of a worker: the waiting side raises it
            self._outcome = (None, error)

    def _end(self, _task: asyncio.Task[None]) -> None:
        with self._settling:
            self._done.set()
        self.deliver(*self._outcome)

    def _interrupt(self) -> None:
        super()._interrupt()
        self._loop.call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        self._task.cancel()

    def _ended_soon(self) -> bool:
        if not self._done.wait(_GRACE):
            with self._settling:
                self._overdue = not self._done.is_set()
        return not self._overdue

    def _ended_as_asked(self, error: BaseException | None) -> bool:
        return not self._overdue and isinstance(error, asyncio.CancelledError | ToolTimeoutError)


class LoopThread:
    """An event loop on a daemon thread of its own, made at the first coroutine."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._process = os.getpid()

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The running loop."""
        with self._lock:
            if self._loop is None or self._process != os.getpid():  # a forked child has no such thread
                self._process = os.getpid()
                # in no context: the loop would hold on to the call that it is made in, and so to the agent
                self._loop = contextvars.Context().run(asyncio.new_event_loop)
                start_apart(threading.Thread(target=_serve, args=(self._loop,), name=self._name, daemon=True))
            return self._loop

    def close(self) -> None:
        """Stop the loop, if there is one; a later coroutine gets a new one."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None:
            loop.call_soon_threadsafe(loop.stop)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
