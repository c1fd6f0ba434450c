"""Other colours for every widget, a few at a time, so that no key waits for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from typing import Any, Final

from textual.app import App
from textual.dom import DOMNode
from textual.widget import Widget

_AT_ONCE: Final = 16
"""Widgets that are styled in one step, in a few milliseconds."""
_PAUSE: Final = 0.001


class Restyling:
    """Applies the style sheet again after its variables changed.

    Nothing is painted meanwhile: the old colours give way to the new ones in one painting.
    """

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._left: Iterator[DOMNode] | None = None
        self._unpainted = ExitStack()

    @property
    def busy(self) -> bool:
        """Whether some widgets still have the old style."""
        return self._left is not None

    def begin(self, *, animate: bool) -> None:
        """Read the style sheet with the variables as they are now; style the widgets in the next moments."""
        sheet = self._app.stylesheet
        sheet.set_variables(self._app.get_css_variables())
        if not self._app.screen_stack:
            return  # the sheet is read with them when there is something to style
        sheet.reparse()
        if self._left is None:
            self._unpainted.enter_context(self._app.batch_update())
            self._app.run_worker(self._steps(), group="restyling")
        self._left = iter(self._nodes())
        self._animate = animate

    def _nodes(self) -> list[DOMNode]:
        """Everything that is styled, the newest screen first."""
        nodes: list[DOMNode] = [self._app]
        for screen in reversed(self._app.screen_stack):
            nodes += screen.walk_children(with_self=True)
        return nodes

    async def _steps(self) -> None:
        more = True
        while more:
            # a timer of Textual that is late by more than its own time never comes
            await asyncio.sleep(_PAUSE)
            more = self._step()
        self._left = None
        self._unpainted.close()
        self._app.refresh()

    def _step(self) -> bool:
        """Style some more; returns whether there may be others."""
        assert self._left is not None
        some = list(islice(self._left, _AT_ONCE))
        self._style([node for node in some if node.is_attached])
        return len(some) == _AT_ONCE

    def _style(self, nodes: Sequence[DOMNode]) -> None:
        """Style these, each of which is told once.

        Textual tells a widget and everything in it of each colour that changed, which takes longer than
        styling them. Styles that belong to nobody tell nobody.
        """
        styles = [node.styles.base for node in nodes]
        for each in styles:
            each.node = None
        try:
            self._app.stylesheet.update_nodes(nodes, animate=self._animate)
        finally:
            for node, each in zip(nodes, styles, strict=True):
                each.node = node
        for node in nodes:
            if isinstance(node, Widget):
                node.refresh()
