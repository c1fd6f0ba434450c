"""Calls a tool in a test as the app calls it, so that what it gives can be held to what it gave."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Mapping
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any

from workbench.engine.results import to_text
from workbench.errors import ConfigError, ToolRegistrationError, ToolServerError
from workbench.registry import Tool, ToolRegistry
from workbench.registry.texts import message_of
from workbench.toolbox.loader import load_tools

__all__ = ["as_json", "call_mcp_tool", "call_tool", "message_of", "plain_result", "text_digest"]


def call_tool(place: str | Path, name: str, arguments: Mapping[str, Any], *, text: bool = False) -> Any:
    """What the tool gives for these arguments, in values that JSON has.

    ``place`` is a file or the name of a module, ``name`` the function in it, or a method as
    ``object.method``. The arguments are those of a call: they are validated and converted. Nobody is asked
    for permission. With ``text``, a text that the tool gives is that text, also where it reads as JSON.

    Raises what the tool raises, ToolArgumentsError for arguments that do not fit, ConfigError when there
    is no such place or name, ToolRegistrationError when the file does not load.
    """
    value = _waited(_tool(place, name).bind(arguments).run())
    return value if text and isinstance(value, str) else plain_result(to_text(value))


def call_mcp_tool(config: str | Path, server: str, name: str, arguments: Mapping[str, Any]) -> Any:
    """What a tool of an MCP server gives for these arguments, in values that JSON has.

    ``config`` is the ``mcpServers`` file that says how the server is reached. It is started, or connected
    to, for this one call. Nobody is asked for permission.

    Raises ToolServerError when the server cannot be reached or answers with an error, ToolArgumentsError
    for arguments that do not fit, ConfigError when the file does not name the server or it has no such
    tool.
    """
    from workbench.toolbox.mcp_config import load_mcp_config
    from workbench.toolbox.mcp_servers import CONNECT_TIMEOUT, McpServers

    chosen = [each for each in load_mcp_config(config) if each.name == server and not each.disabled]
    if not chosen:
        raise ConfigError(f"{config} has no MCP server {server} that is on")
    registry = ToolRegistry()
    with McpServers(registry, chosen) as servers:
        servers.wait(CONNECT_TIMEOUT)
        (state,) = servers.states
        tool = next((each for each in registry if each.metadata.extra.get("mcp_name") == name), None)
        if state.phase != "connected":
            raise ToolServerError(f"the MCP server {server} cannot be reached: {state.why}")
        if tool is None:
            raise ConfigError(f"the MCP server {server} has no tool {name}")
        return plain_result(to_text(_waited(tool.bind(arguments).run())))


def plain_result(text: str) -> Any:
    """A result as the trace keeps it, in values that JSON has; what is no JSON is the text itself."""
    try:
        return json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError):
        return text


def _finite(number: str) -> float:
    """The number; ValueError for NaN and what is too large, which neither JSON nor Python can write down."""
    value = float(number)
    if not isfinite(value):
        raise ValueError(f"{number} is no number of JSON")
    return value


def as_json(value: Any) -> str:
    """A result as JSON, an entry a line: equal only where values and their types are, whatever the order."""
    return json.dumps(value, sort_keys=True, indent=1, ensure_ascii=False)


def text_digest(value: Any) -> str:
    """The SHA-256 of a result, for one that is too long to be written down."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _tool(place: str | Path, name: str) -> Tool:
    registry = ToolRegistry()
    report = load_tools(f"{place}:{name}", registry)
    tools = list(registry)
    if len(tools) != 1:
        why = "; ".join(str(failure) for failure in report.failures) or f"it gives {len(tools)} tools"
        raise ToolRegistrationError(f"{name} of {place} cannot be called as a tool: {why}")
    return tools[0]


def _waited(value: Any) -> Any:
    if inspect.isawaitable(value):

        async def wait() -> Any:
            return await value

        return asyncio.run(wait())
    return value
