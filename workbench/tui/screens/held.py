"""A question that takes no keys meant for something else."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from textual import events
from textual.message import Message
from textual.screen import ModalScreen

from workbench.tui.approval import Grace
from workbench.tui.commands import commands

_NEWLINE_KEYS: Final = frozenset(
    key for command in commands("prompt") if command.action == "newline" for key in command.keys
)


class HeldScreen(ModalScreen[None]):
    """Holds keys back until the person has stopped typing, and hands them to whom they were meant for.

    Esc is never held back. Clicks are held back as long, and again when the window comes to the front.
    ``clock`` gives seconds.
    """

    AUTO_FOCUS = ""

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
        if isinstance(event, events.Key) and event.key != "escape" and self._keys_held.holds_key():
            self._hand_on(event)
        elif isinstance(event, events.Paste) and not self.takes_text:
            self.post_message(self.Typed(event.text))
        else:
            await super().on_event(event)

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
