"""Ends what a thread does that nobody waits for any more, by an exception raised inside of it.

Nothing can kill a thread, but Python can be made to raise an exception in one, at the next step that it
takes in Python code. That is done only where it does no more harm than an interrupt from the keyboard does
to a script: in a tool's own code, not while a lock is being taken, something is being entered or left, a
module imported or a line logged, and not while an agent works inside the tool. Until the thread is at such
a place it is looked at again. Code that waits outside of Python goes on until that returns.
"""

from __future__ import annotations

import dis
import gc
import sys
import threading
import time
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Final

from workbench.engine.apart import start_apart

_OWN: Final = f"{Path(__file__).parent.parent}/"
_TURN: Final = f"{_OWN}engine/turn.py"
_BASE: Final = frozenset(
    f"{_OWN}{each}.py"
    for each in (
        *("engine/calls", "engine/faults", "engine/jobs", "engine/pictured", "engine/results"),
        *("engine/images", "engine/stand_in"),
        *("registry/schema", "registry/texts", "registry/tool"),
    )
)
"""From here a tool's code is called, and whatever that raises is expected."""
_THREADING: Final = str(threading.__file__)
_STANDARD: Final = Path(_THREADING).parent
_SHIELDED: Final = (
    _THREADING,
    "<frozen importlib",
    *(str(_STANDARD / each) for each in ("logging", "multiprocessing", "subprocess.py")),
    *(str(_STANDARD / each) for each in ("weakref.py", "_weakrefset.py")),
)
"""Code that holds what the whole process shares, locks or how a child ended, or that runs when something is
freed, where exceptions get lost: the beginnings of its files."""
_WAITING: Final = frozenset({"wait", "join", "_wait_for_tstate_lock"})
"""Where ``threading`` waits for something; these clean up after an exception."""
_BRIEF: Final = frozenset({"__enter__", "__exit__", "__del__", "acquire", "release"})
"""Functions that are soon over, and that may leave something open if they are not."""
_POSSIBLE: Final = sys.implementation.name == "cpython" and getattr(sys, "_is_gil_enabled", lambda: True)()
"""Where threads run one at a time, a thread stands still while it is looked at."""
_SOONEST, _LATEST = 0.005, 0.05
"""Seconds until a thread is looked at again: at first, and in the end."""


_looking: Final = threading.Lock()


class EndedFromOutside(BaseException):
    """Raised inside a tool whose call was stopped or ran too long, so that it ends.

    Not an Exception: a tool that catches those does not catch it. ``finally`` and ``with`` do their work.
    """

    def __init__(self) -> None:
        super().__init__("it was ended from outside, because nobody waited for it any more")


class Ending:
    """The end of what one thread does now. The exception is raised once, and never after ``over()``."""

    __slots__ = ("_ident", "_lock", "_over", "_raised")

    def __init__(self, ident: int) -> None:
        self._ident = ident
        self._lock = threading.Lock()
        self._over = not _POSSIBLE
        self._raised = False

    def begin(self) -> bool:
        """Raise it now, or else as soon as that does no harm; False if it could not be raised at once."""
        if self._attempt():
            return True
        start_apart(threading.Thread(target=self._persist, name="workbench-ending", daemon=True))
        return False

    def over(self) -> None:
        """On the thread itself, when it has done what it did: from here on nothing is raised in it."""
        while True:
            try:
                with self._lock:
                    self._over = True
                    if self._raised:
                        _raise_in(self._ident, None)
            except EndedFromOutside:  # it came just now
                continue
            return

    def _attempt(self) -> bool:
        """Whether there is nothing more to do."""
        import_module("ctypes")  # now, as the thread must not get far between the look and the exception
        with self._lock:
            if self._over:
                return True
            frame = _frame_of(self._ident)
            if frame is None or not _may_end(frame):
                return frame is None
            at = frame.f_lasti
            # it may have gone on meanwhile; from this look to the next line it hardly can
            if _frame_of(self._ident) is not frame or frame.f_lasti != at:
                return False
            _raise_in(self._ident, EndedFromOutside)
            self._over = self._raised = True
            return True

    def _persist(self) -> None:
        pause = _SOONEST
        while not self._attempt():
            time.sleep(pause)
            pause = min(pause * 1.5, _LATEST)


def _frame_of(ident: int) -> FrameType | None:
    """What a thread does just now; None if there is no such thread."""
    with _looking:
        collects = gc.isenabled()
        # a finalizer that ran meanwhile could wait for a thread which waits for the list of threads
        gc.disable()
        try:
            return sys._current_frames().get(ident)
        finally:
            if collects:
                gc.enable()


def _may_end(innermost: FrameType) -> bool:
    """Whether an exception does no harm where the thread is now: ``innermost`` is what it does there."""
    if _takes_a_lock(innermost):
        return False
    waits = innermost.f_code.co_filename == _THREADING and innermost.f_code.co_name in _WAITING
    frame: FrameType | None = innermost
    while frame is not None and not frame.f_code.co_filename.startswith(_OWN):
        name, file = frame.f_code.co_name, frame.f_code.co_filename
        waits = waits and file == _THREADING
        if not waits and (name in _BRIEF or file.startswith(_SHIELDED)):
            return False
        frame = frame.f_back
    if frame is None or frame is innermost or frame.f_code.co_filename not in _BASE:
        return False
    while frame is not None:
        if frame.f_code.co_filename == _TURN:
            return False
        frame = frame.f_back
    return True


def _takes_a_lock(frame: FrameType) -> bool:
    """Whether the line that runs calls ``acquire``: nobody would release what it gets."""
    if "acquire" not in frame.f_code.co_names or frame.f_code.co_filename == _THREADING:
        return False
    line = frame.f_lineno
    return any(
        each.argval == "acquire" and each.positions is not None and each.positions.lineno == line
        for each in dis.get_instructions(frame.f_code)
    )


def _raise_in(ident: int, kind: type[BaseException] | None) -> None:
    """Have the thread raise it; None takes back what it has not raised yet."""
    import ctypes

    thread = ctypes.c_ulong(ident)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, None if kind is None else ctypes.py_object(kind))
