"""The tools of a registry and every change to them; each change is published as it happens."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any, TypeAlias

from workbench.registry import refreshing
from workbench.registry.changes import ChangeEventType
from workbench.registry.emitter import Emitter
from workbench.registry.snapshot import Snapshot
from workbench.registry.tool import Tool

Reviewer: TypeAlias = Callable[[Tool], "str | None"]
"""Looks at a new tool before it can be called; gives a reason to switch it off, or None."""

_ENABLE, _DISABLE = ChangeEventType.ENABLE, ChangeEventType.DISABLE  # looking one up takes its time
_INTERRUPTED = "its registration was interrupted"


class Catalog:
    """Holds the current snapshot; one change at a time, made under a lock that no callback runs under."""

    def __init__(self, emitter: Emitter) -> None:
        self.state = Snapshot({}, {}, {}, frozenset())
        self._emitter = emitter
        self._lock = threading.Lock()

    @contextmanager
    def change(self) -> Iterator[None]:
        """Hold the lock for a change, then deliver what it published."""
        with self._lock:
            yield
        self._emitter.deliver()

    def add(self, tools: Sequence[Tool], review: Reviewer | None) -> None:
        """Add all of them or none. With ``review``, each can be called only once it was looked at.

        Raises:
            ToolRegistrationError: when a name is taken.
        """
        with self._emitter.held():
            with self._lock:
                held = [each.name for each in tools] if review is not None else ()
                self.state = self.state.with_tools(tools, held=held)
                for each in tools:
                    self._emitter.publish(ChangeEventType.REGISTER, each.name)
            if review is not None:
                self._review(tools, review)

    def remove(self, name: str) -> Tool:
        """Take a tool out; raises ToolNotFoundError."""
        with self.change():
            tool = self.state.resolve(name)
            self.state = self.state.without(tool)
            self._emitter.publish(ChangeEventType.UNREGISTER, tool.name)
        return tool

    def replace(self, fresh: Tool, *, force: bool) -> bool:
        """Put a newer version in a tool's place; whether an event told of it."""
        with self.change():
            old = self.state.resolve(fresh.name)
            new = refreshing.successor(old, fresh)
            found = refreshing.changes(old, new)
            self.state = self.state.with_replaced([new])
            if found or force:
                self._emitter.publish(ChangeEventType.REFRESH, new.name, None, **found)
        return bool(found) or force

    def replace_all(self, fresh: Iterable[Tool]) -> dict[str, dict[str, Any]]:
        """Put newer versions in many tools' places in one step; what changed, by name."""
        with self.change():
            pairs = [(self.state.resolve(each.name), each) for each in fresh]
            newer = [(old, refreshing.successor(old, each)) for old, each in pairs]
            found = {new.name: refreshing.changes(old, new) for old, new in newer}
            self.state = self.state.with_replaced(new for _, new in newer)
            self._emitter.publish(ChangeEventType.REFRESH_ALL, None, None, tools=found)
        return found

    def update(self, name: str, changes: Mapping[str, Any]) -> bool:
        """Change fields of a tool's metadata; whether any differs."""
        with self.change():
            tool = self.state.resolve(name)
            metadata = replace(tool.metadata, **changes)
            differing = {
                each.name: {"old": getattr(tool.metadata, each.name), "new": getattr(metadata, each.name)}
                for each in fields(metadata)
                if getattr(tool.metadata, each.name) != getattr(metadata, each.name)
            }
            if differing:
                self.state = self.state.with_replaced([tool.with_metadata(metadata)])
                self._emitter.publish(
                    ChangeEventType.METADATA_UPDATE,
                    tool.name,
                    None,
                    fields=list(differing),
                    changes=differing,
                )
        return bool(differing)

    def enable(self, chosen: Callable[[Snapshot], Iterable[str]]) -> list[str]:
        """Switch the chosen tools on; names of those that were off."""
        with self._lock:
            disabled = dict(self.state.disabled)
            changed = [name for name in chosen(self.state) if disabled.pop(name, None) is not None]
            if changed:
                self.state = self.state.with_disabled(disabled)
                for name in changed:
                    self._emitter.publish(_ENABLE, name)
        self._emitter.deliver()
        return changed

    def disable(self, chosen: Callable[[Snapshot], Iterable[str]], reason: str | None) -> list[str]:
        """Switch the chosen tools off; names of those that were on, or off for another reason."""
        with self._lock:
            disabled = dict(self.state.disabled)
            changed: list[str] = []
            for name in chosen(self.state):
                if name not in disabled or (reason is not None and disabled[name] != reason):
                    disabled[name] = reason or ""
                    changed.append(name)
            if changed:
                self.state = self.state.with_disabled(disabled)
                for name in changed:
                    self._emitter.publish(_DISABLE, name, reason)
        self._emitter.deliver()
        return changed

    def _review(self, tools: Sequence[Tool], review: Reviewer) -> None:
        """Release each tool once it was looked at; one whose review was cut short is switched off."""
        waiting = {each.name: each for each in tools}
        try:
            for each in tools:
                self._release(each, review(each))
                del waiting[each.name]
        finally:
            for each in waiting.values():
                self._release(each, _INTERRUPTED)

    def _release(self, tool: Tool, reason: str | None) -> None:
        with self._lock:
            if tool.name not in self.state.held:
                return  # unregistered meanwhile
            if reason:
                self.state = self.state.with_disabled({**self.state.disabled, tool.name: reason})
                self._emitter.publish(ChangeEventType.DISABLE, tool.name, reason)
            self.state = self.state.released([tool.name])
