"""A question that takes no keys meant for something else."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from textual import events
from textual.message import Message
from textual.screen import ModalScreen

from workbench.tui.commands import commands

QUIET_SECONDS: Final = 0.4
"""How long no key may arrive before keys decide anything."""

_NEWLINE_KEYS: Final = frozenset(
    key for command in commands("prompt") if command.action == "newline" for key in command.keys
)


class Grace:
    """Holds keys back until the person has stopped typing for something else. ``clock`` gives seconds."""

    def __init__(self, clock: Callable[[], float], quiet: float = QUIET_SECONDS) -> None:
        self._clock = clock
        self._quiet = quiet
        self._last = clock()
        self._over = False

    def holds(self) -> bool:
        """True while nothing may decide. Once it is over it stays over."""
        self._over = self._over or self._clock() - self._last >= self._quiet
        return not self._over

    def holds_key(self) -> bool:
        """The same for a key that arrives now; a key that is held back makes the wait begin again."""
        held = self.holds()
        if held:
            self._last = self._clock()
        return held

    def restart(self) -> None:
        """Begin again, as when the window gets the focus by a click."""
        self._last = self._clock()
        self._over = False


class HeldScreen(ModalScreen[None]):
    """Holds keys back until the person has stopped typing, and hands them to whom they were meant for.

    Esc is never held back. Clicks are held back as long, and again when the window comes to the front.
    ``clock`` gives seconds.
    """

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    HeldScreen.-gone { background: transparent; }
    HeldScreen.-gone > * { display: none; }
    """

    class Typed(Message):
        """What was typed or pasted for something else: ``erased`` characters off its end, then ``text``."""

        def __init__(self, text: str, erased: int = 0) -> None:
            super().__init__()
            self.text = text
            self.erased = erased

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._keys_held = Grace(clock)
        self._clicks_held = Grace(clock)
        self._finished = False
        self._left = False

    def on_mount(self) -> None:
        """Notice when the window comes to the front."""
        self.watch(self.app, "app_focus", self._window_focused, init=False)

    @property
    def takes_keys(self) -> bool:
        """Whether a key would mean something now."""
        return not self._keys_held.holds()

    @property
    def takes_clicks(self) -> bool:
        """Whether a click would mean something now."""
        return not self._clicks_held.holds()

    @property
    def takes_text(self) -> bool:
        """Whether a text field of the question is open, so that a paste is meant for it."""
        return False

    async def on_event(self, event: events.Event) -> None:
        """Sort out what was meant for something else."""
        if not self.holds(event):
            await super().on_event(event)

    def holds(self, event: events.Event) -> bool:
        """Whether the event was meant for something else; then it is handed on.

        A field that has the focus gets keys and pastes before its screen does and asks this first.
        """
        if isinstance(event, events.Key) and event.key != "escape" and self._keys_held.holds_key():
            self._hand_on(event)
            return True
        if isinstance(event, events.Paste) and not self.takes_text:
            self.post_message(self.Typed(event.text))
            return True
        return False

    def _hand_on(self, event: events.Key) -> None:
        if event.key == "backspace":
            self.post_message(self.Typed("", 1))
        elif event.key in _NEWLINE_KEYS:
            self.post_message(self.Typed("\n"))
        elif event.is_printable and event.character is not None:
            self.post_message(self.Typed(event.character))

    def _window_focused(self, focused: bool) -> None:
        if focused:
            self._clicks_held.restart()

    # going away

    def finish(self) -> None:
        """It is decided: go away. What lies above stays; below it nothing of the question is seen."""
        self._finished = True
        self.add_class("-gone")
        self._leave()

    def on_screen_resume(self) -> None:
        """What lay above is gone: a question decided meanwhile goes too."""
        if self._finished:
            self._leave()

    def _leave(self) -> None:
        # dismissing takes whatever lies on top, and only once
        if self.app.screen is self and not self._left:
            self._left = True
            self.dismiss()
