"""Imports a Python file as a module of its own, whatever else is called like it."""

from __future__ import annotations

import importlib.util
import sys
import threading
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Final

from workbench.toolbox.tool_imports import (
    DIGEST,
    FreshLoader,
    append_to_path,
    digest_of,
    enter_folder,
    package_name,
)

HOOK_NAME: Final = "post_register_hook"
"""A function of this name in a loaded file is a post-register hook of the registry, not a tool."""

import_lock: Final = threading.RLock()
"""Held while modules come and go: ``sys.modules`` and ``sys.path`` belong to everybody."""


@dataclass(frozen=True, slots=True)
class LoadFailure:
    """A file, or one function of it, that could not be loaded.

    ``line`` is counted from 1, None where there is none; ``reason`` is one line for people, ``details``
    the whole traceback, ``text`` what the line says, where that is known.
    """

    path: Path
    line: int | None
    reason: str
    details: str = ""
    text: str = ""

    def __str__(self) -> str:
        where = str(self.path) if self.line is None else f"{self.path}:{self.line}"
        return f"{where}: {self.reason}"


class ImportFailedError(Exception):
    """A file's own code raised while it was imported; carries the ``LoadFailure``."""

    def __init__(self, failure: LoadFailure) -> None:
        super().__init__(str(failure))
        self.failure = failure


def module_name(path: Path) -> str:
    """The private name under which ``path`` is imported; the same file always has the same one."""
    folder = path.resolve().parent
    return f"{package_name(folder)}.{path.stem}"


def import_file(path: Path, *, again: bool = False) -> ModuleType:
    """Import a file, or give the module of an earlier import if the file has not changed since.

    It can import its neighbours by their plain names or relatively, and they belong to its folder alone;
    the folder is also appended to ``sys.path``, for imports at run time. ``again`` runs it in any case.
    Raises ``ImportFailedError``; the module of the last import that worked then stays.
    """
    path = path.resolve()
    name = module_name(path)
    with import_lock:
        try:
            digest = digest_of(path.read_bytes())
        except OSError as error:
            raise ImportFailedError(LoadFailure(path, None, error.strerror or str(error))) from error
        earlier = sys.modules.get(name)
        if earlier is not None and not again and vars(earlier).get(DIGEST) == digest:
            return earlier
        importlib.invalidate_caches()  # a helper may be newer than the last look at its folder
        try:
            return _execute(path, name)
        except BaseException as error:
            put_back(name, earlier)
            if _is_from_outside(error):
                raise
            raise ImportFailedError(failure_of(error, path)) from error


def import_named(name: str) -> ModuleType:
    """Import a module by its public name; the current folder counts as a place to find it.

    Raises ``ImportFailedError``; its failure names the module's file where that is known.
    """
    with import_lock:
        append_to_path(Path.cwd())
        try:
            return importlib.import_module(name)
        except BaseException as error:
            if _is_from_outside(error):
                raise
            raise ImportFailedError(failure_of(error, _file_of(name) or Path(name))) from error


def _is_from_outside(error: BaseException) -> bool:
    """Whether a person pressed Ctrl+C, which reaches the main thread alone; all else the file did itself."""
    return isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread()


def failure_of(error: BaseException, path: Path) -> LoadFailure:
    """What an import's exception means: the innermost place in ``path`` or a neighbour of it, and why."""
    details = "".join(traceback.format_exception(error))
    reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SyntaxError) and error.filename:
        reason, text = f"{type(error).__name__}: {error.msg}", (error.text or "").strip()
        return LoadFailure(Path(error.filename), error.lineno, reason, details, text)
    places = [
        (Path(frame.filename), frame.lineno, frame.line or "")
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).parent == path.parent
    ]
    where, line, text = places[-1] if places else (path, None, "")
    return LoadFailure(where, line, reason, details, text)


def put_back(name: str, module: ModuleType | None) -> None:
    """Make ``module`` the one that imports of this name give; None takes the name out."""
    parent, _, last = name.rpartition(".")
    holder = sys.modules.get(parent) if parent else None
    if module is None:
        gone = sys.modules.pop(name, None)
        if holder is not None and gone is not None and vars(holder).get(last) is gone:
            delattr(holder, last)
        return
    sys.modules[name] = module
    if holder is not None:
        # `from package import name` looks here first.
        setattr(holder, last, module)


def _execute(path: Path, name: str) -> ModuleType:
    package = enter_folder(path.parent)
    init = path.parent / "__init__.py"
    if package.__spec__ is None and init.is_file():
        try:
            _execute_into(package, init, package.__name__)
        except BaseException:
            package.__spec__ = None  # so that the next file tries again
            raise
    module = ModuleType(name)
    put_back(name, module)
    _execute_into(module, path, name)
    return module


def _execute_into(module: ModuleType, path: Path, name: str) -> None:
    loader = FreshLoader(name, str(path))
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
