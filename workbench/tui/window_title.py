"""The title of the terminal's window: who is at work, and whether a person is waited for."""

from __future__ import annotations

from collections.abc import Callable

from workbench.visible import visible_line


class WindowTitle:
    """``put`` is given the title whenever it is another one."""

    def __init__(self, put: Callable[[str], object]) -> None:
        self._put = put
        self._text = ""

    def show(self, agent: str, *, waits: bool, running: bool) -> None:
        """Say what goes on: somebody waits for the person, something runs, or neither."""
        state = "waits for you" if waits else "running" if running else ""
        text = " · ".join(part for part in ("workbench", visible_line(agent), state) if part)
        if text != self._text:
            self._text = text
            self._put(text)
