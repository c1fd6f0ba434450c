"""The loop, hooks, session, trace and xray."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from workbench.engine.hooks import explain_old_name

if TYPE_CHECKING:
    from workbench.engine.agent import Agent as Agent
    from workbench.engine.breakpoints import Breakpoint as Breakpoint
    from workbench.engine.breakpoints import Breakpoints as Breakpoints
    from workbench.engine.breakpoints import Debugger as Debugger
    from workbench.engine.breakpoints import Pause as Pause
    from workbench.engine.breakpoints import Resume as Resume
    from workbench.engine.cancel import CancelToken as CancelToken
    from workbench.engine.fault_injection import Fault as Fault
    from workbench.engine.fault_injection import FaultInjector as FaultInjector
    from workbench.engine.hooks import Handler as Handler
    from workbench.engine.hooks import after_each_tool as after_each_tool
    from workbench.engine.hooks import after_llm as after_llm
    from workbench.engine.hooks import after_tools as after_tools
    from workbench.engine.hooks import after_user_input as after_user_input
    from workbench.engine.hooks import before_each_tool as before_each_tool
    from workbench.engine.hooks import before_llm as before_llm
    from workbench.engine.hooks import before_tools as before_tools
    from workbench.engine.hooks import on_complete as on_complete
    from workbench.engine.hooks import on_error as on_error
    from workbench.engine.llm import LLM as LLM
    from workbench.engine.llm import Delta as Delta
    from workbench.engine.llm import LLMResponse as LLMResponse
    from workbench.engine.llm import TokenUsage as TokenUsage
    from workbench.engine.llm import ToolCall as ToolCall
    from workbench.engine.observer import Observer as Observer
    from workbench.engine.observer import TurnSummary as TurnSummary
    from workbench.engine.output import CapturedOutput as CapturedOutput
    from workbench.engine.output import OutputCapture as OutputCapture
    from workbench.engine.single import llm_do as llm_do
    from workbench.engine.transcript import Repair as Repair
    from workbench.engine.transcript import repair_messages as repair_messages
    from workbench.engine.transcript import validate_messages as validate_messages
    from workbench.engine.xray_context import TraceDrawer as TraceDrawer
    from workbench.engine.xray_context import TraceView as TraceView
    from workbench.engine.xray_context import clear_xray_context as clear_xray_context
    from workbench.engine.xray_context import inject_xray_context as inject_xray_context
    from workbench.engine.xray_context import xray as xray

_HOME: dict[str, str] = {
    name: module
    for module, names in {
        "agent": "Agent",
        "breakpoints": "Breakpoint Breakpoints Debugger Pause Resume",
        "cancel": "CancelToken",
        "fault_injection": "Fault FaultInjector",
        "hooks": "Handler after_user_input before_llm after_llm before_tools before_each_tool "
        "after_each_tool after_tools on_error on_complete",
        "llm": "LLM Delta LLMResponse TokenUsage ToolCall",
        "observer": "Observer TurnSummary",
        "output": "CapturedOutput OutputCapture",
        "transcript": "Repair repair_messages validate_messages",
        "single": "llm_do",
        "xray_context": "TraceDrawer TraceView clear_xray_context inject_xray_context xray",
    }.items()
    for name in names.split()
}

__all__ = [*_HOME]  # noqa: PLE0604 - the names stand in the table above


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        explain_old_name(__name__, name)
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
