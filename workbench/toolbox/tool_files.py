"""Imports a Python file as a module of its own, whatever else is called like it."""

from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.util
import linecache
import sys
import threading
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

HOOK_NAME: Final = "post_register_hook"
"""A function of this name in a loaded file is a post-register hook of the registry, not a tool."""

_PACKAGES: Final = "workbench_tools_"
_import_lock = threading.RLock()  # sys.modules and sys.path belong to everybody


@dataclass(frozen=True, slots=True)
class LoadFailure:
    """A file, or one function of it, that could not be loaded.

    ``line`` is counted from 1, None where there is none; ``reason`` is one line for people, ``details``
    the whole traceback.
    """

    path: Path
    line: int | None
    reason: str
    details: str = ""

    def __str__(self) -> str:
        where = str(self.path) if self.line is None else f"{self.path}:{self.line}"
        return f"{where}: {self.reason}"


class ImportFailedError(Exception):
    """A file's own code raised while it was imported; carries the ``LoadFailure``."""

    def __init__(self, failure: LoadFailure) -> None:
        super().__init__(str(failure))
        self.failure = failure


class _FreshLoader(importlib.machinery.SourceFileLoader):
    """Compiles the source each time: byte code from a cache may be older than a quick edit."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        linecache.checkcache(path)
        return self.source_to_code(self.get_data(path), path)


def module_name(path: Path) -> str:
    """The private name under which ``path`` is imported; the same file always has the same one."""
    folder = path.resolve().parent
    return f"{_package_name(folder)}.{path.stem}"


def import_file(path: Path, *, again: bool = False) -> ModuleType:
    """Import a file, or give the module of an earlier import if the file has not changed since.

    Its folder is appended to ``sys.path``, so that it can import its neighbours by their plain names or
    relatively. ``again`` runs it in any case. Raises ``ImportFailedError``; the module of the last import
    that worked then stays.
    """
    path = path.resolve()
    name = module_name(path)
    with _import_lock:
        try:
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError as error:
            raise ImportFailedError(LoadFailure(path, None, error.strerror or str(error))) from error
        earlier = sys.modules.get(name)
        if earlier is not None and not again and vars(earlier).get("__workbench_digest__") == digest:
            return earlier
        try:
            _enter_folder(path.parent)
            return _execute(path, name, digest)
        except (Exception, SystemExit) as error:
            if earlier is not None:
                sys.modules[name] = earlier
            else:
                sys.modules.pop(name, None)
            raise ImportFailedError(failure_of(error, path)) from error


def import_named(name: str) -> ModuleType:
    """Import a module by its public name; the current folder counts as a place to find it.

    Raises ``ImportFailedError``; its failure names the module's file where that is known.
    """
    with _import_lock:
        _append_to_path(Path.cwd())
        try:
            return importlib.import_module(name)
        except (Exception, SystemExit) as error:
            raise ImportFailedError(failure_of(error, _file_of(name) or Path(name))) from error


def failure_of(error: BaseException, path: Path) -> LoadFailure:
    """What an import's exception means: the place in ``path`` (or where the syntax is wrong), and why."""
    details = "".join(traceback.format_exception(error))
    reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SyntaxError) and error.filename:
        return LoadFailure(
            Path(error.filename), error.lineno, f"{type(error).__name__}: {error.msg}", details
        )
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)
    ]
    return LoadFailure(path, lines[-1] if lines else None, reason, details)


def _package_name(folder: Path) -> str:
    return _PACKAGES + hashlib.sha256(str(folder).encode("utf-8", "surrogateescape")).hexdigest()[:12]


def _enter_folder(folder: Path) -> None:
    """Make the folder a package of its own, so that files in it may import each other relatively."""
    _append_to_path(folder)
    name = _package_name(folder)
    if name in sys.modules:
        return
    package = ModuleType(name)
    package.__path__ = [str(folder)]
    sys.modules[name] = package
    init = folder / "__init__.py"
    if init.is_file():
        _execute_into(package, init, name)


def _append_to_path(folder: Path) -> None:
    # At the end: a tool file called like a module of the standard library must not take its place.
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _execute(path: Path, name: str, digest: str) -> ModuleType:
    module = ModuleType(name)
    module.__dict__["__workbench_digest__"] = digest
    sys.modules[name] = module
    _execute_into(module, path, name)
    return module


def _execute_into(module: ModuleType, path: Path, name: str) -> None:
    loader = _FreshLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(
        name, path, loader=loader, submodule_search_locations=getattr(module, "__path__", None)
    )
    assert spec is not None  # a loader was given
    module.__spec__ = spec
    module.__loader__ = loader
    module.__file__ = str(path)
    module.__package__ = spec.parent
    loader.exec_module(module)


def _file_of(name: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):  # a parent that cannot be imported either
        return None
    return Path(spec.origin) if spec is not None and spec.has_location and spec.origin else None
