"""A private file that is replaced as a whole or stays as it was."""

from __future__ import annotations

import os
import tempfile
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
