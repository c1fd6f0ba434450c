"""A question that takes no keys meant for something else."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from typing import Final

from textual import events

from workbench.tui.do import Errand
from workbench.tui.palette import pressed_key
from workbench.tui.prompt_area import PromptArea
from workbench.tui.replay import TextField, replay, text_of
from workbench.tui.screens.dimmed import DimmedScreen

QUIET_SECONDS: Final = 0.4
"""How long no key may arrive before the keys of someone who waited for the question decide anything."""

WRITING_SECONDS: Final = 1.5
"""The same for someone who is writing: longer than the pauses between words."""

_DECIDE_NOW: Final = "tab"


class Grace:
    """Keeps keys that may be prose for something else from deciding anything. ``clock`` gives seconds.

    - Who waited for the question, with nothing half written, decides once no key came for ``quiet``
      seconds since it appeared.
    - Who is writing decides once no key came for ``writing`` seconds. Someone is writing when the field
      below the question holds an unsent text, or when a key had to be held back.
    - A key that no prose has, Tab, ends the wait at once, and does nothing else.
    - Once the wait is over it stays over.
    """

    def __init__(
        self, clock: Callable[[], float], quiet: float = QUIET_SECONDS, writing: float = WRITING_SECONDS
    ) -> None:
        self._clock = clock
        self._wait = quiet
        self._writing = writing
        self._last = clock()
        self._over = False

    def holds(self) -> bool:
        """True while nothing may decide. Once it is over it stays over."""
        self._over = self._over or self._clock() - self._last >= self._wait
        return not self._over

    def holds_key(self, key: str) -> bool:
        """The same for a key that arrives now; one that is held back makes the wait begin again."""
        held = self.holds()
        if held and key == _DECIDE_NOW:
            self._over = True
        elif held:
            self._last = self._clock()
            self.someone_writes()
        return held

    def someone_writes(self) -> None:
        """Wait as long as for someone who is writing."""
        self._wait = self._writing

    def end(self) -> None:
        """What comes from here on decides."""
        self._over = True

    def restart(self) -> None:
        """Begin again, as when the window gets the focus by a click."""
        self._last = self._clock()
        self._over = False


class HeldScreen(DimmedScreen[None]):
    """Holds keys back until the person has stopped typing, and hands them to whom they were meant for.

    Esc is never held back; ``Grace`` says how long the others are. Clicks are held back as for someone who
    waited, and again when the window comes to the front.
    ``clock`` gives seconds.
    """

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    HeldScreen.-gone { background: transparent; }
    HeldScreen.-gone > * { display: none; }
    """

    class Typed(Errand):
        """A key or paste that was meant for a text field: ``field``, or for the draft where that is None."""

        def __init__(self, event: events.Key | events.Paste, field: TextField | None) -> None:
            super().__init__()
            self.event = event
            self.field = field

        def give_to(self, draft: TextField) -> None:
            """Let the field have it, after what it was given before."""
            field = self.field or draft
            field.call_later(replay, field, self.event)

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._keys_held = Grace(clock)
        self._clicks_held = Grace(clock)
        self._field: TextField | None = None
        self._typed = False
        self._finished = False
        self._left = False

    def on_mount(self) -> None:
        """Notice what is being written below, and when the window comes to the front."""
        stack = self.app.screen_stack
        below = stack[stack.index(self) - 1].focused
        if isinstance(below, TextField):
            self._field = below
            if text_of(below):
                self._keys_held.someone_writes()
                self.kept()
        clicks = self._clicks_held

        def window_focused(focused: bool) -> None:
            # without this screen: the app may never let go of who watches it
            if focused:
                clicks.restart()

        self.app.watch(self.app, "app_focus", window_focused, init=False)

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
        """Sort out what was meant for something else.

        A key of the screen's own is done here: the app would do it only after it has let later keys pass.
        """
        if self.holds(event):
            return
        own = self.active_bindings.get(event.key) if isinstance(event, events.Key) else None
        if own is not None and own.node is self and own.enabled:
            event.stop()
            await self.run_action(own.binding.action)
        else:
            await super().on_event(event)

    def on_click(self, event: events.Click) -> None:
        """A key that is clicked is meant for the question, unless the question has only just come."""
        if pressed_key(event.style):
            if self.takes_clicks:
                self._keys_held.end()
            else:
                event.stop()

    def holds(self, event: events.Event) -> bool:
        """Whether the event was meant for something else; then it is handed on.

        A field that has the focus gets keys and pastes before its screen does and asks this first.
        """
        if isinstance(event, events.Key) and event.key != "escape" and self._keys_held.holds_key(event.key):
            if (self._field is not None or self._typed) and event.key != _DECIDE_NOW:
                self.post_message(self.Typed(event, self._field))
                self.kept()
            return True
        if isinstance(event, events.Paste) and not self.takes_text:
            self.post_message(self.Typed(event, self._field))
            return True
        return False

    def give_back(self, typed: Sequence[events.Key]) -> None:
        """These keys, which were let through, were meant for the draft: hold back what follows them."""
        for event in typed:
            self.post_message(self.Typed(event, self._field))
        self._typed = True
        self._keys_held.restart()
        self._keys_held.someone_writes()
        self.kept()

    @property
    def draft_beneath(self) -> bool:
        """Whether the prompt is what lies below, and no form or list."""
        stack = self.app.screen_stack
        return bool(stack[stack.index(self) - 1].query(PromptArea))

    def kept(self) -> None:
        """Keys go to the field below for now; a place to say so."""

    def renewed(self, tools: Collection[str]) -> None:
        """These tools' code is another one now, or gone; a place to judge anew what is asked."""

    # going away

    def withdrawn(self, why: str) -> None:
        """Nobody waits for the answer any more; a place to say so, and to save what was being written."""

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
