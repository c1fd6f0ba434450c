"""The tools as the tools panel shows them: groups by namespace, their tools, and sources that failed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from workbench.tui.events import ToolRow
from workbench.visible import visible_line


@dataclass(slots=True, eq=False)
class Group:
    """The tools of one namespace. ``name`` is empty for tools that have none; such a group has no row."""

    name: str
    tools: list[Tool] = field(default_factory=list)
    open: bool = True

    @property
    def on(self) -> int:
        """How many of its tools are on."""
        return sum(tool.row.enabled for tool in self.tools)


@dataclass(slots=True, eq=False)
class Tool:
    """One tool and what its calls came to. ``total_ms`` is over the calls that ran."""

    row: ToolRow
    group: Group
    calls: int = 0
    errors: int = 0
    total_ms: float = 0.0
    refused: bool = False

    @property
    def label(self) -> str:
        """The name below its namespace."""
        return visible_line(self.row.name.rpartition(".")[2])

    @property
    def mean_ms(self) -> float | None:
        """Mean time of a call in milliseconds."""
        return self.total_ms / self.calls if self.calls else None


@dataclass(slots=True, eq=False)
class Problem:
    """A source of tools that could not be loaded: why, and where or what next."""

    name: str
    reason: str
    where: str = ""


@dataclass(slots=True, eq=False)
class Loading:
    """A source of tools that is being loaded; ``since`` in Unix seconds."""

    name: str
    since: float


Row: TypeAlias = Group | Tool | Problem | Loading


class ToolTree:
    """All tools in groups; a tool that comes back keeps what its calls came to."""

    def __init__(self) -> None:
        self.groups: dict[str, Group] = {}
        self.tools: dict[str, Tool] = {}
        self.problems: dict[str, Problem] = {}
        self.loading: Loading | None = None
        self._gone: dict[str, Tool] = {}

    def reset(self, rows: Sequence[ToolRow]) -> None:
        """These are all the tools there are."""
        for name in self.tools.keys() - {row.name for row in rows}:
            self.remove(name)
        for row in rows:
            self.put(row)

    def put(self, row: ToolRow) -> None:
        """A tool was added or changed."""
        tool = self.tools.get(row.name)
        if tool is not None:
            tool.row = row
            return
        namespace = row.name.rpartition(".")[0]
        group = self.groups.get(namespace)
        if group is None:
            group = self.groups[namespace] = Group(namespace)
        tool = self._gone.pop(row.name, None) or Tool(row, group)
        tool.row, tool.group = row, group
        self.tools[row.name] = tool
        group.tools.append(tool)

    def remove(self, name: str) -> None:
        """A tool is gone."""
        tool = self.tools.pop(name, None)
        if tool is not None:
            self._gone[name] = tool
            tool.group.tools.remove(tool)
            if not tool.group.tools:
                del self.groups[tool.group.name]

    def rows(self) -> list[Row]:
        """What is shown: what needs attention, tools without a namespace, then the groups by name."""
        rows: list[Row] = [*self.problems.values()]
        if self.loading is not None:
            rows.append(self.loading)
        for name in sorted(self.groups):
            group = self.groups[name]
            if name:
                rows.append(group)
            if group.open or not name:
                rows += group.tools
        return rows

    def counts(self) -> tuple[int, int]:
        """How many tools are on, and how many off."""
        on = sum(tool.row.enabled for tool in self.tools.values())
        return on, len(self.tools) - on


def toggle(tools: Iterable[Tool]) -> tuple[tuple[str, ...], bool]:
    """Which tools to switch, and whether on: anything that is on goes off; only if nothing is, all go on.

    A group that is partly on goes off first, so that one key never switches on what was off for a reason.
    """
    tools = list(tools)
    on = tuple(tool.row.name for tool in tools if tool.row.enabled)
    return (on, False) if on else (tuple(tool.row.name for tool in tools), True)
