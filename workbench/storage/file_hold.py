"""Which process writes a file: it holds a lock on it, and nobody who only looks ever takes one."""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from workbench.storage.private_file import open_private

_RANGE: Final = struct.Struct("hhqqi4x")
_WHOLE_FILE: Final = _RANGE.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
_TAKEN: Final = (errno.EAGAIN, errno.EACCES)
_LOCKS: Final = Path("/proc/locks")
_PATIENCE: Final = 50  # looks of others, of a few milliseconds at most, that a writer waits out


def hold(descriptor: int) -> bool:
    """Mark the file as being written by this process; False if another writer has it.

    It stays so until the descriptor is closed, however the process ends.
    """
    for again in range(_PATIENCE, -1, -1):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if not again or _can_be_asked():
                return False
            time.sleep(0.002)
    if _can_be_asked():
        try:
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _WHOLE_FILE)
        except OSError as error:
            # a file system without such locks has the other one, which is what counts
            return error.errno not in _TAKEN
    return True


def is_held(path: Path) -> bool:
    """Whether a running session writes the file. Raises ``OSError``."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return descriptor_is_held(descriptor)
    finally:
        os.close(descriptor)


def descriptor_is_held(descriptor: int) -> bool:
    """The same of an open file, through a descriptor of one's own."""
    if _can_be_asked():
        with suppress(OSError):  # a file system without such locks: the other one is tried
            found = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, _WHOLE_FILE)
            kind: int = _RANGE.unpack(found)[0]
            return kind != fcntl.F_UNLCK
    try:
        # There is no other way to know; a writer that comes just now waits for it.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False


def holder(path: Path) -> str:
    """Who holds the file, in words: ``process 4711 (workbench)``; ``another process`` if not known."""
    try:
        about = path.stat()
        lines = _LOCKS.read_text().splitlines()
    except OSError:
        return "another process"
    file = f"{os.major(about.st_dev):02x}:{os.minor(about.st_dev):02x}:{about.st_ino}"
    for line in lines:
        fields = line.split()
        if fields[1:2] == ["FLOCK"] and file in fields and int(fields[4]) > 0:
            return _process(int(fields[4]))
    return "another process"


def _process(number: int) -> str:
    if number == os.getpid():
        return "this process"
    try:
        name = Path(f"/proc/{number}/comm").read_text(errors="replace").strip()
    except OSError:
        return f"process {number}"
    return f"process {number} ({name})"


@contextmanager
def sole_writer(path: Path) -> Iterator[int | None]:
    """Hold the file for a while; gives None if a running session holds it. Raises ``OSError``."""
    descriptor = open_private(path, 0)
    try:
        yield descriptor if hold(descriptor) else None
    finally:
        os.close(descriptor)


def _can_be_asked() -> bool:
    """Whether the system tells of locks without taking one."""
    return hasattr(fcntl, "F_OFD_GETLK")
