"""From files, folders, modules and packages to tools in a registry."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from workbench.errors import ConfigError, ToolRegistrationError
from workbench.registry import ToolRegistry
from workbench.registry.metadata import mark_of
from workbench.registry.names import near_names
from workbench.toolbox.tool_files import HOOK_NAME, ImportFailedError, LoadFailure, import_file, import_named


@dataclass(slots=True)
class LoadReport:
    """What became of a target: names of the tools registered, files read, and what failed and why."""

    tools: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    failures: list[LoadFailure] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether everything was loaded."""
        return not self.failures


def load_tools(target: str | Path, registry: ToolRegistry) -> LoadReport:
    """Register the tools of a folder, a file, ``module``, ``module:name``, ``file.py:name`` or a package.

    A folder gives the tools of its ``*.py`` files; those that begin with ``_`` are helpers. A file gives
    its public functions, or what its ``__all__`` names, under its ``__namespace__`` or its own name. All
    files are imported before the first tool is registered, and hooks (``post_register_hook``) come first.
    A file that fails is reported, and the others load. Safe on any thread.

    Raises:
        ConfigError: when there is no such file, folder, module or name.
    """
    report = LoadReport()
    place, name = split_target(str(target))
    if place.is_dir():
        modules = [*_import_files(tool_files(place), report)]
    elif place.is_file():
        modules = [*_import_files([place], report)]
    else:
        modules = _import_modules(str(place), report)
    if name is not None:
        for module in modules:
            _register_all(_named_objects(module, name), _namespace(module), module, registry, report)
        return report
    for module in modules:
        hook = vars(module).get(HOOK_NAME)
        if callable(hook):
            registry.add_post_register_hook(hook)
    for module in modules:
        _register_all(_public_objects(module, report), _namespace(module), module, registry, report)
    return report


def split_target(target: str) -> tuple[Path, str | None]:
    """``place:name`` taken apart; a path that exists as it is has no name."""
    if not Path(target).exists():
        place, colon, name = target.rpartition(":")
        if colon and place and name.replace(".", "").isidentifier():
            return Path(place), name
    return Path(target), None


def tool_files(folder: Path) -> list[Path]:
    """The files of a folder that hold tools, by name."""
    return sorted(path for path in folder.glob("*.py") if not path.name.startswith("_") and path.is_file())


def _import_files(paths: Iterable[Path], report: LoadReport) -> Iterator[ModuleType]:
    for path in paths:
        report.files.append(path)
        try:
            yield import_file(path)
        except ImportFailedError as error:
            report.failures.append(error.failure)


def _import_modules(name: str, report: LoadReport) -> list[ModuleType]:
    """A module, and if it is a package, the public modules in it too."""
    try:
        module = import_named(name)
    except ImportFailedError as error:
        if _is_missing(error, name):
            raise ConfigError(
                f"there is no file, folder or module {name}",
                hint="Give a folder of tools, a file, module:name or the name of a module.",
            ) from error
        report.failures.append(error.failure)
        return []
    modules = [module]
    for found in pkgutil.iter_modules(getattr(module, "__path__", ())):
        if not found.name.startswith("_"):
            try:
                modules.append(import_named(f"{name}.{found.name}"))
            except ImportFailedError as error:
                report.failures.append(error.failure)
    report.files.extend(Path(each.__file__) for each in modules if each.__file__)
    return modules


def _is_missing(error: ImportFailedError, name: str) -> bool:
    cause = error.__cause__
    if not isinstance(cause, ModuleNotFoundError):
        return isinstance(cause, TypeError | ValueError) and not name.isidentifier()
    return cause.name is None or name == cause.name or name.startswith(f"{cause.name}.")


def _named_objects(module: ModuleType, name: str) -> list[tuple[str, Any]]:
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise missing_name(module, name)
        found = getattr(found, part)
    if isinstance(found, list | tuple):
        return [(getattr(each, "__name__", name), each) for each in found]
    return [(name.rpartition(".")[2], found)]


def missing_name(module: ModuleType, name: str) -> ConfigError:
    """The error for a name that a module does not have; names like it are in the hint."""
    near = near_names(name, (each for each in vars(module) if not each.startswith("_")))
    hint = f"Did you mean {' or '.join(near)}?" if near else ""
    return ConfigError(f"{module.__file__ or module.__name__} has no {name}", hint=hint)


def _namespace(module: ModuleType) -> str:
    """The module's own word for it, empty for none, else its last name."""
    namespace: Any = getattr(module, "__namespace__", module.__name__.rpartition(".")[2])
    return str(namespace or "")


def _public_objects(module: ModuleType, report: LoadReport) -> Iterator[tuple[str, Any]]:
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
            report.failures.append(LoadFailure(Path(module.__file__ or module.__name__), None, reason))


def _is_own_function(value: Any, module: ModuleType) -> bool:
    return inspect.isfunction(value) and value.__module__ == module.__name__


def _names(name: str, value: Any, namespace: str) -> dict[str, Any]:
    """What the file says about names; what a ``tool`` decorator says wins, and objects name their methods."""
    mark = mark_of(value)
    names: dict[str, Any] = {}
    if mark is None or mark.namespace is None:
        names["namespace"] = namespace
    if inspect.isroutine(value) and (mark is None or mark.name is None):
        names["name"] = name
    return names


def _register_all(
    objects: Iterable[tuple[str, Any]],
    namespace: str,
    module: ModuleType,
    registry: ToolRegistry,
    report: LoadReport,
) -> None:
    for name, value in objects:
        try:
            added = registry.add(value, **_names(name, value, namespace))
        except ToolRegistrationError as error:
            line = getattr(getattr(value, "__code__", None), "co_firstlineno", None)
            path = Path(module.__file__ or module.__name__)
            report.failures.append(LoadFailure(path, line, str(error)))
        else:
            report.tools.extend(tool.name for tool in added)
