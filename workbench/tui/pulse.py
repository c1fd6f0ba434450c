"""What moves on the screen while something goes on, and comes to rest when nothing does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.tui.window_title import WindowTitle

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.resting import Resting


class Pulse:
    """Beats in the rhythm of the looks; ``put_title`` is given the window's title when it is another one."""

    def __init__(self, app: WorkbenchApp, resting: Resting, put_title: Callable[[str], object]) -> None:
        self._app = app
        self._resting = resting
        self._window = WindowTitle(put_title)
        self._moving = True
        self._second = 0

    def start(self) -> None:
        """Once the app is mounted."""
        self._timer = self._app.set_interval(self._app.looks.tick, self.tick)

    def tick(self) -> None:
        """Beat, if there is anything new to see."""
        # below another screen seconds are enough: each change there paints all of it anew, dimmed
        second = int(time.time())
        if second != self._second or self._app.screen is self._app.main:
            self._second = second
            self.beat()

    def beat(self) -> None:
        """Show what goes on now."""
        app, now = self._app, time.time()
        activity = app.tracker.activity(now)
        app.main.tick(now, activity)
        if activity is not None:
            app.main.conversation.hear(app.capture.last_lines())
        self._window.show(
            app.main.top_line.status.agent,
            waits=app.tracker.waiting or app.asks,
            running=activity is not None,
        )
        if activity is not None:
            self._timer.resume()
        elif self._moving:
            self._timer.pause()
            self._resting.begin()
        self._moving = activity is not None
