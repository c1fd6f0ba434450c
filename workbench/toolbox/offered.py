"""What a loaded file offers as tools, and under which names."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from workbench.errors import ConfigError, ToolRegistrationError
from workbench.registry import Tool, make_tools
from workbench.registry.discovery import is_function
from workbench.registry.metadata import mark_of
from workbench.registry.names import near_names
from workbench.toolbox.tool_files import HOOK_NAME, LoadFailure

Offer = tuple[str, tuple[Tool, ...]]
"""A name in the file, and the tools that its value gives; none when it cannot be a tool."""


def offers(module: ModuleType, wanted: str | None, failures: list[LoadFailure]) -> Iterator[Offer]:
    """The tools of a module, or of the one name in it that is wanted; what cannot be a tool is a failure.

    Raises:
        ConfigError: when the wanted name does not exist.
    """
    objects = _public_objects(module, failures) if wanted is None else _named_objects(module, wanted)
    for name, value in objects:
        try:
            yield name, make_tools(value, **_names(name, value, namespace_of(module)))
        except ToolRegistrationError as error:
            failures.append(failure_at(module, value, error))
            yield name, ()


def failure_at(module: ModuleType, value: object, error: Exception) -> LoadFailure:
    """The failure of one value of a module, with the line where a function begins."""
    line = getattr(getattr(value, "__code__", None), "co_firstlineno", None)
    return LoadFailure(path_of(module), line, str(error))


def path_of(module: ModuleType) -> Path:
    """The module's file, or its name when it has none."""
    return Path(module.__file__ or module.__name__)


def missing_name(module: ModuleType, name: str) -> ConfigError:
    """The error for a name that a module does not have; names like it are in the hint."""
    near = near_names(name, (each for each in vars(module) if not each.startswith("_")))
    hint = f"Did you mean {' or '.join(near)}?" if near else ""
    return ConfigError(f"{module.__file__ or module.__name__} has no {name}", hint=hint)


def namespace_of(module: ModuleType) -> str:
    """The module's own word for it, empty for none, else its last name."""
    namespace: Any = getattr(module, "__namespace__", module.__name__.rpartition(".")[2])
    return str(namespace or "")


def _named_objects(module: ModuleType, name: str) -> list[tuple[str, Any]]:
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise missing_name(module, name)
        found = getattr(found, part)
    if isinstance(found, list | tuple):
        return [(getattr(each, "__name__", name), each) for each in found]
    return [(name.rpartition(".")[2], found)]


def _public_objects(module: ModuleType, failures: list[LoadFailure]) -> Iterator[tuple[str, Any]]:
    listed = getattr(module, "__all__", None)
    if listed is None:
        for name, value in list(vars(module).items()):
            if _is_own_function(value, module) and not name.startswith("_") and name != HOOK_NAME:
                yield name, value
        return
    for name in listed:
        if hasattr(module, name):
            if name != HOOK_NAME:
                yield name, getattr(module, name)
        else:
            reason = f"__all__ names {name}, which does not exist"
            failures.append(LoadFailure(path_of(module), None, reason))


def _is_own_function(value: Any, module: ModuleType) -> bool:
    return is_function(value) and value.__module__ == module.__name__


def _names(name: str, value: Any, namespace: str) -> dict[str, Any]:
    """What the file says about names; what a ``tool`` decorator says wins, and objects name their methods."""
    mark = mark_of(value)
    names: dict[str, Any] = {}
    if mark is None or mark.namespace is None:
        names["namespace"] = namespace
    if inspect.isroutine(value) and (mark is None or mark.name is None):
        names["name"] = name
    return names
