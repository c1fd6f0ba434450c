"""Standing answers to permission questions: given once, for a session or for a project, and revocable."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from workbench.errors import ConfigError
from workbench.registry import matching
from workbench.registry.tool import Tool

ANY_OTHER: Final = "*"
"""In a grant, the name that stands for each argument that is not named."""


class GrantScope(StrEnum):
    """How long a grant holds: for one call, while this registry lives, or for the project."""

    ONCE = "once"
    SESSION = "session"
    PROJECT = "project"


@dataclass(frozen=True, eq=False)
class Grant:
    """A yes given in advance. It answers what asks; it never overrides a rule that denies.

    Attributes:
        tool: Glob over the dotted name or the safe name.
        arguments: Parameter -> glob over its value, see `PermissionRule`; empty for any arguments. Each
            argument that a call gives must fit: one that is not named here fits the glob of ``*``, if any.
        scope: How long it holds.
        id: Tells two grants apart that say the same.
        created: Unix seconds.
    """

    tool: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    scope: GrantScope = GrantScope.SESSION
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    created: float = field(default_factory=time.time)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scope", GrantScope(self.scope))
        object.__setattr__(self, "arguments", dict(self.arguments))

    def fits(self, tool: Tool, arguments: Mapping[str, Any]) -> bool:
        """Whether the grant covers the whole of this call."""
        if not matching.name_fits(self.tool, tool):
            return False
        if not self.arguments:
            return True
        patterns = {name: self.arguments.get(name, self.arguments.get(ANY_OTHER)) for name in arguments}
        patterns |= {
            name: pattern for name, pattern in self.arguments.items() if name != ANY_OTHER and pattern != "*"
        }
        asked = {name: pattern for name, pattern in patterns.items() if pattern is not None}
        return len(asked) == len(patterns) and matching.arguments_fit(asked, tool, arguments, entirely=True)

    @property
    def phrase(self) -> str:
        """``granted once``, ``granted: session`` or ``granted: project``."""
        return "granted once" if self.scope is GrantScope.ONCE else f"granted: {self.scope.value}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, to be kept with a project."""
        return {
            "tool": self.tool,
            "arguments": dict(self.arguments),
            "scope": self.scope.value,
            "id": self.id,
            "created": self.created,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Grant:
        """The grant that `to_dict` wrote.

        Raises:
            ConfigError: when a value is missing or is not what it should be.
        """
        try:
            tool, arguments = data["tool"], dict(data["arguments"])
            grant = cls(tool, arguments, GrantScope(data["scope"]), str(data["id"]), float(data["created"]))
        except KeyError as error:
            raise ConfigError(f"a grant must have {error!s}") from error
        except (TypeError, ValueError) as error:
            raise ConfigError(f"this is not a grant: {error}") from error
        if not all(isinstance(each, str) for each in (tool, *arguments, *arguments.values())):
            raise ConfigError("the tool and the patterns of a grant must be texts")
        return grant


class GrantBook:
    """The grants in force; a grant for one call is handed out to one call only."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._grants: tuple[Grant, ...] = ()

    @property
    def grants(self) -> tuple[Grant, ...]:
        """All grants in force, oldest first."""
        return self._grants

    def add(self, grant: Grant) -> bool:
        """Put a grant in force; False when it already was."""
        with self._lock:
            if any(each.id == grant.id for each in self._grants):
                return False
            self._grants = (*self._grants, grant)
            return True

    def remove(self, grant: Grant | str) -> Grant | None:
        """Take a grant (or the one of that id) out of force; None when it was not in force."""
        wanted = grant if isinstance(grant, str) else grant.id
        with self._lock:
            found = next((each for each in self._grants if each.id == wanted), None)
            if found is not None:
                self._grants = tuple(each for each in self._grants if each is not found)
            return found

    def find(self, tool: Tool, arguments: Mapping[str, Any]) -> Grant | None:
        """A grant that covers the call; lasting ones are used before those for one call."""
        fitting = [each for each in self._grants if each.fits(tool, arguments)]
        return min(fitting, key=lambda each: each.scope is GrantScope.ONCE, default=None)
