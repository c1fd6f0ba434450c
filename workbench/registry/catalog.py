"""The tools of a registry and every change to them; each change is published as it happens."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
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
        self._lock = emitter.lock

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
                    self._emitter.note(ChangeEventType.REGISTER, each.name)
            if review is not None:
                self._review(tools, review)

    def remove(self, name: str) -> Tool:
        """Take a tool out; raises ToolNotFoundError."""
        with self.change():
            tool = self.state.resolve(name)
            self.state = self.state.without(tool)
            self._emitter.note(ChangeEventType.UNREGISTER, tool.name)
        return tool

    def replace(self, fresh: Tool, *, force: bool) -> bool:
        """Put a newer version in a tool's place; whether an event told of it."""
        with self.change():
            old = self.state.resolve(fresh.name)
            new = refreshing.successor(old, fresh)
            found = refreshing.changes(old, new)
            self.state = self.state.with_replaced([new])
            if found or force:
                self._emitter.note(ChangeEventType.REFRESH, new.name, None, **found)
        return bool(found) or force

    def replace_all(self, fresh: Iterable[Tool], force: Container[str]) -> dict[str, dict[str, Any]]:
        """Put newer versions in many tools' places in one step; what changed, by name, as the event tells."""
        with self.change():
            pairs = [(self.state.resolve(each.name), each) for each in fresh]
            newer = [(old, refreshing.successor(old, each)) for old, each in pairs]
            found = {new.name: refreshing.changes(old, new) for old, new in newer}
            told = {name: changes for name, changes in found.items() if changes or name in force}
            self.state = self.state.with_replaced(new for _, new in newer)
            if told:
                self._emitter.note(ChangeEventType.REFRESH_ALL, None, None, tools=told)
        return told

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
                self._emitter.note(
                    ChangeEventType.METADATA_UPDATE,
                    tool.name,
                    None,
                    fields=list(differing),
                    changes=differing,
                )
        return bool(differing)

    def enable(self, name: str) -> bool:
        """Switch a tool on; whether it was off. Raises ToolNotFoundError."""
        self._lock.acquire()  # half as long as `with` takes, and this is done in a loop
        try:
            state = self.state
            dotted = name if name in state.tools else state.resolve(name).name
            if dotted not in state.disabled:
                return False
            disabled = state.disabled.copy()
            del disabled[dotted]
            self.state = Snapshot(state.tools, state.by_safe_name, disabled, state.held)
            event = self._emitter.take(_ENABLE, dotted, None)
        finally:
            self._lock.release()
        self._emitter.deliver(event)
        return True

    def disable(self, name: str, reason: str | None) -> bool:
        """Switch a tool off; whether it was on, or off for another reason. Raises ToolNotFoundError."""
        self._lock.acquire()  # as in `enable`
        try:
            state = self.state
            dotted = name if name in state.tools else state.resolve(name).name
            before = state.disabled.get(dotted)
            if before is not None and (reason is None or before == reason):
                return False
            disabled = state.disabled.copy()
            disabled[dotted] = reason or ""
            self.state = Snapshot(state.tools, state.by_safe_name, disabled, state.held)
            event = self._emitter.take(_DISABLE, dotted, reason)
        finally:
            self._lock.release()
        self._emitter.deliver(event)
        return True

    def enable_group(self, namespace: str | None, tag: str | None) -> list[str]:
        """Switch on those of the group that are off; their names."""
        with self.change():
            disabled = self.state.disabled.copy()
            changed = [
                name for name in self.state.group(namespace, tag) if disabled.pop(name, None) is not None
            ]
            self._switch(changed, disabled, _ENABLE, None)
        return changed

    def disable_group(self, namespace: str | None, tag: str | None, reason: str | None) -> list[str]:
        """Switch off those of the group that are on; their names."""
        with self.change():
            before = self.state.disabled
            changed = [name for name in self.state.group(namespace, tag) if name not in before]
            self._switch(changed, before | dict.fromkeys(changed, reason or ""), _DISABLE, reason)
        return changed

    def _switch(
        self, names: list[str], disabled: dict[str, str], event_type: ChangeEventType, reason: str | None
    ) -> None:
        if names:
            self.state = self.state.with_disabled(disabled)
        for name in names:
            self._emitter.note(event_type, name, reason)

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
                self._emitter.note(ChangeEventType.DISABLE, tool.name, reason)
            self.state = self.state.released([tool.name])
