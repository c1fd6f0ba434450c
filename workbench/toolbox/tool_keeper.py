"""Takes tools out of a registry and puts them back as they were."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.registry import Tool, ToolRegistry
from workbench.registry.refreshing import successor


@dataclass(frozen=True, slots=True)
class _Left:
    """A tool that was taken out, and how it was switched."""

    tool: Tool
    disabled: bool
    reason: str | None


class ToolKeeper:
    """Remembers the tools that it takes out.

    One that comes back, under its name or a new one, is off if it was off, with the reason, and has the
    metadata that was changed at run time. Use it on one thread at a time.
    """

    def __init__(self, registry: ToolRegistry) -> None:
        self._registry = registry
        self._left: dict[str, _Left] = {}
        self._returning: tuple[str, _Left] | None = None
        # A hook runs before the tool can be called, so a tool that was off is never on for a moment.
        registry.add_post_register_hook(self._switch_off)

    def take_out(self, name: str) -> bool:
        """Unregister a tool and remember it; False when there is none of that name."""
        tool = self._registry.get(name)
        if tool is None:
            return False
        self._left[tool.name] = _Left(
            tool, not self._registry.is_enabled(name), self._registry.get_disable_reason(name)
        )
        self._registry.unregister(name)
        return True

    def add(self, tool: Tool, former_name: str | None = None) -> None:
        """Register a tool, as the one that was taken out under ``former_name`` (else its own) was.

        Raises:
            ToolRegistrationError: as the registry does.
        """
        left = self._left.pop(former_name or tool.name, None)
        self._returning = (tool.name, left) if left is not None else None
        try:
            self._registry.add(successor(left.tool, tool) if left is not None else tool)
        finally:
            self._returning = None

    def _switch_off(self, name: str, tool: Tool, registry: ToolRegistry) -> None:
        if self._returning is not None:
            returning, left = self._returning
            if name == returning and left.disabled:
                registry.disable(name, left.reason)
