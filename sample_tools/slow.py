"""A tool that takes its time: watch its output arrive, stop it, or let it run into its timeout."""

import time

from workbench import ToolTag, tool


@tool(tags={ToolTag.READ_ONLY, ToolTag.SLOW}, timeout=60, interruptible=True)
def slow_countdown(seconds: int = 5) -> str:
    """Count down, one number a second, and print each.

    Args:
        seconds: Where to begin, 1 to 3600.
    """
    if not 1 <= seconds <= 3600:
        raise ValueError(f"seconds must be from 1 to 3600, not {seconds}")
    for left in range(seconds, 0, -1):
        print(f"{left} …", flush=True)
        time.sleep(1)
    return "lift-off"
