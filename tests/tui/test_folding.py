"""Panels fold into tabs, and the style sheet is not applied to everything again for that."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

from tests.tui.driving import driven


async def test_another_panel_or_size_restyles_only_what_looks_different(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    styled: list[int] = []
    update = Stylesheet.update_nodes

    def counted(sheet: Stylesheet, nodes: Iterable[DOMNode], animate: bool = False) -> None:
        some = list(nodes)
        styled.append(len(some))
        update(sheet, some, animate)

    async with driven(size=(120, 40)) as it:
        main = it.app.main
        monkeypatch.setattr(Stylesheet, "update_nodes", counted)
        for width, panel in ((120, "trace"), (80, "tools"), (80, "conversation"), (120, "prompt")):
            await it.pilot.resize_terminal(width, 40)
            await it.focus(panel)
            await it.until(lambda width=width: main.narrow == (width == 80))  # type: ignore[misc]  # mypy does not know the type of a lambda's default
        everything = len(list(main.walk_children(with_self=True)))
        assert max(styled, default=0) < everything / 2
