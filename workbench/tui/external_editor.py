"""The person's own editor: writes a text in it, or opens a file at a line, while the screen steps aside."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final

from textual.app import App

from workbench.errors import ConfigError, WorkbenchError

_HOW_TO_SET: Final = "Set VISUAL or EDITOR, for example: export EDITOR=nano, or EDITOR='code --wait'."
_PLUS_LINE: Final = frozenset(
    (
        *("vi", "vim", "nvim", "view", "gvim", "mvim", "ex", "nano", "pico", "emacs", "emacsclient"),
        *("kak", "micro", "mg", "zile", "joe", "jed", "ne", "gedit"),
    )
)
_GO_TO: Final = frozenset(("code", "code-insiders", "codium", "code-oss", "cursor", "windsurf"))
_COLON_LINE: Final = frozenset(("hx", "helix", "subl", "sublime_text", "zed", "zeditor", "lapce"))
_LINE_OPTION: Final = {"mate": "-l", "kate": "-l", "kwrite": "-l", "idea": "--line", "pycharm": "--line"}


class ExternalEditor:
    """Runs ``$VISUAL``, else ``$EDITOR``, in the terminal that the app gives up for as long as it runs.

    Call it from the app's loop, which waits meanwhile; the agent goes on. ``lend`` is entered while the
    screen is suspended and makes the process's own file descriptors those of the terminal. Where the app's
    driver cannot step aside, the editor is started without a terminal, which one with a window does not
    mind.
    """

    def __init__(
        self,
        app: App[Any],
        *,
        lend: Callable[[], AbstractContextManager[None]] = nullcontext,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self._app = app
        self._lend = lend
        self._environ = environ

    def edit(self, text: str, *, name: str = "message.md") -> str:
        """The text as it was left in the editor, without the newline that editors put at the end.

        The text lies in a file ``name`` in a folder that only its owner can enter, and is gone afterwards.
        Raises ConfigError where no editor is set or it cannot be started, and WorkbenchError where it ended
        with a failure or left something that is no UTF-8 text; the text is then as it was.
        """
        command = editor_command(self._environ)
        with tempfile.TemporaryDirectory(prefix="workbench-") as folder:  # 0700
            path = Path(folder, name)
            descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
                file.write(text)
            self._run([*command, str(path)])
            try:
                written = path.read_bytes().decode("utf-8", "surrogatepass")
            except FileNotFoundError as error:
                raise WorkbenchError("The editor took the file away.", hint="Nothing was changed.") from error
            except UnicodeDecodeError as error:
                raise WorkbenchError(
                    "What the editor left is no UTF-8 text.", hint="Nothing was changed; save it as UTF-8."
                ) from error
        return written if written == text else written.replace("\r\n", "\n").removesuffix("\n")

    def open(self, path: Path, line: int = 1) -> None:
        """Open a file at a line, counted from 1, where the editor is known to take one.

        Raises ConfigError where no editor is set or it cannot be started, and WorkbenchError where the file
        is not there or the editor ended with a failure.
        """
        command = editor_command(self._environ)
        if not path.is_file():
            raise WorkbenchError(f"There is no file {path}.", hint="It may have been moved since.")
        self._run(opening(command, path, line))

    def _run(self, command: Sequence[str]) -> None:
        try:
            with self._stepped_aside() as streams:
                ended = subprocess.run(command, check=False, **streams)  # noqa: S603  # the person's own editor
        except OSError as error:
            raise ConfigError(
                f"{command[0]} cannot be started: {error.strerror}.", hint=_HOW_TO_SET
            ) from error
        code = ended.returncode
        if code != 0:
            how = f"ended with {code}" if code > 0 else f"was ended by signal {-code}"
            raise WorkbenchError(f"The editor {Path(command[0]).name} {how}.", hint="Nothing was changed.")

    @contextmanager
    def _stepped_aside(self) -> Iterator[dict[str, Any]]:
        """The screen is away; gives the streams for the editor. An OSError inside is raised afterwards."""
        driver = self._app._driver  # Textual tells nobody else whether it can suspend
        if driver is None or not driver.can_suspend:
            yield dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
            return
        failed: OSError | None = None
        with self._app.suspend(), self._lend(), _no_interrupts():
            try:
                yield {}
            except OSError as error:
                # suspend() does not bring the screen back after an exception
                failed = error
        if failed is not None:
            raise failed


def editor_command(environ: Mapping[str, str]) -> list[str]:
    """The editor that the person has set, with its own arguments. Raises ConfigError without one."""
    name = next((name for name in ("VISUAL", "EDITOR") if environ.get(name, "").strip()), None)
    if name is None:
        raise ConfigError("No editor is set.", hint=_HOW_TO_SET)
    try:
        program, *arguments = shlex.split(environ[name])
    except ValueError as error:
        raise ConfigError(f"{name} cannot be read: {error}.", hint=_HOW_TO_SET) from error
    return [os.path.expanduser(program), *arguments]  # noqa: PTH111  # a Path would drop ./


def opening(command: Sequence[str], path: Path, line: int) -> list[str]:
    """The command that opens a file at a line; for an editor that nobody knows, only the file."""
    name = Path(command[0]).name.partition(".")[0]  # there are vim.basic and code.cmd
    if name in _PLUS_LINE:
        return [*command, f"+{line}", str(path)]
    if name in _GO_TO:
        given = {"-g", "--goto"}.intersection(command)
        return [*command, *(() if given else ("-g",)), f"{path}:{line}"]
    if name in _COLON_LINE:
        return [*command, f"{path}:{line}"]
    if name in _LINE_OPTION:
        return [*command, _LINE_OPTION[name], str(line), str(path)]
    return [*command, str(path)]


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """ctrl+c in the terminal is for the editor. A handler, since what is ignored is inherited as ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
