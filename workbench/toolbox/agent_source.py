"""The file that an agent comes from: its tools are followed, while the agent itself stays what it is."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, TypeGuard

from workbench.registry import Tool, ToolRegistry
from workbench.registry.hints import innermost
from workbench.registry.tool import code_hash
from workbench.toolbox.offered import Offer
from workbench.toolbox.tool_files import ImportFailedError, LoadFailure
from workbench.toolbox.tool_source import LoadedFile, ToolSource


def is_agent(value: object) -> TypeGuard[Any]:
    """Whether a value is an agent, or something that can stand for one: it has ``input`` and ``tools``."""
    return (
        not isinstance(value, type | ModuleType)
        and hasattr(value, "tools")
        and callable(getattr(value, "input", None))
    )


@dataclass(slots=True, eq=False)
class AgentFile(LoadedFile):
    """The file of an agent. Loading it again makes another agent, of which only the tools are taken.

    Attributes:
        agent: The agent that is in use.
        name: What the module calls it.
        fresh: The agent that the file made when it was last loaded.
    """

    agent: Any = None
    name: str = ""
    fresh: Any = None
    _told: set[str] = field(default_factory=set)

    @property
    def is_there(self) -> bool:
        """Always: an agent does not go away with its file."""
        return True

    @property
    def steady(self) -> frozenset[str]:
        """The names of the agent in use."""
        held = vars(self.module).items() if self.module is not None else ()
        return frozenset(name for name, value in held if value is self.agent)

    def import_now(self) -> ModuleType:
        """Load the file again and put the agent in use in the place of the new one.

        Raises:
            ImportFailedError: also when there is no agent of that name in it; all is then as it was.
        """
        before = (self.module, self.source)
        tools = self.agent.tools
        policy, handler = tools.policy, tools.permission_handler
        try:
            module = LoadedFile.import_now(self)
        finally:  # a registry of another module may be the new agent's as well
            tools.policy, tools.permission_handler = policy, handler
        fresh = _at(module, self.name)
        if not is_agent(fresh) or not isinstance(fresh.tools, ToolRegistry):
            self.module, self.source = before
            self.broken = True
            self.failures = [LoadFailure(self.path, None, f"it holds no agent named {self.name} any more")]
            raise ImportFailedError(self.failures[0])
        self.fresh = fresh
        for name, value in list(vars(module).items()):
            if value is fresh:  # tools that speak to their agent by its name mean the one in use
                setattr(module, name, self.agent)
        return module

    def offers(self, wanted: str | None) -> Iterator[Offer]:
        """The new agent's tools."""
        for tool in self.fresh.tools:
            yield _origin(tool, self.module), (tool,)

    def take_hook(self, registry: ToolRegistry) -> None:
        """None is taken: an agent says itself which hooks its registry has."""

    def left_behind(self, old: bytes) -> list[str]:
        """What changed since the source was ``old`` but is followed only at the next start, in words."""
        found = [
            f"the handler {name}"
            for handler in getattr(self.agent, "hooks", ())
            if (name := _outdated(innermost(handler.func), self._told))
        ]
        if _making(old, self.name) != _making(self.source, self.name):
            found.append(f"what {self.name} was made with besides its tools")
        return list(dict.fromkeys(found))


@dataclass(slots=True, eq=False)
class AgentSource(ToolSource):
    """Where an agent's tools come from: its file, and all modules of the project that this imports."""

    project: Path = Path()

    @classmethod
    def of_agent(cls, place: Path, module: ModuleType, name: str) -> AgentSource | None:
        """The source of the agent that the module calls ``name``; None where its tools are no registry."""
        agent = _at(module, name)
        if not isinstance(agent.tools, ToolRegistry) or not module.__file__:
            return None
        path = Path(module.__file__).resolve()
        here = Path.cwd().resolve()
        by_path = place.is_file()
        file = AgentFile(
            path,
            None if by_path else str(place),
            module,
            path.read_bytes(),
            agent=agent,
            name=name,
            fresh=agent,
        )
        for exported, tools in file.offers(None):
            file.tools[exported] = (*file.tools.get(exported, ()), *(tool.name for tool in tools))
        project = here if path.is_relative_to(here) else path.parent
        kind = "file" if by_path else "module"
        return cls(path if by_path else place, kind, name, [file], project)  # type: ignore[arg-type]  # one of two words

    @property
    def root(self) -> Path:
        """The project: the current folder if the agent's file lies below it."""
        return self.project

    def find_files(self) -> list[LoadedFile]:
        """No others: the agent's file imports what it needs."""
        return []


def _at(module: ModuleType, name: str) -> Any:
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _origin(tool: Tool, module: ModuleType | None) -> str:
    """The module's name for what a tool was made of: its function, or the object of its method."""
    wanted = (tool.func, innermost(tool.func), getattr(tool.func, "__self__", None))
    for name, value in vars(module).items() if module is not None else ():
        if any(value is each for each in wanted if each is not None):
            return name
    return tool.name


def _making(source: bytes, name: str) -> list[str]:
    """How the source makes the agent of that name, without the tools that it is given."""
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if not any(isinstance(each, ast.Name) and each.id == name for each in targets):
            continue
        value = getattr(node, "value", None)
        if isinstance(value, ast.Call):
            value.args[1:2] = []
            value.keywords = [each for each in value.keywords if each.arg != "tools"]
            found.append(ast.dump(value))
    return found


def _outdated(function: Any, told: set[str]) -> str:
    """The handler's name if its module has another version of it by now that was not told of yet."""
    old = getattr(function, "__code__", None)
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    if not isinstance(old, CodeType) or module is None or vars(module) is function.__globals__:
        return ""
    now = _at(module, function.__qualname__) if "<" not in function.__qualname__ else None
    new = getattr(innermost(now), "__code__", None) if now is not None else None
    state = f"{function.__qualname__} {code_hash(new) if isinstance(new, CodeType) else ''}"
    if state in told or state == f"{function.__qualname__} {code_hash(old)}":
        return ""
    told.add(state)
    return str(function.__name__)
