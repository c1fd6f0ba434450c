"""The tools as the tools panel shows them: groups by namespace, their tools, and sources that failed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from workbench.tui.render import arguments_text, time_cells
from workbench.tui.words import times_text
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.tui.events import BreakRow, FaultRow, GrantRow, ToolRow

_REMEMBERED: Final = 1_000
"""How many of the last calls of a tool its late times are told from, at least."""

_PERMITTED: Final = {"ask": "asks", "deny": "denied", "allow": "runs without asking"}

_WRONG_SHOWN: Final = 3
"""How many of the calls that did not fit a tool are shown."""

Subject: TypeAlias = "GrantRow | BreakRow | FaultRow"
"""What stands in a row of its own and can be taken back there."""


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
    """One tool and what its calls came to. ``total_ms`` is over the calls that ran.

    ``version`` grows with each newer version of its code; ``changed`` says what the last one changed.
    ``wrong`` counts calls whose arguments did not fit; ``wrong_calls`` tells of the last ones.
    ``open`` shows its details below it.
    """

    row: ToolRow
    group: Group
    calls: int = 0
    errors: int = 0
    total_ms: float = 0.0
    refused: bool = False
    wrong: int = 0
    wrong_calls: deque[str] = field(default_factory=lambda: deque(maxlen=_WRONG_SHOWN))
    version: int = 1
    changed: str = ""
    breaks: tuple[BreakRow, ...] = ()
    fault: FaultRow | None = None
    open: bool = False
    _times: list[float] = field(default_factory=list)
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
        said += ["error"] * bool(self.errors) + ["lint"] * bool(row.findings)
        return " ".join(said).lower()

    @property
    def mean_ms(self) -> float | None:
        """Mean time of a call in milliseconds."""
        return self.total_ms / self.calls if self.calls else None

    @property
    def p95_ms(self) -> float | None:
        """The time in milliseconds within which 95 of 100 calls ended, of the last ones."""
        if not self._times:
            return None
        ordered = sorted(self._times)
        return ordered[min(len(ordered) - 1, len(ordered) * 95 // 100)]

    def ran(self, ms: float, *, failed: bool) -> None:
        """Count a call that ran for ``ms`` milliseconds."""
        self.calls += 1
        self.errors += failed
        self.total_ms += ms
        self._times.append(ms)
        if len(self._times) > 2 * _REMEMBERED:
            del self._times[:_REMEMBERED]

    def went_wrong(self, arguments: Mapping[str, Any], error: str) -> None:
        """Count a call whose arguments did not fit, and keep how the model got it wrong."""
        self.wrong += 1
        said = visible_line(error.partition("\n")[0][:200])
        self.wrong_calls.append(f"{arguments_text(arguments) or 'no arguments'}  {said}")

    def details(self) -> list[Detail]:
        """What there is to say about it, a row each."""
        shown: list[Detail] = []
        counts: dict[str, int] = {}
        for label, text, subject in self._facts():
            if not text:
                continue
            nth = counts[label] = counts.get(label, 0) + 1
            # the same record each time, so that a cursor stays on it
            detail = self._details.setdefault((label, nth), Detail(self, label, text))
            detail.text, detail.subject, detail.first = text, subject, nth == 1
            shown.append(detail)
        return shown

    def _facts(self) -> Iterator[tuple[str, str, Subject | None]]:
        row = self.row
        if self.fault is not None:
            yield "fault", f"{visible_line(self.fault.phrase)}, {times_text(self.fault.times)}", self.fault
        for point in self.breaks:
            yield "break", _break_text(point), point
        yield "does", visible_line(row.description.partition("\n")[0]), None
        yield "tags", "  ".join(visible_line(tag) for tag in row.tags), None
        asks = _PERMITTED[row.permission]
        yield "permission", asks + (f"  {visible_line(row.asks_because)}" if row.asks_because else ""), None
        for grant in row.grants:
            yield "grant", _grant_text(grant), grant
        yield "schema", f"{row.tokens} tok in each request" if row.tokens else "", None
        for finding in row.findings:
            yield "lint", visible_line(finding), None
        yield "time", self._time_text(), None
        count = f"{self.wrong} ×  "
        for nth, said in enumerate(reversed(self.wrong_calls)):
            yield "wrong", (" " * len(count) if nth else count) + said, None
        yield "changed", f"{self.changed}, now v{self.version}" if self.changed else "", None

    def _time_text(self) -> str:
        if self.mean_ms is None or self.p95_ms is None:
            return ""
        mean, late = time_cells(self.mean_ms).strip(), time_cells(self.p95_ms).strip()
        return f"mean {mean}  p95 {late}  of {self.calls} call{'' if self.calls == 1 else 's'}"


@dataclass(slots=True, eq=False)
class Detail:
    """One thing to say about a tool, in a row below it; ``first`` of those with its label.

    ``subject`` is what it stands for where that can be taken back.
    """

    tool: Tool
    label: str
    text: str
    subject: Subject | None = None
    first: bool = True


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
            tool.row = row
            return tool
        namespace = row.name.rpartition(".")[0]
        group = self.groups.get(namespace)
        if group is None:
            group = self.groups[namespace] = Group(namespace)
        tool = self._gone.pop(row.name, None) or Tool(row, group)
        tool.row, tool.group = row, group
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
        if words:
            return self._found(words)
        rows: list[Row] = [*self.problems.values()]
        if self.loading is not None:
            rows.append(self.loading)
        for name in sorted(self.groups):
            group = self.groups[name]
            if name:
                rows.append(group)
            if group.open or not name:
                for tool in group.tools:
                    rows.append(tool)
                    if tool.open:
                        rows += tool.details()
        return rows

    def _found(self, words: Sequence[str]) -> list[Row]:
        rows: list[Row] = []
        for name in sorted(self.groups):
            found = [tool for tool in self.groups[name].tools if all(word in tool.said for word in words)]
            if found and name:
                rows.append(self.groups[name])
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
    where = f" where {visible_line(point.condition)}" if point.condition else ""
    return ("" if point.enabled else "off  ") + when + where


def _grant_text(grant: GrantRow) -> str:
    globs = ", ".join(f"{visible_line(key)}={visible_line(glob)}" for key, glob in grant.arguments.items())
    scope = {"once": "once", "session": "this session", "project": "this project"}[grant.scope]
    return f"{scope}  {globs or 'any arguments'}"
