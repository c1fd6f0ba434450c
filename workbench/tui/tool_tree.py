"""The tools as the tools panel shows them: groups by namespace, their tools, and sources that failed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, TypeAlias

from workbench.tui.render import arguments_text, time_cells
from workbench.tui.words import times_text
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.registry import ToolStatistics, WrongCall
    from workbench.tui.events import BreakRow, FaultRow, GrantRow, ToolRow

_PERMITTED: Final = {"ask": "asks", "deny": "denied", "allow": "runs without asking"}

_WRONG_SHOWN: Final = 3
"""How many of the calls that did not fit a tool are shown."""

Subject: TypeAlias = "GrantRow | BreakRow | FaultRow"
"""What stands in a row of its own and can be taken back there."""


@dataclass(slots=True, eq=False)
class Group:
    """The tools of one namespace. ``name`` is empty for tools that have none; such a group has no row.

    ``inner`` are the groups of the namespaces within it, ``outer`` is the one that it is within.
    """

    name: str
    tools: list[Tool] = field(default_factory=list)
    open: bool = True
    inner: list[Group] = field(default_factory=list)
    outer: Group | None = None

    @property
    def every(self) -> list[Tool]:
        """Its tools, and those of the groups within it."""
        return [*self.tools, *(tool for group in self.inner for tool in group.every)]

    @property
    def on(self) -> int:
        """How many of these are on."""
        return sum(tool.row.enabled for tool in self.every)

    @property
    def outers(self) -> Iterator[Group]:
        """The group itself, and all that it is within."""
        yield self
        if self.outer is not None:
            yield from self.outer.outers


@dataclass(slots=True, eq=False)
class Tool:
    """One tool and what its calls came to: ``statistics`` are the registry's own; ``tried``: some call ended.

    ``version`` grows with each newer version of its code; ``changed`` says what the last one changed.
    ``open`` shows its details below it.
    """

    row: ToolRow
    group: Group
    statistics: ToolStatistics | None = None
    tried: bool = False
    version: int = 1
    changed: str = ""
    breaks: tuple[BreakRow, ...] = ()
    fault: FaultRow | None = None
    open: bool = False
    _details: dict[tuple[str, int], Detail] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The name below its namespace."""
        return visible_line(self.row.name.rpartition(".")[2])

    @property
    def said(self) -> str:
        """What a filter looks for words in, in lower case."""
        row = self.row
        said = [row.name, *row.tags, row.reason, _PERMITTED[row.permission], "on" if row.enabled else "off"]
        said += ["fault"] * (self.fault is not None) + ["break"] * bool(self.breaks)
        said += ["error"] * bool(self.errors) + ["wrong"] * bool(self.wrong) + ["lint"] * bool(row.findings)
        return " ".join(said).lower()

    @property
    def calls(self) -> int:
        """How many calls of it began to run: none that was refused, or whose arguments did not fit."""
        return self.statistics.calls if self.statistics is not None else 0

    @property
    def errors(self) -> int:
        """How many of these raised."""
        return self.statistics.errors if self.statistics is not None else 0

    @property
    def wrong(self) -> int:
        """How many calls did not run because their arguments did not fit."""
        return self.statistics.validation_failures if self.statistics is not None else 0

    @property
    def denied(self) -> int:
        """How many calls did not run because the policy, or whoever it asks, said no."""
        return self.statistics.denied if self.statistics is not None else 0

    @property
    def mean_ms(self) -> float | None:
        """Mean time of a call in milliseconds."""
        return self.statistics.mean_ms if self.statistics is not None and self.calls else None

    @property
    def p95_ms(self) -> float | None:
        """The time in milliseconds within which 95 of 100 calls ended, of the last ones."""
        return self.statistics.p95_ms if self.statistics is not None and self.calls else None

    def take(self, row: ToolRow) -> None:
        """This is what the tool is like now."""
        self.row = row
        self.statistics = row.statistics or self.statistics

    def details(self) -> list[Detail]:
        """What there is to say about it, a row each."""
        shown: list[Detail] = []
        counts: dict[str, int] = {}
        for at, (label, text, subject) in enumerate(self._facts()):
            nth = counts[label] = counts.get(label, 0) + 1
            if label == "wrong" and nth > _WRONG_SHOWN:
                continue
            # the same record each time, so that a cursor stays on it
            detail = self._details.setdefault((label, nth), Detail(self, label, text))
            detail.text = visible_line(text.partition("\n")[0])
            detail.subject, detail.first, detail.at = subject, nth == 1, at
            shown.append(detail)
        return shown

    def reading(self) -> list[tuple[str, str]]:
        """All of it, whole: a label and a text each."""
        return [(label, text) for label, text, _ in self._facts()]

    def _facts(self) -> Iterator[tuple[str, str, Subject | None]]:
        """A label, a text that may have many lines, and what can be taken back."""
        row = self.row
        if self.fault is not None:
            yield "fault", f"{self.fault.phrase}, {times_text(self.fault.times)}", self.fault
        for point in self.breaks:
            yield "break", _break_text(point), point
        asks = _PERMITTED[row.permission] + (f"  {row.asks_because}" if row.asks_because else "")
        yield from _said("does", row.description)
        yield from _said("tags", "  ".join(row.tags))
        yield "permission", asks, None
        for grant in row.grants:
            yield "grant", _grant_text(grant), grant
        yield from _said("schema", f"{row.tokens} tok in each request" if row.tokens else "")
        for finding in row.findings:
            yield "lint", finding, None
        yield from _said("time", self._time_text())
        yield from _said("denied", f"{self.denied} ×" if self.denied else "")
        count = f"{self.wrong} ×  "
        wrong = self.statistics.wrong_calls if self.statistics is not None else ()
        for nth, call in enumerate(reversed(wrong)):
            yield "wrong", (" " * len(count) if nth else count) + _wrong_text(call), None
        yield from _said("changed", f"{self.changed}, now v{self.version}" if self.changed else "")

    def _time_text(self) -> str:
        if self.mean_ms is None or self.p95_ms is None:
            return ""
        mean, late = time_cells(self.mean_ms).strip(), time_cells(self.p95_ms).strip()
        return f"mean {mean}  p95 {late}  of {self.calls} call{'' if self.calls == 1 else 's'}"


@dataclass(slots=True, eq=False)
class Detail:
    """One thing to say about a tool, in a row below it; ``first`` of those with its label.

    ``subject`` is what it stands for where that can be taken back. ``at`` is its place in what there is to
    read about the tool.
    """

    tool: Tool
    label: str
    text: str
    subject: Subject | None = None
    first: bool = True
    at: int = 0


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


Row: TypeAlias = Group | Tool | Detail | Problem | Loading


class ToolTree:
    """All tools in groups; a tool that comes back keeps what its calls came to."""

    def __init__(self) -> None:
        self.groups: dict[str, Group] = {}
        self.tools: dict[str, Tool] = {}
        self.problems: dict[str, Problem] = {}
        self.loading: Loading | None = None
        self._breaks: tuple[BreakRow, ...] = ()
        self._faults: dict[str, FaultRow] = {}
        self._gone: dict[str, Tool] = {}

    def reset(self, rows: Sequence[ToolRow]) -> None:
        """These are all the tools there are."""
        for name in self.tools.keys() - {row.name for row in rows}:
            self.remove(name)
        for row in rows:
            self.put(row)

    def put(self, row: ToolRow) -> Tool | None:
        """A tool was changed, which is returned, or added."""
        tool = self.tools.get(row.name)
        if tool is not None:
            tool.take(row)
            return tool
        namespace = row.name.rpartition(".")[0]
        group = self.groups.get(namespace)
        if group is None:
            group = self.groups[namespace] = Group(namespace)
        tool = self._gone.pop(row.name, None) or Tool(row, group)
        tool.group = group
        tool.take(row)
        self._mark(tool)
        self.tools[row.name] = tool
        group.tools.append(tool)
        return None

    def remove(self, name: str) -> None:
        """A tool is gone."""
        tool = self.tools.pop(name, None)
        if tool is not None:
            self._gone[name] = tool
            tool.group.tools.remove(tool)
            if not tool.group.tools:
                del self.groups[tool.group.name]

    def set_breaks(self, points: tuple[BreakRow, ...]) -> None:
        """These are all the breakpoints there are."""
        self._breaks = points
        for tool in self.tools.values():
            self._mark(tool)

    def set_faults(self, faults: Iterable[FaultRow]) -> None:
        """These are all the faults that are on."""
        self._faults = {fault.tool: fault for fault in faults}
        for tool in self.tools.values():
            self._mark(tool)

    def _mark(self, tool: Tool) -> None:
        name = tool.row.name
        tool.fault = self._faults.get(name)
        tool.breaks = tuple(point for point in self._breaks if fnmatchcase(name, point.tool))

    def rows(self, words: Sequence[str] = ()) -> list[Row]:
        """What is shown: what needs attention, tools without a namespace, then the groups by name.

        With ``words``, in lower case, only the tools of which each of them tells, whatever is folded.
        """
        self._nest()
        if words:
            return self._found(words)
        rows: list[Row] = [*self.problems.values()]
        if self.loading is not None:
            rows.append(self.loading)
        for name, group in self._ordered():
            if group.outer is not None and not all(each.open for each in group.outer.outers):
                continue
            if name:
                rows.append(group)
            if group.open or not name:
                for tool in group.tools:
                    rows.append(tool)
                    if tool.open:
                        rows += tool.details()
        return rows

    def _ordered(self) -> list[tuple[str, Group]]:
        """The groups by name, each before those within it."""
        return sorted(self.groups.items(), key=lambda item: item[0].split("."))

    def _nest(self) -> None:
        """Say which group lies within which."""
        above: list[Group] = []
        for name, group in self._ordered():
            while above and not name.startswith(f"{above[-1].name}."):
                above.pop()
            group.inner, group.outer = [], above[-1] if above else None
            if group.outer is not None:
                group.outer.inner.append(group)
            if name:
                above.append(group)

    def _found(self, words: Sequence[str]) -> list[Row]:
        rows: list[Row] = []
        for name, group in self._ordered():
            found = [tool for tool in group.tools if all(word in tool.said for word in words)]
            if found and name:
                rows.append(group)
            for tool in found:
                rows.append(tool)
                rows += tool.details() if tool.open else ()
        return rows

    @property
    def tokens(self) -> int:
        """About what the schemas of the tools that are on cost in each request."""
        return sum(tool.row.tokens for tool in self.tools.values() if tool.row.enabled)

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


def _break_text(point: BreakRow) -> str:
    when = point.when if point.when == "on error" else f"{point.when} each call"
    where = f" where {point.condition}" if point.condition else ""
    return ("" if point.enabled else "off  ") + when + where


def _said(label: str, text: str) -> Iterator[tuple[str, str, None]]:
    if text:
        yield label, text, None


def _wrong_text(call: WrongCall) -> str:
    """The arguments that did not fit, and what the model was told about them."""
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        arguments = call.arguments
    given = arguments_text(arguments) if isinstance(arguments, dict) else call.arguments
    return f"{given or 'no arguments'}  {call.error}"


def _grant_text(grant: GrantRow) -> str:
    globs = ", ".join(f"{key}={glob}" for key, glob in grant.arguments.items())
    scope = {"once": "once", "session": "until you quit", "project": "this project"}[grant.scope]
    return f"{scope}  {globs or 'any arguments'}"
