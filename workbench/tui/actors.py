"""Who switched a tool, as far as the change itself tells."""

from __future__ import annotations

from typing import Final

from workbench.registry import ChangeEvent, ChangeEventType
from workbench.registry.acting import actor

_SWITCHES: Final = (ChangeEventType.ENABLE, ChangeEventType.DISABLE)


class Actors:
    """To be asked about each change, in order, in the change callback itself."""

    def __init__(self) -> None:
        self._new: set[str] = set()

    def of(self, change: ChangeEvent) -> str:
        """``user``, ``reload``, ``policy`` or ``code``; empty for what is no switch."""
        name = change.tool_name or ""
        if change.event_type is ChangeEventType.REGISTER:
            self._new.add(name)
        if change.event_type not in _SWITCHES:
            return ""
        # a tool that goes off as the first thing after it came was looked at, and held back
        new = name in self._new
        self._new.discard(name)
        return actor() or ("policy" if new and change.event_type is ChangeEventType.DISABLE else "code")
