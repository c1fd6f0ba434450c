"""What a whole screen is about, in one row with air around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from workbench.tui.palette import Palette
from workbench.tui.render import Span
from workbench.tui.title_row import TitleRow


class SubjectRow(TitleRow):
    """The row below the topmost one; a screen of class ``-low`` has no room for the air."""

    SCOPED_CSS = False  # it looks at the screen around it
    DEFAULT_CSS = """
    SubjectRow { margin: 1 0; }
    .-low > SubjectRow { margin: 0; }
    """

    def __init__(self, draw: Callable[[int], Iterable[Span]], palette: Palette) -> None:
        super().__init__(draw, palette, "background")
