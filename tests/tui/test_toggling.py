"""A switch in the panel does what a person means by it."""

from __future__ import annotations

import pytest

from workbench.errors import ToolDisabledError
from workbench.registry import ToolRegistry
from workbench.tui.toggling import SWITCHED_OFF, switch


@pytest.fixture
def tools() -> ToolRegistry:
    registry = ToolRegistry()
    for name in ("read", "write", "delete"):
        registry.register(lambda: None, name=name, namespace="files")
    registry.disable("files.delete", "tagged destructive")
    return registry


NAMES = ("files.read", "files.write", "files.delete")


def test_a_group_switched_off_and_on_is_as_it_was(tools: ToolRegistry) -> None:
    switch(tools, NAMES, False)
    assert not any(tools.is_enabled(name) for name in NAMES)
    assert tools.get_disable_reason("files.read") == SWITCHED_OFF
    switch(tools, NAMES, True)
    assert [tools.is_enabled(name) for name in NAMES] == [True, True, False]
    assert tools.get_disable_reason("files.delete") == "tagged destructive"


def test_a_tool_that_a_hook_keeps_off_is_switched_on_by_itself_only(tools: ToolRegistry) -> None:
    with pytest.raises(ToolDisabledError, match="tagged destructive"):
        switch(tools, NAMES, True)
    assert not tools.is_enabled("files.delete")
    switch(tools, ("files.delete",), True)
    assert tools.is_enabled("files.delete")
