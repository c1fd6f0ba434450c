"""Calls a tool in a test as the app calls it, so that what it gives can be held to what it gave."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from workbench.engine.results import to_text
from workbench.errors import ToolRegistrationError
from workbench.registry import Tool, ToolRegistry
from workbench.registry.texts import message_of
from workbench.toolbox.loader import load_tools

__all__ = ["call_tool", "message_of", "plain_result", "text_digest"]


def call_tool(place: str | Path, name: str, arguments: Mapping[str, Any]) -> Any:
    """What the tool gives for these arguments, in values that JSON has.

    ``place`` is a file or the name of a module, ``name`` the function in it, or a method as
    ``object.method``. The arguments are those of a call: they are validated and converted. Nobody is asked
    for permission.

    Raises what the tool raises, ToolArgumentsError for arguments that do not fit, ConfigError when there
    is no such place or name, ToolRegistrationError when the file does not load.
    """
    value = _tool(place, name).bind(arguments).run()
    return plain_result(_text_of(value))


def plain_result(text: str) -> Any:
    """A result as the trace keeps it, in values that JSON has; what is no JSON is the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


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


def _text_of(value: Any) -> str:
    if inspect.isawaitable(value):

        async def wait() -> Any:
            return await value

        value = asyncio.run(wait())
    return to_text(value)
