"""The real program on a terminal of its own."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

DEADLINE = 60.0
ROOT = Path(__file__).parents[2]
UNWANTED = ("COLUMNS", "LINES", "TEXTUAL_DRIVER", "PYTHONUNBUFFERED", "NO_COLOR", "LC_ALL", "LC_CTYPE")


def own_terminal() -> None:
    """In the new process: its terminal is its own, and signals end it whoever started the tests."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    # a shell without job control starts what runs in the background with the first ignored, nohup the other
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Program:
    """``workbench`` in a folder of its own; what reaches the terminal is ``received``."""

    def __init__(self, folder: Path, *arguments: str, **variables: str) -> None:
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.attributes = termios.tcgetattr(self.slave)
        self.received = b""
        environment = {k: v for k, v in os.environ.items() if k not in UNWANTED}
        environment |= {
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm-256color",
            "XDG_CONFIG_HOME": str(folder / "settings"),
            "LANG": "C.UTF-8",
            **variables,
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "workbench.cli", *arguments],
            cwd=folder,
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            start_new_session=True,
            preexec_fn=own_terminal,
            env=environment,
        )

    def read_until(self, fact: Callable[[], Any]) -> None:
        """Read what arrives until it is so."""
        deadline = time.monotonic() + DEADLINE
        while not fact():
            assert time.monotonic() < deadline, self.received[-2000:]
            if select.select([self.master], [], [], 0.02)[0]:
                self.received += os.read(self.master, 65_536)

    def see(self, text: bytes) -> None:
        """Wait until the text has arrived."""
        self.read_until(lambda: text in self.received)

    def press(self, keys: bytes) -> None:
        """Type."""
        os.write(self.master, keys)

    @property
    def stopped(self) -> bool:
        """Whether the process was stopped by a signal."""
        return os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WNOHANG) is not None

    def end(self) -> int:
        """Wait for the end, and for all that was written."""
        self.read_until(lambda: self.process.poll() is not None)
        while select.select([self.master], [], [], 0)[0]:
            self.received += os.read(self.master, 65_536)
        return self.process.returncode

    def close(self) -> None:
        """Leave nothing running and nothing open."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.slave)
        os.close(self.master)
