"""Results that are too long for the model, whole, each in a file of its own."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from workbench.storage import private_file
from workbench.storage.masking import Masker

_LONGEST_NAME: Final = 40


class ResultFiles:
    """Writes ``<root>/.workbench/results/<UTC time>_<tool>.txt``, readable by its owner only.

    ``root`` is by default the current folder. Secrets are masked, as in the logs.
    """

    def __init__(
        self,
        root: str | Path | None = None,
        *,
        mask: Masker | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._root = Path.cwd() if root is None else Path(root)
        self._mask = Masker() if mask is None else mask
        self._clock = clock

    def __call__(self, tool: str, text: str) -> str:
        """Keep the text; the path of its file, from the current folder where it lies below that.

        Raises:
            OSError: when it cannot be written; then there is no file.
        """
        folder = private_file.private_folder(self._root / ".workbench" / "results")
        moment = datetime.fromtimestamp(self._clock(), UTC).strftime("%Y%m%dT%H%M%SZ")
        stem = f"{moment}_{private_file.file_safe(tool)[:_LONGEST_NAME]}"
        path, descriptor = private_file.create_new(folder, stem, ".txt", lambda taken: taken)
        try:
            private_file.append(descriptor, self._mask(text).encode("utf-8", "surrogatepass"))
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        finally:
            os.close(descriptor)
        path = path.absolute()
        return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
