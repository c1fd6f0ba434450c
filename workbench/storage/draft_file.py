"""The draft of each running app, kept in a file of its own, and found again when its app is gone."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from workbench.storage.file_hold import hold
from workbench.storage.masking import Masker
from workbench.storage.private_file import open_private, private_folder

_CODING = ("utf-8", "surrogatepass")


class DraftFile:
    """Keeps one app's draft in ``folder``. A file that nobody holds a lock on is of an app that has ended.

    Secrets are masked, as in the logs: what is taken may hold less than what was written, and who has the
    draft at hand goes on with that. Every method raises ``OSError``. Nothing is read or written through a
    symbolic link.
    """

    def __init__(self, folder: Path, *, mask: Masker | None = None) -> None:
        self._folder = folder
        self._mask = Masker() if mask is None else mask
        self._path = folder / f"{os.getpid()}_{secrets.token_hex(4)}.txt"
        self._descriptor: int | None = None

    def take(self) -> str:
        """The newest draft of an app that has ended, which is then gone from the folder; "" without one."""
        if self._folder.is_symlink() or not self._folder.is_dir():
            return ""
        for path in sorted(self._folder.glob("*.txt"), key=_modified, reverse=True):
            with suppress(FileNotFoundError):  # another app took it
                text = _taken(path)
                if text:
                    return text
        return ""

    def keep(self, text: str) -> None:
        """This is the draft now; an empty one leaves no file."""
        before, self._descriptor = self._descriptor, None
        try:
            if text:
                private_folder(self._folder)
                self._mask.refresh()
                self._descriptor = self._written(self._mask(text))
            else:
                self._path.unlink(missing_ok=True)
        finally:
            if before is not None:
                os.close(before)

    def close(self) -> None:
        """The app ends; what is kept can be taken by the next one."""
        before, self._descriptor = self._descriptor, None
        if before is not None:
            os.close(before)

    def _written(self, text: str) -> int:
        """The descriptor of the new file: locked before it takes the place of the old one."""
        new = self._path.with_suffix(".new")
        new.unlink(missing_ok=True)
        descriptor = open_private(new, os.O_CREAT | os.O_EXCL)
        try:
            hold(descriptor)
            rest = memoryview(text.encode(*_CODING))
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            new.replace(self._path)
        except OSError:
            os.close(descriptor)
            new.unlink(missing_ok=True)
            raise
        return descriptor


def _modified(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except FileNotFoundError:
        return 0.0


def _taken(path: Path) -> str:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        if not hold(descriptor):
            return ""
        data = file.read()
        path.unlink()
    try:
        return data.decode(*_CODING)
    except UnicodeDecodeError:  # not all of it is as it was written; what can be read is given back
        return data.decode(errors="replace")
