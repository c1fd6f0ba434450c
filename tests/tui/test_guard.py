"""While the screen is up nothing else reaches the terminal, and afterwards the terminal is as it was."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tui.program import own_terminal
from workbench.tui.guard import ScreenGuard

DEADLINE = 60.0
UNWANTED = ("COLUMNS", "LINES", "TEXTUAL_DRIVER", "PYTHONUNBUFFERED")
LEAVE = b"\x1b[?1049l"
ROOT = Path(__file__).parents[2]

SCRIPT = r"""
import ctypes, json, logging, os, signal, subprocess, sys, threading
from pathlib import Path

early = logging.StreamHandler(sys.stderr)
logging.getLogger("early").addHandler(early)
stderr_of_the_start = sys.stderr

from textual.app import App
from textual.widgets import Static
from workbench.tui.guard import ScreenGuard

mode, out = sys.argv[1], Path(sys.argv[2])
log = logging.getLogger("workbench")
log.setLevel("INFO")
log.addHandler(logging.FileHandler(out / "log"))
libc = ctypes.CDLL(None)


def everything():
    print("STRAY print")
    print("STRAY error", file=sys.stderr)
    sys.stdout.buffer.write(b"STRAY buffer\n")
    sys.__stdout__.write("STRAY first stdout\n")
    os.write(1, b"\x1b[2J\x1b[HSTRAY one\n")
    os.write(2, b"\x1b[2J\x1b[HSTRAY two\n")
    child = "import os; os.write(1, b'STRAY child\\n' * 20000); os.write(2, b'STRAY child error\\n')"
    subprocess.run([sys.executable, "-c", child])
    libc.puts(b"STRAY puts")
    libc.printf(b"STRAY printf\n")
    logging.getLogger("early").warning("STRAY early")
    logging.getLogger("late").warning("STRAY late")
    thread = threading.Thread(target=print, args=("STRAY own thread",))
    thread.start()
    thread.join()
    if (pid := os.fork()) == 0:
        print("STRAY fork")
        os._exit(0)
    os.waitpid(pid, 0)
    print(sys.stdout.isatty(), os.isatty(0), os.isatty(1), "facts")


class Demo(App):
    def compose(self):
        yield Static("", id="state")

    def on_mount(self):
        if mode == "mount":
            raise ValueError("raised in on_mount")
        guard.install_streams()
        self.tell(f"size {self.size.width}x{self.size.height}")
        if mode == "calls":
            threading.Thread(target=self.calls, daemon=True).start()
        elif mode == "stray":
            threading.Thread(target=self.strays, daemon=True).start()
        elif mode == "child":
            subprocess.Popen(["sleep", "60"])

    def on_unmount(self):
        if mode == "gone":
            self.action_ring()
        guard.remove_streams()

    def action_ring(self):
        # more than the writer's queue takes once the writer has died
        for _ in range(100):
            self.bell()

    def tell(self, text):
        self.query_one("#state", Static).update(text)

    def calls(self):
        texts = []
        for work in (everything, lambda: os.write(1, b"STRAY second\n")):
            with guard.capture.bracket("call") as captured:
                work()
            texts.append(captured.text)
        (out / "texts").write_text(json.dumps(texts))
        self.call_from_thread(self.tell, "state-done")

    def strays(self):
        everything()
        guard.drain()
        self.call_from_thread(self.tell, "state-done")

    def key_q(self):
        self.exit()

    def key_x(self):
        raise ValueError("raised in a handler")

    def key_e(self):
        with self.suspend(), guard.paused():
            with guard.capture.bracket("call"):
                print("STRAY while lent", flush=True)
            subprocess.run(["sh", "-c", "echo editor on $(stty size); read line; echo editor read $line"])
        self.tell("state-back")
        os.write(1, b"STRAY after the editor\n")


class Chatty(logging.Handler):
    def emit(self, record):
        stderr_of_the_start.write(record.getMessage() + "\n")


guard = ScreenGuard()
if mode == "stray":
    logging.getLogger().addHandler(Chatty())
with guard:
    os.write(1, b"before the screen\n")
    driver = guard.driver_class()
    if mode == "broken":

        class driver(driver):
            def stop_application_mode(self):
                super().disable_input()
                raise RuntimeError("the driver broke")

    app = Demo(driver_class=driver)
    app.run()
    os.write(1, b"behind the screen\n")
print("after the guard", flush=True)
sys.exit(app.return_code)
"""


class Session:
    """The script on a terminal of its own; what arrives there is ``received``."""

    def __init__(self, folder: Path, mode: str) -> None:
        self.folder = folder
        script = folder / "script.py"
        script.write_text(SCRIPT)
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.attributes = termios.tcgetattr(self.slave)
        self.received = b""
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}
        environment = {k: v for k, v in environment.items() if k not in UNWANTED}
        self.process = subprocess.Popen(
            [sys.executable, str(script), mode, str(folder)],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            start_new_session=True,
            preexec_fn=own_terminal,
            env=environment,
        )

    def read_until(self, fact: Callable[[], Any]) -> None:
        """Read what arrives until the fact holds."""
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

    def end(self) -> int:
        """Wait for the process to end, and for all that it wrote."""
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
        if self.master >= 0:
            os.close(self.master)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[str], Session]]:
    sessions: list[Session] = []

    def make(mode: str) -> Session:
        sessions.append(Session(tmp_path, mode))
        return sessions[-1]

    yield make
    for session in sessions:
        session.close()


def test_whatever_a_call_writes_ends_on_the_call_and_never_on_the_terminal(
    start: Callable[[str], Session], tmp_path: Path
) -> None:
    session = start("calls")
    session.see(b"state-done")
    session.press(b"q")
    assert session.end() == 0
    first, second = json.loads((tmp_path / "texts").read_text())
    ways = [
        "print",
        "error",
        "buffer",
        "first stdout",
        "child error",
        "puts",
        "printf",
        "early",
        "own thread",
        "fork",
    ]
    for way in ways:
        assert first.count(f"STRAY {way}\n") == 1, way
    assert first.count("\x1b[2J\x1b[HSTRAY one\n") == 1
    assert first.count("\x1b[2J\x1b[HSTRAY two\n") == 1
    assert first.count("STRAY child\n") == 20_000
    assert first.count("WARNING late: STRAY late\n") == 1
    assert "False False False facts" in first
    assert second == "STRAY second\n"
    assert b"STRAY" not in session.received
    assert not (tmp_path / "log").read_text()


def test_text_of_no_call_is_logged_once_and_never_reaches_the_terminal(
    start: Callable[[str], Session], tmp_path: Path
) -> None:
    session = start("stray")
    session.see(b"state-done")
    session.press(b"q")
    assert session.end() == 0
    lines = (tmp_path / "log").read_text().splitlines()
    assert lines.count("STRAY print") == 1
    assert lines.count("STRAY late") == 1
    assert lines.count("STRAY child") == 20_000
    assert b"STRAY" not in session.received


@pytest.mark.parametrize(
    ("how", "code"),
    [("q", 0), ("x", 1), ("mount", 1), ("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)],
)
def test_the_terminal_is_as_before_however_the_app_ends(
    start: Callable[[str], Session], how: str, code: int
) -> None:
    session = start(how if how == "mount" else "plain")
    if how != "mount":
        session.see(b"size 100x30")
        assert termios.tcgetattr(session.slave) != session.attributes
        if how.startswith("SIG"):
            session.process.send_signal(getattr(signal, how))
        else:
            session.press(how.encode())
    assert session.end() == code
    assert termios.tcgetattr(session.slave) == session.attributes
    screen, _, after = session.received.partition(LEAVE)
    assert b"before the screen" in screen.partition(b"\x1b[?1049h")[0]
    assert after.index(b"behind the screen") < after.index(b"after the guard")
    assert b"\x1b[?1049h" not in after
    in_colour = re.search(rb"\x1b\[[0-9;]+mValueError", after)
    assert (in_colour is not None) == (code == 1)
    assert b"ValueError" not in screen


def test_a_driver_that_breaks_while_it_leaves_does_not_keep_the_terminal(
    start: Callable[[str], Session],
) -> None:
    session = start("broken")
    session.see(b"size 100x30")
    session.press(b"q")
    session.end()
    assert b"the driver broke" in session.received.partition(LEAVE)[2]
    assert termios.tcgetattr(session.slave) == session.attributes


def test_a_child_left_behind_does_not_keep_the_app_from_leaving(start: Callable[[str], Session]) -> None:
    session = start("child")
    session.see(b"size 100x30")
    session.press(b"q")
    assert session.end() == 0
    assert b"after the guard" in session.received


def test_a_terminal_that_is_gone_lets_the_process_end(start: Callable[[str], Session]) -> None:
    session = start("gone")
    session.see(b"size 100x30")
    os.close(session.slave)
    os.close(session.master)
    session.slave, session.master = os.open(os.devnull, os.O_RDONLY), -1
    session.process.wait(DEADLINE)


def test_an_editor_gets_the_terminal_and_the_screen_comes_back_protected(
    start: Callable[[str], Session],
) -> None:
    session = start("plain")
    session.see(b"size 100x30")
    session.press(b"e")
    session.see(b"editor on 30 100")
    assert termios.tcgetattr(session.slave) == session.attributes
    session.press(b"words\n")
    session.see(b"editor read words")
    session.see(b"state-back")
    session.press(b"q")
    assert session.end() == 0
    assert b"STRAY" not in session.received
    assert termios.tcgetattr(session.slave) == session.attributes


def test_a_stopped_process_leaves_the_terminal_sane_and_comes_back(start: Callable[[str], Session]) -> None:
    session = start("plain")
    session.see(b"size 100x30")
    session.process.send_signal(signal.SIGTSTP)
    session.read_until(lambda: os.waitid(os.P_PID, session.process.pid, os.WSTOPPED | os.WNOHANG))
    session.see(LEAVE)
    assert termios.tcgetattr(session.slave) == session.attributes
    session.received = b""
    session.process.send_signal(signal.SIGCONT)
    session.see(b"size 100x30")
    session.process.send_signal(signal.SIGTERM)
    assert session.end() == 143
    assert termios.tcgetattr(session.slave) == session.attributes


def test_a_guard_that_was_not_entered_has_no_driver() -> None:
    with pytest.raises(RuntimeError, match="enter the guard"):
        ScreenGuard().driver_class()


def test_pausing_a_guard_that_was_not_entered_changes_nothing() -> None:
    guard = ScreenGuard()
    before = os.fstat(1)
    with guard.paused():
        assert os.fstat(1) == before
