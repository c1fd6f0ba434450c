"""An MCP server for the tests: over stdio, or over HTTP on the loopback port given as an argument."""

from __future__ import annotations

import asyncio
import os
import sys

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

server = MCPServer("sample")


@server.tool(annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False))
def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


@server.tool(annotations=ToolAnnotations(destructive_hint=True))
def fail(why: str) -> str:
    """Fail, and say why."""
    raise ToolError(why)


@server.tool()
def pid() -> int:
    """The number of this process."""
    return os.getpid()


@server.tool()
def die() -> int:
    """End this process in the middle of a call."""
    print("last words", file=sys.stderr, flush=True)
    os._exit(3)


@server.tool()
async def hang(mark: str) -> str:
    """Leave a mark, and never answer."""
    with open(mark, "w"):
        pass
    try:
        await asyncio.Event().wait()
    finally:
        os.remove(mark)
    return "never"


@server.tool()
async def change(ctx: Context) -> str:
    """Offer a further tool, withdraw one, and tell."""
    server.add_tool(pid, name="fresh", description="New here")
    server.remove_tool("fail")
    await ctx.notify_tools_changed()
    await ctx.session.send_tool_list_changed()
    return "changed"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        server.run()
