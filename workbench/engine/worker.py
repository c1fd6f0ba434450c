"""Threads that run tools and model calls, so that whoever waits for them can leave at once."""

from __future__ import annotations

import itertools
import os
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from workbench.engine.apart import start_apart
from workbench.engine.bell import Bell
from workbench.engine.ending import EndedFromOutside, Ending
from workbench.engine.jobs import Errand, Job

_GRACE = 0.03
"""Seconds that a thread has to end after it was told to, before it counts as left running."""


_making = threading.Lock()


class ThreadJob(Job):
    """A function on a thread of the pool. Where its errand allows it, the thread is ended with it."""

    __slots__ = ("_ending", "_ident", "_told")

    def __init__(self, func: Callable[[], Any], errand: Errand) -> None:
        super().__init__(func, errand)
        self._ident: int | None = None
        self._ending: Ending | None = None
        self._told = False

    def begin_on(self, worker: _Worker) -> None:
        """On the worker: it begins now."""
        self.thread_id, self.thread_name = worker.thread_id, worker.name
        self._ident = threading.get_ident()

    def execute(self) -> tuple[Any, BaseException | None]:
        """On the worker: run the function; its value, or what it raised."""
        if self.left is not None:
            return None, EndedFromOutside()
        try:
            return self._context.run(self._func), None
        except BaseException as error:  # noqa: BLE001 - the top of a worker: the waiting side raises it
            return None, error

    def close(self) -> None:
        """On the worker: what it did is over, and nothing is to be ended any more."""
        self._ending_in(threading.get_ident()).over()

    def _ending_in(self, ident: int) -> Ending:
        with _making:
            self._ending = self._ending or Ending(ident)
            return self._ending

    def _interrupt(self) -> None:
        super()._interrupt()
        if self.errand.may_end and self._ident is not None:
            self._told = self._ending_in(self._ident).begin()

    def _grace(self) -> float:
        return max(_GRACE if self._told else 0.0, super()._grace())


class _Worker:
    """A daemon thread that runs one job after the other."""

    __slots__ = ("_bell", "_inbox", "name", "thread_id")

    _numbers = itertools.count(1)

    def __init__(self, idle: deque[_Worker]) -> None:
        self._bell = Bell()
        self._inbox: deque[ThreadJob] = deque()
        self.name = f"workbench-worker-{next(self._numbers)}"
        self.thread_id: int | None = None
        start_apart(threading.Thread(target=self._loop, args=(idle,), name=self.name, daemon=True))

    def take(self, job: ThreadJob) -> None:
        """Run this next."""
        self._inbox.append(job)
        self._bell.ring()

    def _loop(self, idle: deque[_Worker]) -> None:
        self.thread_id = threading.get_native_id()
        while True:
            while not self._inbox:
                self._bell.wait()
            job = self._inbox.popleft()
            job.begin_on(self)
            outcome: tuple[Any, BaseException | None] = (None, None)
            try:
                outcome = job.execute()
                awaited = job.settle(*outcome)
                if not awaited:
                    job.close()
            except EndedFromOutside as error:  # it came when the call was just over; it comes once
                outcome, awaited = (outcome[0], outcome[1] or error), False
                job.close()
            if not awaited:
                job.end_late(*outcome)
                return  # the exception was for this one job: no other runs here after it
            idle.append(self)
            job.announce()
            del job, outcome  # the inbox may stay empty for long: the last call's values must not live on


class WorkerPool:
    """As many workers as calls run at one time, kept for the next ones."""

    def __init__(self) -> None:
        self._idle: deque[_Worker] = deque()

    def start(self, func: Callable[[], Any], errand: Errand) -> ThreadJob:
        """Begin ``func()`` on a worker, in a copy of the caller's context."""
        job = ThreadJob(func, errand)
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
