"""What a person should know of trace entries that are neither an answer nor a call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from workbench.visible import as_left

REMARKS: Final = ("note", "transcript_repair", "late_result", "compaction")
"""The types of these entries."""


def remark(entry: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """Title, text, hint and tone (a style key)."""
    if entry["type"] == "note":
        return entry["text"], "", entry.get("hint") or "", "warning"
    if entry["type"] == "late_result":
        text = "It was given up before; its result was dropped."
        return f"{entry['tool_name']} has ended", text, "", "warning"
    if entry["type"] == "compaction":
        title = (
            f"{entry['replaced']} messages are one now: about {entry['tokens_before']:,} tokens "
            f"became {entry['tokens_after']:,}"
        )
        return title, entry["summary"], "The session until here stays in its own file: /sessions.", "text"
    mended = "; ".join(repair["what"] for repair in entry["repairs"])
    return "The conversation was repaired", f"{entry['violation']} {mended}", "", "warning"


def printed_by_hooks(entry: Mapping[str, Any]) -> tuple[str, str, str, str] | None:
    """The same for what hooks printed when the user's message was added; None where they were silent."""
    texts = [as_left(str(text)).rstrip() for text in dict(entry.get("hook_output") or {}).values()]
    text = "\n".join(filter(None, texts))
    return ("Printed by hooks", text, "", "muted") if text else None
