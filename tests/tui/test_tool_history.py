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


def test_a_version_that_looks_the_same_but_is_said_to_be_new_has_another_helper() -> None:
    history = ToolHistory()
    history.note(tool(first), 10.0)
    assert history.note(tool(first), 20.0, renewed=True)
    assert not history.note(tool(first), 30.0)
    assert history.note(tool(second), 40.0, renewed=True)
    told = [
        (version.number, version.helper) for at in (10.0, 20.0, 40.0) if (version := history.at("price", at))
    ]
    assert told == [(1, False), (2, True), (3, False)]
