"""A newer version of a tool takes the older one's place and keeps what was set at run time."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.errors import ToolNotFoundError, ToolRegistrationError
from workbench.registry import ChangeEvent, Grant, PermissionPolicy, ToolMetadata, ToolRegistry, tool


def version(source: str) -> Any:
    names: dict[str, Any] = {"tool": tool}
    exec(source, names)
    return names["scale"]


OLD = '''
@tool(tags={"read_only"})
def scale(n: int, factor: int = 2, gone: str = "") -> int:
    """Scale."""
    return n * factor
'''
NEW = '''
@tool(tags={"network"})
def scale(n: float, factor: int = 2, *, offset: int) -> float:
    """Scale and shift."""
    return n * factor + offset
'''


def started() -> tuple[ToolRegistry, list[ChangeEvent]]:
    registry = ToolRegistry(PermissionPolicy.open())
    registry.register(version(OLD), namespace="math")
    events: list[ChangeEvent] = []
    registry.on_change(events.append)
    return registry, events


def test_the_event_carries_the_difference_of_the_schemas() -> None:
    registry, events = started()
    assert registry.refresh("math.scale", version(NEW)) is True
    (event,) = events
    assert (event.event_type.value, event.tool_name) == ("refresh", "math.scale")
    assert event.metadata["difference"] == {
        "added": {"offset": {"type": "integer", "required": True}},
        "removed": {"gone": {"type": "string", "default": "", "required": False}},
        "changed": {
            "n": {
                "old": {"type": "integer", "required": True},
                "new": {"type": "number", "required": True},
            }
        },
    }
    assert event.metadata["description"] == {"old": "Scale.", "new": "Scale and shift."}
    assert event.metadata["tags"] == {"old": ["read_only"], "new": ["network"]}
    assert event.metadata["code"]["old"] != event.metadata["code"]["new"]
    assert registry.call("math.scale", {"n": 1.5, "offset": 1}) == 4.0


def test_state_grants_statistics_and_runtime_metadata_survive() -> None:
    registry, _ = started()
    registry.call("math.scale", {"n": 1})
    registry.grant(Grant("math.scale"))
    registry.update_metadata("math.scale", timeout=7.0, tags={"mine"})
    registry.disable("math.scale", "off for now")
    registry.refresh("math-scale", version(OLD.replace("n * factor", "factor * n")))
    assert registry.resolve("math.scale").metadata.tags == {"mine"}
    registry.refresh("math-scale", version(NEW))
    made = registry.resolve("math.scale")
    assert registry.get_disable_reason("math.scale") == "off for now"
    assert len(registry.grants) == 1
    assert registry.statistics("math.scale").calls == 1
    assert made.metadata.timeout == 7.0
    assert made.metadata.tags == {"network", "mine"}


def test_a_version_that_is_the_same_takes_the_place_without_an_event() -> None:
    registry, events = started()
    again = version(OLD)
    assert registry.refresh("math.scale", again) is False
    assert registry.resolve("math.scale").func is again
    assert registry.refresh("math.scale", version(OLD), force=True) is True
    assert [each.event_type.value for each in events] == ["refresh"]


def test_moving_code_is_no_change_of_it_but_editing_is() -> None:
    registry, events = started()
    registry.refresh("math.scale", version("\n\n" + OLD))
    assert events == []
    registry.refresh("math.scale", version(OLD.replace("n * factor", "n + factor")))
    assert list(events[0].metadata) == ["code", "seq", "time"]


def test_a_version_that_cannot_be_a_tool_leaves_the_old_one() -> None:
    registry, events = started()
    old = registry.resolve("math.scale")
    with pytest.raises(ToolRegistrationError):
        registry.refresh("math.scale", 3)
    with pytest.raises(ToolNotFoundError):
        registry.refresh("math.other", version(NEW))
    assert registry.resolve("math.scale") is old
    assert events == []


def test_many_are_replaced_in_one_step_told_by_one_event() -> None:
    registry, events = started()
    registry.register(len, name="size", metadata=ToolMetadata(tags={"slow"}))
    events.clear()
    found = registry.refresh_all({"math.scale": version(NEW), "size": len})
    assert [(each.event_type.value, each.tool_name) for each in events] == [("refresh_all", None)]
    assert events[0].metadata["tools"] == found
    assert set(found) == {"math.scale", "size"}
    assert "difference" in found["math.scale"]
    with pytest.raises(ToolRegistrationError):
        registry.refresh_all({"math.scale": version(OLD), "size": 3})
    assert registry.resolve("math.scale").description == "Scale and shift."
    assert registry.refresh_all({}) == registry.refresh_all({"size": len}) == {}
    assert len(events) == 1
    assert registry.refresh_all({"size": len}, force={"size"}) == {"size": {}}
    assert events[1].metadata["tools"] == {"size": {}}
