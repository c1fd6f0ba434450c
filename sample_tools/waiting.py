"""An async tool: declared with ``async def``, awaited by whoever calls it, cancelled when the turn stops."""

import asyncio

from workbench import ToolTag, tool


@tool(tags={ToolTag.READ_ONLY, ToolTag.SLOW}, parallel_safe=True)
async def wait_and_echo(text: str, seconds: float = 0.5) -> str:
    """Wait a while, then give the text back.

    Args:
        text: What to give back.
        seconds: How long to wait, at most 60.
    """
    await asyncio.sleep(min(max(seconds, 0), 60))
    return text
