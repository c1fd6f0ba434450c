"""What a registry tells its subscribers: the change event, its types, and the two callback shapes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from workbench.registry.registry import ToolRegistry
    from workbench.registry.tool import Tool


class ChangeEventType(StrEnum):
    """Types of change events that can occur in a ToolRegistry.

    Attributes:
        REGISTER: A tool was registered.
        UNREGISTER: A tool was unregistered.
        ENABLE: A tool was enabled.
        DISABLE: A tool was disabled.
        REFRESH: One tool was replaced by a newer version of itself.
        REFRESH_ALL: Many tools were replaced in one step.
        PERMISSION_DENIED: A call was denied, by the policy or by the one who was asked.
        PERMISSION_ASKED: A call needed an answer before it could run.
        METADATA_UPDATE: A tool's metadata, the policy or the grants changed.
        TOOL_ERROR: A tool raised an exception.
    """

    REGISTER = "register"
    UNREGISTER = "unregister"
    ENABLE = "enable"
    DISABLE = "disable"
    REFRESH = "refresh"
    REFRESH_ALL = "refresh_all"
    PERMISSION_DENIED = "permission_denied"
    PERMISSION_ASKED = "permission_asked"
    METADATA_UPDATE = "metadata_update"
    TOOL_ERROR = "tool_error"


@dataclass(frozen=True, init=False)
class ChangeEvent:
    """Immutable event object passed to change callbacks.

    Attributes:
        event_type: The type of change that occurred.
        tool_name: Dotted name of the affected tool, or None when the change is not about one tool.
        reason: Why; used for disable and permission events.
        metadata: Further facts. An event that a registry delivers has ``seq`` (a whole number that
            grows by one with each change of that registry) and ``time`` (Unix seconds).
    """

    event_type: ChangeEventType
    tool_name: str | None = None
    reason: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict, hash=False)

    def __init__(
        self,
        event_type: ChangeEventType,
        tool_name: str | None = None,
        reason: str | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        # One is made for each change; the generated method of a frozen class takes three times as long.
        facts = self.__dict__
        facts["event_type"] = event_type
        facts["tool_name"] = tool_name
        facts["reason"] = reason
        facts["metadata"] = {} if metadata is None else metadata


ChangeCallback: TypeAlias = Callable[[ChangeEvent], None]
"""Callback signature: receives a ChangeEvent, returns nothing."""

PostRegisterHook: TypeAlias = Callable[[str, "Tool", "ToolRegistry"], str | None]
"""Called after a tool was added, with its name, the tool and the registry.

A returned text that is not empty switches the tool off at once, with that text as the reason.
"""
