"""Brings the tools of a registry to what freshly read files offer, and keeps what was set at run time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import CodeType

from workbench.errors import ConfigError, ToolNotFoundError, ToolRegistrationError
from workbench.registry import Tool, ToolRegistry
from workbench.registry.hints import innermost
from workbench.toolbox.offered import failure_at
from workbench.toolbox.tool_files import LoadFailure
from workbench.toolbox.tool_keeper import ToolKeeper
from workbench.toolbox.tool_source import LoadedFile


@dataclass(frozen=True, slots=True)
class Update:
    """A file that was read again.

    Attributes:
        file: The file with its new module; ``file.tools`` still says what was registered before.
        wanted: The one name that is wanted of it, None for all.
        affected: Names in it that may act differently now.
    """

    file: LoadedFile
    wanted: str | None
    affected: frozenset[str]


@dataclass(slots=True)
class Outcome:
    """Dotted names of what was done; ``moved`` has old and new names."""

    changed: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    moved: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Offered:
    file: LoadedFile
    exported: str
    tool: Tool
    affected: bool


class RegistryUpdate:
    """Applies files to a registry; what a tool was like is remembered when it is taken out."""

    def __init__(self, registry: ToolRegistry) -> None:
        self._registry = registry
        self._keeper = ToolKeeper(registry)

    def apply(
        self, updates: Sequence[Update], gone: Iterable[LoadedFile], *, in_one_step: bool = False
    ) -> Outcome:
        """Refresh, add and take out tools; faults of single functions become failures of their files.

        ``in_one_step`` replaces all tools that stay at once, told by one event.
        """
        gone = list(gone)
        had = {name for file in gone for names in file.tools.values() for name in names}
        had.update(name for update in updates for names in update.file.tools.values() for name in names)
        wanted, kept = self._offered(updates)
        outcome = Outcome()
        left = [name for name in had if name not in wanted and name not in kept]
        renamed = self._renamed(left, [each for name, each in wanted.items() if name not in had])
        for name in sorted(left):
            self._keeper.take_out(name)
        outcome.removed = sorted(name for name in left if name not in renamed)
        for file in gone:
            file.tools = {}
        staying = [each for name, each in wanted.items() if name in had and name in self._registry]
        outcome.changed = self._refresh(staying, in_one_step)
        came_from = {new: old for old, new in renamed.items()}
        for each in wanted.values():
            if each in staying:
                continue
            name = each.tool.name
            if self._add(each, came_from.get(name, name)):
                if name in came_from:
                    outcome.moved.append((came_from[name], name))
                else:
                    outcome.added.append(name)
        outcome.moved.sort()
        return outcome

    def _offered(self, updates: Sequence[Update]) -> tuple[dict[str, _Offered], set[str]]:
        """What the files offer by tool name, and names that stay as they are for want of a better version."""
        wanted: dict[str, _Offered] = {}
        kept: set[str] = set()
        for update in updates:
            file, before = update.file, update.file.tools
            file.tools = {}
            try:
                found = list(file.offers(update.wanted))
            except ConfigError as error:
                file.failures.append(LoadFailure(file.path, None, error.message))
                continue
            for exported, tools in found:
                if not tools and exported in before:
                    file.tools[exported] = before[exported]
                    kept.update(before[exported])
                for tool in tools:
                    if tool.name in wanted:
                        error_text = f"{tool.name} is also in {wanted[tool.name].file.path}"
                        file.failures.append(LoadFailure(file.path, tool.metadata.source_line, error_text))
                        continue
                    wanted[tool.name] = _Offered(file, exported, tool, exported in update.affected)
        return wanted, kept

    def _refresh(self, staying: list[_Offered], in_one_step: bool) -> list[str]:
        for each in staying:
            self._own(each)
        if in_one_step:
            affected = {each.tool.name for each in staying if each.affected}
            return list(
                self._registry.refresh_all({each.tool.name: each.tool for each in staying}, force=affected)
            )
        changed: list[str] = []
        for each in staying:
            with suppress(ToolNotFoundError):  # somebody took it out at this moment
                if self._registry.refresh(each.tool.name, each.tool, force=each.affected):
                    changed.append(each.tool.name)
        return changed

    def _add(self, offered: _Offered, former_name: str) -> bool:
        try:
            self._keeper.add(offered.tool, former_name)
        except ToolRegistrationError as error:
            assert offered.file.module is not None  # it was read again
            offered.file.failures.append(failure_at(offered.file.module, offered.tool.func, error))
            return False
        self._own(offered)
        return True

    def _renamed(self, left: Iterable[str], fresh: Iterable[_Offered]) -> dict[str, str]:
        """Old names to new ones, where a new function does what exactly one lost one did."""
        old: dict[object, list[str]] = {}
        new: dict[object, list[str]] = {}
        for name in left:
            tool = self._registry.get(name)
            if tool is not None and (body := _body(tool)) is not None:
                old.setdefault(body, []).append(name)
        for each in fresh:
            if (body := _body(each.tool)) is not None:
                new.setdefault(body, []).append(each.tool.name)
        return {
            names[0]: new[body][0]
            for body, names in old.items()
            if len(names) == 1 and len(new.get(body, ())) == 1
        }

    @staticmethod
    def _own(offered: _Offered) -> None:
        file = offered.file
        file.tools[offered.exported] = (*file.tools.get(offered.exported, ()), offered.tool.name)


def _body(tool: Tool) -> object:
    """What a tool's function does, whatever it is called and wherever it stands; None when unknown."""
    code = getattr(innermost(tool.func), "__code__", None)
    return _shape(code, code.co_name) if isinstance(code, CodeType) else None


def _shape(code: CodeType, own_name: str) -> object:
    constants = tuple(
        _shape(each, own_name) if isinstance(each, CodeType) else repr(each) for each in code.co_consts
    )
    names = tuple("" if name == own_name else name for name in code.co_names)
    return (code.co_code, constants, names, code.co_varnames)
