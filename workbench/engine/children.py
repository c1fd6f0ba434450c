"""Ending the child processes of one call, where the system tells who started what (Linux)."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path

from workbench.engine.apart import start_apart

_GRACE = 0.5
"""Seconds between asking a process to end and killing it."""


Children = dict[int, float]
"""Process ids, and when each process began in Unix seconds: a number may come to mean another process."""


def children_of(thread_id: int, since: float) -> Children:
    """The children that this thread started after ``since`` (Unix seconds) and that live.

    To be asked while the thread lives: then its children become those of some other thread. Empty where the
    system cannot tell.
    """
    found: Children = {}
    for child in _started_by(Path(f"/proc/self/task/{thread_id}/children")):
        started = _started_at(child)
        if started is not None and started >= since - _tick():
            found[child] = started
    return found


def end_processes(children: Children) -> list[int]:
    """End these processes and all below them; returns their ids.

    They are asked to end now, and killed half a second later by a thread of its own if they did not listen.
    """
    doomed = [pid for child, started in children.items() if _is(child, started) for pid in _tree(child)]
    if doomed:
        for pid in doomed:
            _signal(pid, signal.SIGTERM)
        timer = threading.Timer(_GRACE, _kill, args=({pid: _started_at(pid) for pid in doomed},))
        timer.daemon = True
        start_apart(timer)  # as a thread of the call it would count as the call's work
    return doomed


def _started_by(path: Path) -> list[int]:
    try:
        return [int(pid) for pid in path.read_text().split()]
    except OSError:
        return []


def _tree(pid: int) -> list[int]:
    found = [pid]
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return found
    for thread in threads:
        for child in _started_by(thread / "children"):
            found.extend(_tree(child))
    return found


def _tick() -> float:
    return 2.0 / os.sysconf("SC_CLK_TCK")


def _started_at(pid: int) -> float | None:
    """When a process began, in Unix seconds, with the resolution of one clock tick; None if it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    since_boot = int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + since_boot


def _kill(processes: dict[int, float | None]) -> None:
    for pid, started in processes.items():
        if _is(pid, started):
            _signal(pid, signal.SIGKILL)


def _is(pid: int, started: float | None) -> bool:
    """Whether the number still belongs to the process that began then."""
    now = _started_at(pid)
    return now is not None and started is not None and abs(now - started) <= _tick()


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
