"""What the command line's TARGET means: tools, or an agent that brings its own."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from workbench.engine.toolset import agents_within
from workbench.errors import AgentChoiceError, ConfigError
from workbench.registry.names import near_names
from workbench.toolbox.agent_source import AgentSource, is_agent
from workbench.toolbox.offered import missing_name
from workbench.toolbox.target_place import split_target
from workbench.toolbox.tool_files import ImportFailedError, import_file, import_named
from workbench.visible import pointed_at

if TYPE_CHECKING:
    from workbench.engine.agent import Agent

_LONGEST_LINE: Final = 200
"""Characters of a line of code that is shown."""


@dataclass(frozen=True, slots=True)
class ResolvedTarget:
    """Either an agent, or targets for ``load_tools`` (both None and empty cannot be).

    ``source`` is where the agent's tools come from, for a watcher that shall follow them.
    """

    agent: Agent | None
    tools: tuple[str, ...] = ()
    source: AgentSource | None = None


def resolve_target(target: str) -> ResolvedTarget:
    """Find out what ``target`` is; imports it unless it is a folder. Safe on any thread.

    A folder, or a file or module without an agent: its tools. A file or module with one agent: that agent;
    with several, the one that all others are tools of.
    ``place:name``: the agent of that name, or the tool, module or list of tools.

    Raises:
        AgentChoiceError: when it has several agents, names none, and none of them holds all others.
        ConfigError: when it does not exist, cannot be imported, has no such name, or the name is neither an
            agent nor a tool.
    """
    place, name = split_target(target)
    if place.is_dir():
        if name is not None:
            raise ConfigError(
                f"{place} is a folder, so it has no {name}",
                hint=f"Name a file in it: {place}/FILE.py:{name}",
            )
        return ResolvedTarget(None, (target,))
    module = _import(place)
    if name is not None:
        return _named(module, name, place, target)
    agents = {key: value for key, value in vars(module).items() if is_agent(value)}
    if not agents:
        return ResolvedTarget(None, (target,))
    key = _outermost(agents)
    if key is None:
        choices = tuple(f"{place}:{key}" for key in agents)
        raise AgentChoiceError(f"{place} holds {len(agents)} agents", choices)
    return ResolvedTarget(agents[key], source=AgentSource.of_agent(place, module, key))


def _outermost(agents: Mapping[str, Any]) -> str | None:
    """The name of the one agent that all others are tools of, or tools of such tools; None for none."""
    every = {id(agent) for agent in agents.values()}
    holders = [key for key, agent in agents.items() if every <= set(map(id, agents_within(agent)))]
    return holders[0] if len({id(agents[key]) for key in holders}) == 1 else None


def _import(place: Path) -> ModuleType:
    try:
        if place.is_file():
            return import_file(place)
        if place.suffix == ".py" or len(place.parts) > 1 or not _is_module_name(str(place)):
            raise _missing_file(place)
        return import_named(str(place))
    except ImportFailedError as error:
        missing = error.__cause__
        if isinstance(missing, ModuleNotFoundError) and _is_part(missing.name, str(place)):
            raise ConfigError(
                f"there is no file, folder or module {place}",
                hint="TARGET is a folder or file of tools, or file.py:name or module:name of an agent.",
            ) from error
        raise ConfigError(_told(error), hint="Correct it.") from error


def _missing_file(place: Path) -> ConfigError:
    neighbours = [path.name for path in place.parent.iterdir()] if place.parent.is_dir() else []
    near = [str(place.parent / name) for name in near_names(place.name, neighbours)]
    hint = f"Did you mean {' or '.join(near)}?" if near else ""
    if not place.parent.is_dir():
        hint = f"The folder {place.parent} does not exist either."
    return ConfigError(f"there is no {place}", hint=hint)


def _named(module: ModuleType, name: str, place: Path, target: str) -> ResolvedTarget:
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise missing_name(module, name)
        found = getattr(found, part)
    if is_agent(found):
        return ResolvedTarget(found, source=AgentSource.of_agent(place, module, name))
    several = found if isinstance(found, list | tuple) and found else [found]
    if not all(callable(each) or isinstance(each, ModuleType) or _has_methods(each) for each in several):
        raise ConfigError(
            f"{target} is neither an agent nor a tool, but {_kind(found)}",
            hint="Name an Agent, a function, or a list of functions.",
        )
    return ResolvedTarget(None, (target,))


def _has_methods(value: object) -> bool:
    if type(value).__module__ == "builtins":
        return False
    return any(callable(member) for key, member in vars(type(value)).items() if not key.startswith("_"))


def _kind(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _is_module_name(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _is_part(missing: str | None, name: str) -> bool:
    return missing is not None and (name == missing or name.startswith(f"{missing}."))


def _told(error: ImportFailedError) -> str:
    """What failed and where, with the line; in code that is no Python also a mark below the place in it."""
    failure, cause = error.failure, error.__cause__
    said = f"cannot import {failure}"
    if isinstance(cause, SyntaxError):
        return f"{said}\n{_pointed_at(cause)}".rstrip()
    return said if len(failure.text) > _LONGEST_LINE else f"{said}\n    {failure.text}".rstrip()


def _pointed_at(error: SyntaxError) -> str:
    """The line with carets below the place in it; empty where Python does not tell them."""
    line, start = (error.text or "").rstrip(), (error.offset or 0) - 1
    if not line or start < 0:
        return ""
    indent = len(line) - len(line.lstrip())
    end = (error.end_offset or 0) - 1 if error.end_lineno == error.lineno else len(line)
    return textwrap.indent(pointed_at(line[indent:], max(0, start - indent), end - indent), "    ")
