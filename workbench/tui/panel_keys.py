"""Which of the keys that are pressed while a panel has the focus are meant for the message."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from textual import events

from workbench.tui.replay import TextField, replay
from workbench.tui.screens.burst import OFTEN_FAST
from workbench.tui.screens.main import MainScreen

BURST_SECONDS: Final = 0.05
"""Keys that follow each other faster than this were written, or sent by a program, as one text."""

ENTER_SECONDS: Final = 0.02
"""An Enter that came no sooner after the key before was pressed by a person, who has written the text."""

_IN_FLIGHT: Final = 64


class PanelKeys:
    """Sorts the keys that reach the app before a widget has them, so that they stay in order.

    - A letter that means nothing in the panel goes to the prompt. So does all that follows it in one burst,
      and until the focus is there, blanks too. Enter sends it if a person pressed it; within a text that was
      sent by a program it does nothing: it would send what nobody has read.
    - A burst that begins with keys of the panel is prose as soon as it has two different ones. It goes to the
      prompt whole, and none of its keys is done any more: of those read as one, not even the first.
    - One key over and over, and keys that are pressed fast on purpose, stay with the panel.
    - What was typed while the app came up, before its panels were there, goes to the prompt. Enter is a
      new line in it then, for it would send what nobody has seen.

    ``clock`` gives seconds.
    """

    def __init__(self, main: MainScreen, clock: Callable[[], float]) -> None:
        self._main = main
        self._clock = clock
        self._last = clock()
        self._run: list[events.Key] = []
        self._given_up: deque[events.Key] = deque(maxlen=_IN_FLIGHT)
        self._writes = False

    def takes(self, event: events.Key) -> bool:
        """Whether the key is dealt with, so that nobody else shall have it."""
        if event.is_forwarded:
            # it was nobody's, so its binding would be done now
            return self._forget(event)
        if not self._main.is_mounted:
            return self._keep_for_later(event)
        if self._pause_before():
            self._run.clear()
            self._writes = False
        if self._writes:
            return self._goes_on(event)
        if not event.is_printable or not self._in_a_panel:
            self._run.clear()
            return False
        self._run.append(event)
        if not self._is_prose(event):
            return False
        self._writes = True
        self._given_up.extend(self._run[:-1])
        for each in self._run:
            self._give(each)
        self._main.focus_panel("prompt")
        return True

    def done(self) -> None:
        """A key was dealt with; the time until the next one counts from here."""
        self._last = self._clock()

    def _keep_for_later(self, event: events.Key) -> bool:
        # a terminal that is not the app's yet sends its Enter as ctrl+j
        text = "\n" if event.key in {"enter", "ctrl+j"} else event.character if event.is_printable else None
        if text is None:
            return False
        area = self._main.prompt.area
        area.call_later(replay, area, events.Paste(text))
        return True

    @property
    def _in_a_panel(self) -> bool:
        """Whether the focus is in a panel, or just was when the run began, and not in a text field."""
        if self._main.app.screen is not self._main:
            return bool(self._run)
        writes = isinstance(self._main.focused, TextField) or self._main.conversation.searching
        return self._main.focused_panel != "prompt" and not writes

    def _pause_before(self) -> bool:
        arrives = self._writes and not self._main.prompt.area.has_focus and self._main.is_current
        return not arrives and self._clock() - self._last >= BURST_SECONDS

    def _is_prose(self, event: events.Key) -> bool:
        if len(self._run) == 1:
            return event.character != " " and event.key not in self._main.active_bindings
        written = {each.character for each in self._run}
        unknown = event.key not in self._main.active_bindings
        return unknown or (len(written) > 1 and not written <= OFTEN_FAST)

    def _goes_on(self, event: events.Key) -> bool:
        """The rest of a text that belongs to the prompt."""
        if event.key == "enter":
            if self._main.is_current and self._clock() - self._last >= ENTER_SECONDS:
                self._writes = False
                area = self._main.prompt.area
                area.call_later(area.action_send)  # behind the keys that are on their way
            return True
        if not event.is_printable:
            self._writes = False
            return False
        if self._main.prompt.area.has_focus and self._main.is_current:
            return False
        self._give(event)
        return True

    def _give(self, event: events.Key) -> None:
        area = self._main.prompt.area
        area.call_later(replay, area, event)

    def _forget(self, event: events.Key) -> bool:
        given_up = any(each is event for each in self._given_up)
        if given_up:
            event.stop()
        return given_up
