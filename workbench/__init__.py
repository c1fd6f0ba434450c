"""Workbench: build LLM agents and the Python tools they call, and watch both at work."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from workbench.engine.hooks import explain_old_name

if TYPE_CHECKING:
    from workbench.compose import Agent as Agent
    from workbench.compose import llm_do as llm_do
    from workbench.console.process_output import ProcessOutput as ProcessOutput
    from workbench.engine import LLM as LLM
    from workbench.engine import LLMResponse as LLMResponse
    from workbench.engine import Observer as Observer
    from workbench.engine import TokenUsage as TokenUsage
    from workbench.engine import ToolCall as ToolCall
    from workbench.engine import after_each_tool as after_each_tool
    from workbench.engine import after_llm as after_llm
    from workbench.engine import after_tools as after_tools
    from workbench.engine import after_user_input as after_user_input
    from workbench.engine import before_each_tool as before_each_tool
    from workbench.engine import before_llm as before_llm
    from workbench.engine import before_tools as before_tools
    from workbench.engine import on_complete as on_complete
    from workbench.engine import on_error as on_error
    from workbench.engine import xray as xray
    from workbench.engine.ceilings import ceilings as ceilings
    from workbench.engine.fault_injection import Fault as Fault
    from workbench.engine.fault_injection import FaultInjector as FaultInjector
    from workbench.errors import ConfigError as ConfigError
    from workbench.errors import HookError as HookError
    from workbench.errors import MessageOrderError as MessageOrderError
    from workbench.errors import ProviderError as ProviderError
    from workbench.errors import StopTurn as StopTurn
    from workbench.errors import ToolNotFoundError as ToolNotFoundError
    from workbench.errors import ToolRejected as ToolRejected
    from workbench.errors import WorkbenchError as WorkbenchError
    from workbench.registry import ChangeCallback as ChangeCallback
    from workbench.registry import ChangeEvent as ChangeEvent
    from workbench.registry import ChangeEventType as ChangeEventType
    from workbench.registry import PermissionPolicy as PermissionPolicy
    from workbench.registry import PermissionRequest as PermissionRequest
    from workbench.registry import PermissionResult as PermissionResult
    from workbench.registry import PermissionRule as PermissionRule
    from workbench.registry import PostRegisterHook as PostRegisterHook
    from workbench.registry import Tool as Tool
    from workbench.registry import ToolMetadata as ToolMetadata
    from workbench.registry import ToolRegistry as ToolRegistry
    from workbench.registry import ToolTag as ToolTag
    from workbench.registry import tool as tool

# A name is imported when it is first asked for, so that `import workbench` stays cheap.
_HOME: dict[str, str] = {
    name: module
    for module, names in {
        "workbench.compose": "Agent llm_do",
        "workbench.console.process_output": "ProcessOutput",
        "workbench.engine": "LLM LLMResponse Observer TokenUsage ToolCall after_each_tool after_llm "
        "after_tools after_user_input before_each_tool before_llm before_tools "
        "on_complete on_error xray",
        "workbench.engine.ceilings": "ceilings",
        "workbench.engine.fault_injection": "Fault FaultInjector",
        "workbench.errors": "ConfigError HookError MessageOrderError ProviderError StopTurn "
        "ToolNotFoundError ToolRejected WorkbenchError",
        "workbench.registry": "ChangeCallback ChangeEvent ChangeEventType PermissionPolicy PermissionRequest "
        "PermissionResult PermissionRule PostRegisterHook Tool ToolMetadata ToolRegistry "
        "ToolTag tool",
    }.items()
    for name in names.split()
}

__all__ = sorted(_HOME)  # noqa: PLE0605  # one table, not two; a test compares it with what can be imported


def __getattr__(name: str) -> Any:
    module = _HOME.get(name)
    if module is None:
        explain_old_name(__name__, name)
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
