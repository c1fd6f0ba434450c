"""Tools, schemas, permissions and change events.

Importing this package does not load pydantic; the first registration does.
"""

from workbench.registry.changes import ChangeCallback, ChangeEvent, ChangeEventType, PostRegisterHook
from workbench.registry.grants import Grant, GrantScope
from workbench.registry.lint import Finding, LintRule, lint
from workbench.registry.making import make_tools
from workbench.registry.metadata import ToolMetadata, ToolTag, tool
from workbench.registry.permissions import (
    Decision,
    PermissionHandler,
    PermissionPolicy,
    PermissionRequest,
    PermissionResult,
    PermissionRule,
)
from workbench.registry.registry import ToolRegistry
from workbench.registry.statistics import ToolStatistics, WrongCall
from workbench.registry.tool import BoundCall, Tool

__all__ = [
    "BoundCall",
    "ChangeCallback",
    "ChangeEvent",
    "ChangeEventType",
    "Decision",
    "Finding",
    "Grant",
    "GrantScope",
    "LintRule",
    "PermissionHandler",
    "PermissionPolicy",
    "PermissionRequest",
    "PermissionResult",
    "PermissionRule",
    "PostRegisterHook",
    "Tool",
    "ToolMetadata",
    "ToolRegistry",
    "ToolStatistics",
    "ToolTag",
    "WrongCall",
    "lint",
    "make_tools",
    "tool",
]
