"""Which loaded modules below a folder import each other, so that a change reaches whoever uses it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Final

from workbench.toolbox.tool_imports import digest_of, home_of, imports_in, package_name, parse

_OURS: Final = __name__.partition(".")[0]
_FOREIGN: Final = frozenset({"site-packages", "dist-packages", "node_modules", "__pycache__"})


class ModuleGraph:
    """The modules that tool files import, directly or not, as far as they lie below the tools' folder."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], frozenset[str]] = {}

    def reach(self, modules: Iterable[ModuleType], root: Path) -> dict[str, frozenset[str]]:
        """For each module reached from these: the names of the modules below ``root`` that it imports."""
        edges: dict[str, frozenset[str]] = {}
        waiting = [module.__name__ for module in modules]
        while waiting:
            name = waiting.pop()
            if name in edges:
                continue
            imported = self._imports(sys.modules.get(name)) | frozenset(_parents(name))
            edges[name] = frozenset(each for each in imported if _is_below(sys.modules.get(each), root))
            waiting.extend(edges[name])
        return edges

    def files_wanted(self, path: Path) -> set[Path]:
        """The file and the neighbours that it imports, directly or not; it need not have been imported."""
        folder = path.parent
        home = package_name(folder)
        found: set[Path] = set()
        waiting = [(path, home)]
        while waiting:
            here, package = waiting.pop()
            if here in found:
                continue
            found.add(here)
            for name in self._imports_of(here, package, folder):
                if name.startswith(f"{home}."):
                    place = folder.joinpath(*name.split(".")[1:])
                    waiting.append((place.with_name(f"{place.name}.py"), name.rpartition(".")[0]))
                    waiting.append((place / "__init__.py", name))
        return {each for each in found if each.is_file()}

    def _imports(self, module: ModuleType | None) -> frozenset[str]:
        path = source_of(module)
        if module is None or path is None:
            return frozenset()
        return self._imports_of(path, module.__package__ or "", home_of(module.__name__)) - {module.__name__}

    def _imports_of(self, path: Path, package: str, folder: Path | None) -> frozenset[str]:
        source = _read(path)
        key = (package, digest_of(source))
        if key not in self._known:
            tree = parse(source, folder)
            self._known[key] = frozenset(imports_in(tree, package) if tree is not None else ())
        return self._known[key]


def dependents(edges: dict[str, frozenset[str]], changed: Iterable[str]) -> set[str]:
    """The changed modules and all that import them, directly or not."""
    found = set(changed)
    while True:
        more = {name for name, imported in edges.items() if name not in found and imported & found}
        if not more:
            return found
        found |= more


def reached_from(edges: dict[str, frozenset[str]], names: Iterable[str]) -> set[str]:
    """These modules and all that they import, directly or not."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(edges.get(name, ()))
    return found


def own_modules(names: Iterable[str], root: Path) -> list[str]:
    """Those of the loaded modules that are the project's own: made from Python files below ``root``."""
    return [name for name in names if _is_below(sys.modules.get(name), root)]


def is_own_file(path: Path, root: Path) -> bool:
    """Whether a file lies below ``root``, and not among what is installed or hidden there."""
    if not path.is_relative_to(root):
        return False
    parts = path.relative_to(root).parts
    return not any(part.startswith(".") or part in _FOREIGN for part in parts)


def source_of(module: ModuleType | None) -> Path | None:
    """The Python file that a module was made from, if it was."""
    file = getattr(module, "__file__", None)
    return Path(file) if isinstance(file, str) and file.endswith(".py") else None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # not there (any more): then there is nothing that it could import
        return b""


def _parents(name: str) -> Iterator[str]:
    while name := name.rpartition(".")[0]:
        yield name


def _is_below(module: ModuleType | None, root: Path) -> bool:
    """Whether a module is the project's own: below the folder, and neither installed nor hidden there.

    Workbench itself is not, even where it is worked on.
    """
    path = source_of(module)
    if module is None or path is None or module.__name__.partition(".")[0] == _OURS:
        return False
    return is_own_file(path, root)
