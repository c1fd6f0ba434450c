"""What tools write to stdout, stderr and the log, kept with the call that wrote it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from workbench.console.captured import Captured, owned, owner
from workbench.console.stray_log import Stray, StrayLog
from workbench.console.streams import Streams, Take
from workbench.visible import as_left

_RECENT: Final = 4_000


class StreamCapture:
    """An ``OutputCapture`` for a process that is ours: routes what is written to the call that writes it.

    The writer's context says whose text it is; threads and pools that a tool starts have their tool's. Text
    without a context (of file descriptors, of threads that no tool started) belongs to the only running
    call; where several run, to the call that they all run inside of; otherwise it is stray, as is the text
    of a call that another capture keeps.

    ``drain`` brings in what still waits in the file descriptors; the default knows none.
    ``stray`` takes the text of no call; the default logs it under ``workbench.screen``.
    ``echo`` is told all text that goes through the streams, whosever it is.
    """

    def __init__(
        self,
        *,
        drain: Callable[[], None] | None = None,
        stray: Stray | None = None,
        echo: Take | None = None,
        terminals: frozenset[int] = frozenset(),
    ) -> None:
        self.drain = drain if drain is not None else _nothing
        self.stray: Stray = stray if stray is not None else StrayLog()
        self._echo = echo
        self._running: dict[Captured, None] = {}
        self._lock = threading.RLock()
        self._own_thread: int | None = None
        self._recent = threading.local()
        self._streams = Streams(self.write, self.current, terminals=terminals, silent=echo is None)

    def bracket(self, call_id: str) -> Captured:
        """While it is open, what this context writes belongs to ``call_id``. Not reusable."""
        return Captured(call_id, self)

    def install(self) -> None:
        """Take over ``sys.stdout``, ``sys.stderr`` and logging; call on the thread that is nobody's call."""
        self._own_thread = threading.get_ident()
        self._streams.install()

    def remove(self) -> None:
        """Give them back; what somebody else has put there since stays."""
        self._streams.remove()
        self._own_thread = None

    def replace_streams(self) -> None:
        """Take over the two streams again after somebody else redirected them; nothing before ``install``."""
        self._streams.replace()

    def write(self, text: str, fd: int = 1) -> None:
        """Text that the running code wrote, meant for file descriptor ``fd``.

        What waited there comes before it.
        """
        self.drain()
        if self._echo is not None:
            self._echo(text, fd)
        captured = self.current()
        if captured is None or captured.closed:
            self._remember(text)
            self.stray(text)
        else:
            captured.write(text)

    def write_unowned(self, text: str) -> bool:
        """Text of unknown origin; False if no call can be named for it."""
        captured = self._common()
        if captured is None:
            return False
        captured.write(text)
        return True

    def current(self) -> Captured | None:
        """The call that the running code belongs to, as far as can be known."""
        captured = owner(self)
        if captured is not None or owned() or threading.get_ident() == self._own_thread:
            return captured
        return self._common()

    def recent(self) -> str:
        """What the running code has written lately: the end of its call's text, or of its thread's own."""
        self.drain()
        captured = self.current()
        if captured is None or captured.closed:
            return str(getattr(self._recent, "text", ""))
        return captured.text[-_RECENT:]

    def last_lines(self) -> dict[str, str]:
        """The last line that each running call has written, by call id; those without any are left out."""
        with self._lock:
            running = tuple(self._running)
        ends = ((captured.call_id, as_left(captured.end_of_text(_RECENT)).strip()) for captured in running)
        return {call_id: end.rpartition("\n")[2] for call_id, end in ends if end}

    def so_far(self, call_id: str) -> str:
        """The end of what a running call has written, as a terminal would have left it; empty for others."""
        with self._lock:
            running = tuple(self._running)
        return next((as_left(each.end_of_text(_RECENT)) for each in running if each.call_id == call_id), "")

    def _remember(self, text: str) -> None:
        self._recent.text = (getattr(self._recent, "text", "") + text)[-_RECENT:]

    def _common(self) -> Captured | None:
        with self._lock:
            running = tuple(self._running)
        if len(running) < 2:
            return running[0] if running else None
        parents = {captured.parent for captured in running}
        leaves = [captured for captured in running if captured not in parents]
        if len(leaves) == 1:
            return leaves[0]
        above = {leaf.parent for leaf in leaves}
        common = above.pop()
        return common if not above and common in running else None

    def begin(self, captured: Captured) -> None:
        """Called by the bracket: the call runs from now on."""
        self.drain()
        with self._lock:
            self._running[captured] = None

    def end(self, captured: Captured) -> None:
        """Called by the bracket: the call has ended; what it wrote is complete."""
        self.drain()
        with self._lock:
            self._running.pop(captured, None)
        captured.closed = True


def _nothing() -> None:
    return
