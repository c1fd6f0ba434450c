"""From files, folders, modules and packages to tools in a registry."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from workbench.errors import ConfigError, ToolRegistrationError
from workbench.registry import ToolRegistry
from workbench.toolbox.offered import failure_at
from workbench.toolbox.tool_files import ImportFailedError, LoadFailure
from workbench.toolbox.tool_source import LoadedFile, ToolSource


@dataclass(slots=True)
class LoadReport:
    """What became of a target.

    Attributes:
        source: The target and its files, for a `ToolWatcher` that shall follow them.
        tools: Names of the tools registered.
        files: Files read.
        failures: What failed and why.
    """

    source: ToolSource
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
    source = ToolSource.of(str(target))
    report = LoadReport(source)
    for file in source.find_files():
        _import(file, source)
    if source.kind == "module" and source.files[0].module is not None and source.name is None:
        for file in source.find_files():  # only an imported package can say which modules it has
            _import(file, source)
    if source.name is None:
        for file in source.files:
            file.take_hook(registry)
    for file in source.files:
        _register(file, source.name, registry)
        report.files.append(file.path)
        report.failures.extend(file.failures)
        report.tools.extend(name for names in file.tools.values() for name in names)
    return report


def _import(file: LoadedFile, source: ToolSource) -> None:
    try:
        file.import_now()
    except ImportFailedError as error:
        if file.public == str(source.place) and _is_missing(error, file.public):
            raise ConfigError(
                f"there is no file, folder or module {file.public}",
                hint="Give a folder of tools, a file, module:name or the name of a module.",
            ) from error


def _is_missing(error: ImportFailedError, name: str) -> bool:
    cause = error.__cause__
    if not isinstance(cause, ModuleNotFoundError):
        return isinstance(cause, TypeError | ValueError) and not name.isidentifier()
    return cause.name is None or name == cause.name or name.startswith(f"{cause.name}.")


def _register(file: LoadedFile, wanted: str | None, registry: ToolRegistry) -> None:
    if file.module is None:
        return
    for exported, tools in file.offers(wanted):
        try:
            for tool in tools:
                registry.add(tool)
                file.tools[exported] = (*file.tools.get(exported, ()), tool.name)
        except ToolRegistrationError as error:
            file.failures.append(failure_at(file.module, tools[0].func, error))
