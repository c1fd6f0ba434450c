"""A modal box over the app; on a screen with no room beside it, it takes the whole."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.events import Resize

from workbench.tui.screens.dimmed import DimmedScreen

Result = TypeVar("Result")


class BoxScreen(DimmedScreen[Result]):
    """Has the class ``-full`` while there are fewer than ``full_below`` cells; a subclass has the look."""

    full_below: ClassVar[int] = 104

    def on_resize(self, event: Resize) -> None:
        """Small screens are filled."""
        self.set_class(event.size.width < self.full_below, "-full")
