"""An MCP server of an older protocol, without any SDK: it initializes, and tells of changes unasked."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

tools = [
    {"name": "pid", "inputSchema": {"type": "object"}},
    {"name": "change", "inputSchema": {"type": "object"}},
]


def send(**message: Any) -> None:
    """Write one message."""
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def call(name: str) -> dict[str, Any]:
    """Run a tool."""
    if name == "change":
        tools.append({"name": "fresh", "inputSchema": {"type": "object"}})
        send(method="notifications/tools/list_changed")
    return {"content": [{"type": "text", "text": str(os.getpid())}]}


for line in sys.stdin:
    request = json.loads(line)
    method, params = request["method"], request.get("params", {})
    if "id" not in request:
        continue
    if method == "initialize":
        capabilities = {"tools": {"listChanged": True}}
        info = {"name": "old", "version": "1"}
        result = {"protocolVersion": "2025-03-26", "capabilities": capabilities, "serverInfo": info}
        send(id=request["id"], result=result)
    elif method == "tools/list":
        send(id=request["id"], result={"tools": tools})
    elif method == "tools/call":
        send(id=request["id"], result=call(params["name"]))
    else:
        send(id=request["id"], error={"code": -32601, "message": f"no {method}"})
