"""The standard streams of a command: open in any case, and written to at once."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress

from workbench.errors import WorkbenchError
from workbench.visible import visible


def open_closed_streams() -> None:
    """Where this was started with a standard stream closed, nobody listens there; nothing fails for that."""
    for fd, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != fd:
                os.dup2(null, fd)
                os.close(null)
            stream = open(fd, mode, encoding="utf-8", closefd=False)  # noqa: SIM115  # until the end
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


def write_out(text: str) -> None:
    """Write to stdout, at once. Raises WorkbenchError where that takes nothing."""
    out = sys.stdout
    try:
        if isinstance(out, io.TextIOWrapper):
            out.reconfigure(errors="backslashreplace")
        # on a terminal, text of models and tools must not act; into a file or a pipe it goes as it is
        out.write(visible(text) if out.isatty() else text)
        out.flush()
    except BrokenPipeError:  # who read it has enough, and click ends the program
        raise
    except (OSError, ValueError) as error:  # ValueError: a tool has closed it
        with suppress(OSError):  # what it still holds would fail again at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        reason = error.strerror if isinstance(error, OSError) else "it was closed"
        raise WorkbenchError(f"cannot write to stdout: {reason}") from error
