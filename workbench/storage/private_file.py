"""Files that only their owner can read, in folders that only their owner can enter.

Nothing here follows a symbolic link: neither as the file, nor as its folder, nor as the ``.workbench``
folder above. A folder that came from somebody else could hold links that lead anywhere.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Final

_CHUNK: Final = 1024 * 1024
_LONGEST_NAME: Final = 80  # bytes; leaves room for the time and a suffix in a file name of 255


def file_safe(name: str) -> str:
    """The name as a part of a file name: letters, digits, dot, dash, underscore; at most 80 bytes."""
    safe = re.sub(r"[^\w.-]+", "_", name).strip(". ")
    return safe.encode()[:_LONGEST_NAME].decode(errors="ignore") or "agent"


def private_folder(path: Path) -> Path:
    """Create ``path`` and what is missing above it, and close it to others.

    Raises ``OSError``, also when ``path`` or the folder above it is a symbolic link.
    """
    for folder in (path.parent, path):
        if folder.is_symlink():
            raise _refused(folder, "is a symbolic link")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.stat().st_mode & 0o077:
        path.chmod(0o700)
    if path.parent.name == ".workbench":
        _keep_out_of_git(path.parent)
    return path


_UNSHARED: Final = (
    "# What was said and done here is yours alone.\nsessions/\nlogs/\nresults/\ndrafts/\nhistory.jsonl\n"
)


def _keep_out_of_git(folder: Path) -> None:
    """Tell git, once, what in the project's folder is not to be committed; settings may be."""
    try:
        descriptor = os.open(
            folder / ".gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600
        )
    except OSError:
        return  # it is there, or cannot be; whoever writes next is told of a disk that refuses
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(_UNSHARED)


def open_private(path: Path, flags: int = os.O_CREAT) -> int:
    """A descriptor that appends to ``path``, readable by its owner only; a file that was open to others
    is closed to them. Raises ``OSError``, also when ``path`` is a symbolic link or no plain file.
    """
    # O_NONBLOCK: a device does not make anybody wait; it means nothing for a plain file.
    flags |= os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags, 0o600)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _refused(path, "is a symbolic link") from error
        raise
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise _refused(path, "is no plain file")
        if mode & 0o077:
            os.fchmod(descriptor, 0o600)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _refused(path: Path, reason: str) -> OSError:
    return OSError(errno.ELOOP, f"{path.name} {reason}", str(path))


def create_new(folder: Path, stem: str, suffix: str, companion: Callable[[Path], Path]) -> tuple[Path, int]:
    """Create a file that did not exist before, numbered if its name, or that of the ``companion`` that
    it will have, is taken. Raises ``OSError``.
    """
    for number in count(1):
        path = folder / (f"{stem}{suffix}" if number == 1 else f"{stem}_{number}{suffix}")
        if os.path.lexists(companion(path)):
            continue
        try:
            return path, open_private(path, os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            continue
    raise AssertionError("unreachable")


def is_gone(descriptor: int) -> bool:
    """Whether the open file was removed, or another one took its place."""
    return os.fstat(descriptor).st_nlink == 0


def copy(source: int, to: int) -> None:
    """Append all that one open file holds to another one. Raises ``OSError``."""
    at = 0
    while data := os.pread(source, _CHUNK, at):
        append(to, data)
        at += len(data)


def append(descriptor: int, data: bytes) -> None:
    """Append all of ``data`` or nothing: a failure or an interrupt leaves the file as it was.

    Raises ``OSError``.
    """
    before = os.fstat(descriptor).st_size
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except BaseException:  # an interrupt too: whoever appends tries again, and it must not be there twice
        os.ftruncate(descriptor, before)
        raise
