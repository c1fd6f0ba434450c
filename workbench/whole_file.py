"""A private file that is replaced as a whole or stays as it was, by one process at a time."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def replace_file(path: Path, text: str) -> None:
    """Write ``text`` as the new content of ``path``, readable by its owner only, durable on return.

    The folder is made if it is missing. Raises ``OSError``; the old file is then as it was.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # mkstemp creates the file for its owner only (0600), and in the same folder a rename is atomic.
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder while a file in it is read and replaced; waits for whoever holds it.

    The folder is made if it is missing; it is locked because the file is a new one each time. Raises
    ``OSError``.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
