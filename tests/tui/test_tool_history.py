"""The versions of tools that a session has seen."""

from __future__ import annotations

from typing import Any

from workbench.registry import Tool
from workbench.tui.tool_history import ToolHistory


def tool(function: Any) -> Tool:
    return Tool.from_callable(function, name="price")


def first(item: str) -> int:
    """The price."""
    return 1


def second(item: str) -> int:
    """The price."""
    return 2


def test_a_version_holds_until_the_next_one() -> None:
    history = ToolHistory()
    assert not history.note(tool(first), 10.0)
    assert not history.note(tool(first), 20.0)
    assert history.note(tool(second), 30.0)
    numbers = [version.number for at in (5.0, 10.0, 29.9, 30.0, 99.0) if (version := history.at("price", at))]
    assert numbers == [1, 1, 1, 2, 2]
    now = history.now("price")
    assert now is not None
    assert now.number == 2
    assert history.at("other", 1.0) is None
