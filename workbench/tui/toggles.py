"""Which tools were switched since the model last heard of it, and how it is told."""

from __future__ import annotations

from typing import Any

from workbench.engine.content import with_more_text
from workbench.engine.watched import watched
from workbench.registry import ChangeEvent, ChangeEventType, Tool

_TOGGLES = (ChangeEventType.ENABLE, ChangeEventType.DISABLE)


class Toggles:
    """What is switched back again before the next message is no news."""

    def __init__(self) -> None:
        self._states: dict[str, str] = {}

    def note(self, tool: Tool, change: ChangeEvent) -> None:
        """Remember a change of the tool if it switched the tool."""
        if change.event_type not in _TOGGLES:
            return
        off = change.event_type is ChangeEventType.DISABLE
        state = (f"off ({change.reason})" if change.reason else "off") if off else "on"
        if self._states.pop(tool.safe_name, state) == state:
            self._states[tool.safe_name] = state

    def tell(self, session: dict[str, Any]) -> str:
        """Say it in the user's last message; the words, empty where there is nothing to say."""
        if not self._states:
            return ""
        changes = "; ".join(f"{name} is {state}" for name, state in sorted(self._states.items()))
        note = f"[Tools changed: {changes}.]"
        for message in reversed(session["messages"]):
            if message["role"] == "user":
                message["content"] = watched(with_more_text(message["content"], note))
                return note
        return ""

    def clear(self) -> None:
        """The model has heard of it, or there is no conversation any more."""
        self._states.clear()
