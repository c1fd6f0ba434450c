"""The terminal that only the screen writes to, and the Textual driver that uses it."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import termios
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

from rich.console import Console
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

from workbench.tui.terminal_input import QuickPaste, read_terminal

_LEAVE_ON: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_KEEP_TITLE: Final = "\x1b[22;2t"
_TITLE_BEFORE: Final = "\x1b[23;2t"
_LEAVE_SCREEN: Final = (
    "\x1b[23;2t\x1b[?2004l\x1b[?7h\x1b[?2048l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l\x1b[?1004l"
    "\x1b[<u\x1b[?1049l\x1b[?25h"
)


class TerminalFile(io.TextIOWrapper):
    """Writes to the terminal. One that is gone swallows the text: whoever writes must live to clean up."""

    def __init__(self, fd: int) -> None:
        buffer = io.BufferedWriter(io.FileIO(fd, "w", closefd=False), 65_536)
        super().__init__(buffer, encoding="utf-8", errors="backslashreplace", newline="")

    def write(self, text: str, /) -> int:
        """Write the text; its length in any case."""
        with suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        """Send what was written."""
        with suppress(OSError):
            super().flush()


class Terminal:
    """The screen's own way to the terminal, whatever becomes of file descriptors 0, 1 and 2.

    ``in_fd`` and ``out_fd`` belong to the caller and stay open as long as this is used. ``on_show`` is called
    when the screen takes the terminal, ``on_hide`` after it gave it back.
    """

    def __init__(
        self, in_fd: int, out_fd: int, on_show: Callable[[], None], on_hide: Callable[[], None]
    ) -> None:
        self.in_fd = in_fd
        self.out_fd = out_fd
        self.file = TerminalFile(out_fd)
        self._on_show = on_show
        self._on_hide = on_hide
        self._shown = False
        self._attributes: list[Any] | None = None
        self._title = ""
        self._send: Callable[[str], object] | None = None

    def title(self, text: str) -> None:
        """Give the terminal's window a title while the screen is up; afterwards it has its own again.

        The text is one line that is safe to paint.
        """
        self._title = text
        if self._send is not None and text:
            self._send(f"\x1b]2;{text}\x07")

    def begin_title(self, send: Callable[[str], object]) -> None:
        """The screen is up and sends what it writes through this; the title that was there is kept."""
        send(_KEEP_TITLE)
        self._send = send
        self.title(self._title)

    def end_title(self) -> None:
        """The screen goes: the title is as it was before."""
        if self._send is not None:
            self._send(_TITLE_BEFORE)
            self._send = None

    @property
    def size(self) -> tuple[int, int] | None:
        """Columns and rows; None where there is no terminal."""
        try:
            columns, rows = os.get_terminal_size(self.out_fd)
        except OSError:
            return None
        return (columns, rows) if columns and rows else None

    def console(self) -> Console:
        """A Rich console as wide as the terminal is now."""
        width = self.size[0] if self.size is not None else None
        return Console(file=self.file, width=width, markup=False, highlight=False)

    def show(self) -> None:
        """The screen takes the terminal."""
        if not self._shown:
            with suppress(termios.error):
                self._attributes = termios.tcgetattr(self.in_fd)
            self._shown = True
            self._on_show()

    def hide(self) -> None:
        """The screen has given the terminal back."""
        if self._shown:
            self._shown = False
            self._on_hide()

    def restore(self) -> None:
        """Give the terminal back for a screen that ended without doing so."""
        if not self._shown:
            return
        self.file.write(_LEAVE_SCREEN)
        self.file.flush()
        if self._attributes is not None:
            with suppress(termios.error):
                termios.tcsetattr(self.in_fd, termios.TCSADRAIN, self._attributes)
        self.hide()


def driver_class(terminal: Terminal) -> type[LinuxDriver]:
    """A Textual driver that draws on ``terminal`` and leaves in order at SIGTERM, SIGHUP and SIGINT."""

    class GuardedDriver(LinuxDriver):
        def __init__(
            self,
            app: App[Any],
            *,
            debug: bool = False,
            mouse: bool = True,
            size: tuple[int, int] | None = None,
        ) -> None:
            super().__init__(app, debug=debug, mouse=mouse, size=size or terminal.size)
            # Textual takes the process's own three; there is no parameter for these
            self._file = terminal.file
            self.fileno = terminal.in_fd
            self.input_tty = os.isatty(terminal.in_fd)
            self._signals: list[signal.Signals] = []
            self._has_left = False

        def _get_terminal_size(self) -> tuple[int, int]:
            return terminal.size or super()._get_terminal_size()

        def run_input_thread(self) -> None:
            read_terminal(self.fileno, self.exit_event, QuickPaste(self._debug), self.process_message)

        def start_application_mode(self) -> None:
            terminal.show()
            self._has_left = False
            super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual leaves it untyped
            terminal.begin_title(self.write)
            loop = asyncio.get_running_loop()
            for number in _LEAVE_ON:
                # who starts the program with a signal ignored (nohup) means it
                if signal.getsignal(number) is not signal.SIG_IGN:
                    loop.add_signal_handler(number, partial(self._app.exit, return_code=128 + number))
                    self._signals.append(number)

        def stop_application_mode(self) -> None:
            loop = asyncio.get_running_loop()
            while self._signals:
                loop.remove_signal_handler(self._signals.pop())
            terminal.end_title()
            super().stop_application_mode()
            self._has_left = True

        def close(self) -> None:
            super().close()
            if self._has_left:
                terminal.hide()
            else:
                terminal.restore()
            # what the app says last: it would go to stderr
            self._app.error_console = terminal.console()

    return GuardedDriver
