"""The examples of the event page, as written."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from workbench.registry import (
    ChangeEvent,
    ChangeEventType,
    PostRegisterHook,
    ToolMetadata,
    ToolRegistry,
    ToolTag,
)


def test_events_look_as_the_page_shows_them(capsys: pytest.CaptureFixture[str]) -> None:
    event = ChangeEvent(event_type=ChangeEventType.REGISTER, tool_name="calculator.add")
    print(f"Event: {event.event_type.value}")
    print(f"Tool: {event.tool_name}")
    assert capsys.readouterr().out == "Event: register\nTool: calculator.add\n"
    event = ChangeEvent(
        event_type=ChangeEventType.DISABLE,
        tool_name="risky_tool",
        reason="Security vulnerability detected",
    )
    assert (event.reason, event.metadata) == ("Security vulnerability detected", {})
    with pytest.raises(AttributeError):
        event.reason = "other"  # type: ignore[misc]  # the point of the test


def test_the_ten_types_have_the_values_of_the_page() -> None:
    assert [each.value for each in ChangeEventType] == [
        "register",
        "unregister",
        "enable",
        "disable",
        "refresh",
        "refresh_all",
        "permission_denied",
        "permission_asked",
        "metadata_update",
        "tool_error",
    ]
    assert isinstance(ChangeEventType.REGISTER, str)


def test_a_destructive_tool_is_switched_off_by_the_hook_of_the_page() -> None:
    registry = ToolRegistry()

    def block_destructive(tool_name: str, tool: Any, registry: Any) -> str | None:
        if tool.metadata and ToolTag.DESTRUCTIVE in (tool.metadata.tags or set()):
            return f"Auto-disabled: '{tool_name}' is tagged DESTRUCTIVE"
        return None

    hook: PostRegisterHook = block_destructive
    registry.add_post_register_hook(hook)

    def delete_all_files() -> None:
        """Delete all files in the working directory."""

    registry.register(
        delete_all_files,
        metadata=ToolMetadata(tags={ToolTag.DESTRUCTIVE}),
    )

    assert registry.is_enabled("delete_all_files") is False
    assert registry.get_disable_reason("delete_all_files") == (
        "Auto-disabled: 'delete_all_files' is tagged DESTRUCTIVE"
    )


def test_the_callback_of_the_page_prints_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    registry = ToolRegistry()

    def my_callback(event: ChangeEvent) -> None:
        """Handle tool registry changes."""
        print(f"[{event.event_type.value}] {event.tool_name}")
        if event.reason:
            print(f"  Reason: {event.reason}")

    registry.on_change(my_callback)

    def add(a: int, b: int) -> int:
        return a + b

    registry.register(add)
    registry.disable("add", reason="Maintenance")
    registry.enable("add")
    assert capsys.readouterr().out == ("[register] add\n[disable] add\n  Reason: Maintenance\n[enable] add\n")

    removed = registry.remove_on_change(my_callback)
    print(f"Callback removed: {removed}")
    registry.register(len, name="another_function")
    assert capsys.readouterr().out == "Callback removed: True\n"
    assert registry.remove_on_change(my_callback) is False


def test_several_callbacks_are_called_in_the_order_they_came() -> None:
    registry = ToolRegistry()
    calls: list[str] = []
    registry.on_change(lambda event: calls.append(f"logger {event.tool_name}"))
    registry.on_change(lambda event: calls.append(f"metrics {event.event_type.value}"))
    registry.register(len, name="some_tool")
    assert calls == ["logger some_tool", "metrics register"]


def test_a_faulty_callback_is_logged_and_the_next_still_runs(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    registry = ToolRegistry()

    def faulty_callback(event: ChangeEvent) -> None:
        raise ValueError("Something went wrong!")

    def reliable_callback(event: ChangeEvent) -> None:
        print(f"Event received: {event.event_type.value}")

    registry.on_change(faulty_callback)
    registry.on_change(reliable_callback)
    with caplog.at_level(logging.ERROR):
        registry.register(len, name="some_tool")
    assert capsys.readouterr().out == "Event received: register\n"
    assert "Traceback" in caplog.text
    assert "Something went wrong!" in caplog.text
