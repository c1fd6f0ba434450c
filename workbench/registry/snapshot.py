"""One immutable state of a registry; every change makes a new one, readers keep the one they took."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from workbench.errors import ToolNotFoundError, ToolRegistrationError
from workbench.registry.names import near_names
from workbench.registry.tool import Tool

_NAMED: Final = 10
"""How many tools an error names."""


class Snapshot:
    """The tools and which of them are off.

    Attributes:
        tools: Tools by dotted name, in the order registered.
        by_safe_name: Dotted names by safe name.
        disabled: Reason (may be empty) by dotted name of the tools that are off.
        held: Names of tools whose post-register hooks have not ended; they can be seen, not called.
    """

    __slots__ = ("_schemas", "by_safe_name", "disabled", "held", "tools")

    def __init__(
        self,
        tools: dict[str, Tool],
        by_safe_name: dict[str, str],
        disabled: dict[str, str],
        held: frozenset[str],
    ) -> None:
        self.tools = tools
        self.by_safe_name = by_safe_name
        self.disabled = disabled
        self.held = held
        self._schemas: list[dict[str, Any]] | None = None

    def find(self, name: object) -> Tool | None:
        """The tool of this dotted or safe name."""
        if not isinstance(name, str):
            return None
        found = self.tools.get(name)
        if found is not None:
            return found
        dotted = self.by_safe_name.get(name)
        return self.tools[dotted] if dotted is not None else None

    def meant(self, name: object) -> Tool | None:
        """As `find`; a last part that only one tool has will do too, since models drop namespaces."""
        found = self.find(name)
        if found is not None:
            return found
        ends = self._ending_in(name)
        return self.tools[ends[0]] if len(ends) == 1 else None

    def _ending_in(self, last: object) -> list[str]:
        return [dotted for dotted in self.tools if dotted.rpartition(".")[2] == last]

    def resolve(self, name: str) -> Tool:
        """As `find`, but a missing tool raises ToolNotFoundError with near names."""
        found = self.tools.get(name) if name.__class__ is str else None
        if found is None:
            found = self.find(name)
        if found is not None:
            return found
        near = self._ending_in(name) or near_names(str(name), self.tools)
        advice = f" Did you mean {' or '.join(near)}?" if near else ""
        known = [name for name in self.tools if name not in self.disabled and name not in self.held]
        more = f" and {len(known) - _NAMED} more" if len(known) > _NAMED else ""
        listed = (", ".join(known[:_NAMED]) or "none") + more
        raise ToolNotFoundError(f"there is no tool named {name!r}.{advice}", hint=f"Known tools: {listed}.")

    def schemas(self) -> list[dict[str, Any]]:
        """Schemas of the tools that can be called; made once for each snapshot, not to be changed."""
        if self._schemas is None:
            off = self.disabled.keys() | self.held
            self._schemas = [tool.schema for name, tool in self.tools.items() if name not in off]
        return self._schemas

    def group(self, namespace: str | None, tag: str | None) -> list[str]:
        """Names of the tools in a namespace (and below it) that have a tag; None stands for any."""
        return [
            name
            for name, tool in self.tools.items()
            if (namespace is None or f"{tool.namespace}.".startswith(f"{namespace}."))
            and (tag is None or tag in tool.metadata.tags)
        ]

    def with_tools(self, added: Iterable[Tool], *, held: Iterable[str] = ()) -> Snapshot:
        """With further tools.

        Raises:
            ToolRegistrationError: when a name, or its form for providers, is taken.
        """
        tools, by_safe_name = dict(self.tools), dict(self.by_safe_name)
        for tool in added:
            other = by_safe_name.get(tool.safe_name)
            if tool.name in tools:
                raise ToolRegistrationError(
                    f"a tool named {tool.name!r} is registered already",
                    hint="Give another name= or namespace=, or use refresh to replace it.",
                )
            if other is not None:
                raise ToolRegistrationError(
                    f"{tool.name!r} and {other!r} are both {tool.safe_name!r} for a provider",
                    hint="Give another name= or namespace=.",
                )
            tools[tool.name] = tool
            by_safe_name[tool.safe_name] = tool.name
        return Snapshot(tools, by_safe_name, self.disabled, self.held | frozenset(held))

    def with_replaced(self, replaced: Iterable[Tool]) -> Snapshot:
        """With newer versions of tools that are there already, in their old places."""
        tools = dict(self.tools)
        tools.update((tool.name, tool) for tool in replaced)
        return Snapshot(tools, self.by_safe_name, self.disabled, self.held)

    def without(self, tool: Tool) -> Snapshot:
        """Without one tool."""
        tools, by_safe_name, disabled = dict(self.tools), dict(self.by_safe_name), dict(self.disabled)
        del tools[tool.name], by_safe_name[tool.safe_name]
        disabled.pop(tool.name, None)
        return Snapshot(tools, by_safe_name, disabled, self.held - {tool.name})

    def with_disabled(self, disabled: dict[str, str]) -> Snapshot:
        """With another set of tools that are off."""
        return Snapshot(self.tools, self.by_safe_name, disabled, self.held)

    def released(self, names: Iterable[str]) -> Snapshot:
        """With these tools no longer held back."""
        return Snapshot(self.tools, self.by_safe_name, self.disabled, self.held - frozenset(names))
