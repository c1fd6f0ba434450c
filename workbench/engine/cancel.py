"""A stop that anybody may ask for and anybody may wait on."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from workbench.engine.bell import Bell
from workbench.engine.scope import STOPPED
from workbench.errors import StopTurn

logger = logging.getLogger("workbench.engine")


class CancelToken:
    """Set once, from any thread; callbacks run at once on the thread that sets it.

    ``cancelled`` is True once ``cancel`` was called; ``reason`` says why, in words for people, and is None
    before. A callback that fails is logged: the others wait for the stop too, and who asks for it is not at
    fault.
    """

    __slots__ = ("_bells", "_callbacks", "_lock", "cancelled", "reason")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bells: frozenset[Bell] = frozenset()
        self._callbacks: list[Callable[[], None]] = []
        self.cancelled = False
        self.reason: str | None = None

    def cancel(self, reason: str = STOPPED) -> None:
        """Ask for the stop. A second call changes nothing.

        Every callback is called; an interrupt that hits meanwhile (Ctrl+C) is raised when all were.
        """
        with self._lock:
            if self.cancelled:
                return
            self.reason = reason
            self.cancelled = True
            callbacks, self._callbacks = self._callbacks, []
        for bell in self._bells:
            bell.ring()
        interrupt: BaseException | None = None
        for callback in callbacks:
            interrupt = _call(callback) or interrupt
        if interrupt is not None:
            raise interrupt

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Run ``callback`` at the stop, or now if it has come; returns a function that takes it back."""
        with self._lock:
            if not self.cancelled:
                self._callbacks.append(callback)
                return lambda: self._remove(callback)
        interrupt = _call(callback)
        if interrupt is not None:
            raise interrupt
        return lambda: None

    def wake(self, bell: Bell) -> None:
        """Ring ``bell`` at the stop, from now on; whoever listens to it looks first whether it has come."""
        if bell not in self._bells:
            with self._lock:
                self._bells |= {bell}

    def raise_if_cancelled(self) -> None:
        """Raise ``StopTurn`` with the reason if the stop was asked for."""
        if self.cancelled:
            raise StopTurn(self.reason or STOPPED)

    def _remove(self, callback: Callable[[], None]) -> None:
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)


def _call(callback: Callable[[], None]) -> BaseException | None:
    """Call it behind a guard; gives what is no failure of its own but wants to leave the process."""
    try:
        callback()
    except Exception:
        logger.exception("a callback for a stop failed: %r", callback)
    except BaseException as interrupt:  # noqa: BLE001 - handed to the caller, who raises it when all were told
        return interrupt
    return None
