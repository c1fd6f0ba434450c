"""A screen that is painted once its parts have heard how large they are, and without those that go."""

from __future__ import annotations

from typing import TypeVar

from textual.screen import Screen

Result = TypeVar("Result")


class PatientScreen(Screen[Result]):
    """Paints a new size one time, and nothing while a widget that can be seen is being removed.

    Textual paints a new size three times: at once, when the parts are still laid out for the size before,
    then after the layout that the first one makes necessary, and again because all of it changed. And a
    widget that is removed loses its styles before its place: a painting in between would fail.
    """

    def _compositor_refresh(self) -> None:
        # what is to be painted stays noted; the layout that follows a removal brings the next painting
        if any(widget._pruning for widget in self._compositor.visible_widgets):
            return
        # the next step of the screen lays everything out and then paints everything
        coming = self._layout_required and self._repaint_required
        # but an app that starts shows what it has: the terminal is empty until then
        if not coming or not self.app._dom_ready:
            super()._compositor_refresh()
