"""How code in a tool folder imports its neighbours: privately, and always from the file as it is now."""

from __future__ import annotations

import ast
import hashlib
import importlib.machinery
import linecache
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final, TypeVar

PACKAGES: Final = "workbench_tools_"
"""Tool folders are imported as packages whose names begin like this."""

DIGEST: Final = "__workbench_digest__"
"""In a module's globals: a hash of the source that it was made from."""

_Statement = TypeVar("_Statement", bound=ast.stmt)


def package_name(folder: Path) -> str:
    """The private package that stands for a tool folder; the same folder always has the same one."""
    return PACKAGES + hashlib.sha256(str(folder).encode("utf-8", "surrogateescape")).hexdigest()[:12]


def digest_of(source: bytes) -> str:
    """What ``DIGEST`` holds for a source."""
    return hashlib.sha256(source).hexdigest()


class FreshLoader(importlib.machinery.SourceFileLoader):
    """Compiles the source each time, as byte code from a cache may be older than a quick edit.

    In a private package, plain imports of neighbours become imports within that package. So two folders
    may have helpers of one name, and a helper can be loaded again without touching anybody else's.
    """

    def get_code(self, fullname: str) -> CodeType:
        """The code of the file as it is now."""
        path = self.get_filename(fullname)
        linecache.checkcache(path)
        source = self.get_data(path)
        tree = ast.parse(source, path)
        folder = home_of(self.name)
        if folder is not None:
            tree = ast.fix_missing_locations(_Privately(folder).visit(tree))
        code: CodeType = compile(tree, path, "exec", dont_inherit=True)
        return code

    def exec_module(self, module: ModuleType) -> None:
        """Run the file in the module, and note which version of the file that was."""
        module.__dict__[DIGEST] = digest_of(self.get_data(self.path))
        super().exec_module(module)


class ToolFolderFinder:
    """Finds the modules of private packages, and others whose next import must read the file anew."""

    def __init__(self) -> None:
        self.afresh: set[str] = set()

    def enter(self, names: Iterable[str]) -> None:
        """Read these modules from their files at the next import; puts the finder in its place."""
        self.afresh.update(names)
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """As any finder; gives a spec with a ``FreshLoader``."""
        if not (fullname.startswith(PACKAGES) and "." in fullname) and fullname not in self.afresh:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = FreshLoader(fullname, spec.loader.path)
            spec.cached = None
        return spec


finder: Final = ToolFolderFinder()

_homes: dict[str, Path] = {}
_appended: set[str] = set()


def enter_folder(folder: Path) -> ModuleType:
    """The package that stands for the folder; made, and its ``__init__.py`` not yet run, when it is new."""
    append_to_path(folder)
    finder.enter(())
    name = package_name(folder)
    _homes[name] = folder
    package = sys.modules.get(name)
    if package is None:
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    return package


def append_to_path(folder: Path) -> None:
    """Let plain imports find the folder too, behind everything else."""
    # At the end: a tool file called like a module of the standard library must not take its place.
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
        _appended.add(str(folder))


def home_of(module: str) -> Path | None:
    """The tool folder that a private module belongs to; None for every other module."""
    return _homes.get(module.partition(".")[0])


def is_neighbour(name: str, folder: Path) -> bool:
    """Whether ``import name`` in a file of the folder means a file or package of that folder.

    The standard library comes first, then whatever is installed; as if the folder were last on the path.
    """
    there = (folder / f"{name}.py").is_file() or any((folder / name).glob("*.py"))
    return there and name not in sys.stdlib_module_names and not _is_elsewhere(name, folder)


def parse(source: bytes, folder: Path | None) -> ast.Module | None:
    """The tree of a source as it is run in the tool folder (None for none); None when it is not valid."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    return tree if folder is None else _Privately(folder).visit(tree)


def imports_in(tree: ast.AST, package: str) -> set[str]:
    """Absolute names that a tree may import; for ``from a import b`` both ``a`` and ``a.b``.

    ``package`` is where relative imports start.
    """
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found.update(_with_parents(alias.name))
        elif isinstance(node, ast.ImportFrom):
            base = base_of(node, package)
            found.update(_with_parents(base))
            found.update(f"{base}.{alias.name}" for alias in node.names)
    return found


def _is_elsewhere(name: str, folder: Path) -> bool:
    """Whether the name is to be had from a place that is no tool folder."""
    folders = [folder, *(Path(each) for each in _appended)]
    ours = {
        place for each in folders for place in (each / f"{name}.py", each / name, each / name / "__init__.py")
    }
    path = [each for each in sys.path if each not in _appended]
    for each in sys.meta_path:
        if each is finder:
            continue
        if each is importlib.machinery.PathFinder:
            spec = importlib.machinery.PathFinder.find_spec(name, path)
        else:
            spec = each.find_spec(name, None)
        if spec is not None:
            places = [spec.origin or "", *(spec.submodule_search_locations or ())]
            if not any(Path(place) in ours for place in places):
                return True
    return False


def base_of(node: ast.ImportFrom, package: str) -> str:
    """The absolute name of what a statement imports from; ``package`` is where relative ones start."""
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    base = ".".join(parts[: len(parts) - node.level + 1])
    return f"{base}.{node.module}" if node.module else base


def _with_parents(name: str) -> Iterator[str]:
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        yield ".".join(parts[:count])


class _Privately(ast.NodeTransformer):
    """Turns plain imports of neighbours into imports from the folder's private package."""

    def __init__(self, folder: Path) -> None:
        self._package = package_name(folder)
        self._folder = folder
        self._known: dict[str, bool] = {}

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        """One statement for each name, as those of neighbours change their form."""
        return [each for alias in node.names for each in self._import(alias, node)]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt:
        """The same names from the private package."""
        if node.level or not node.module or not self._is_private(node.module):
            return node
        return _like(node, ast.ImportFrom(f"{self._package}.{node.module}", node.names, 0))

    def _import(self, alias: ast.alias, node: ast.Import) -> Iterator[ast.stmt]:
        if not self._is_private(alias.name):
            yield _like(node, ast.Import([alias]))
            return
        parent, _, last = f"{self._package}.{alias.name}".rpartition(".")
        first = alias.name.partition(".")[0]
        yield _like(node, ast.ImportFrom(parent, [ast.alias(last, alias.asname or first)], 0))
        if alias.asname is None and first != alias.name:
            # `import a.b` loads a.b, but binds a.
            yield _like(node, ast.ImportFrom(self._package, [ast.alias(first, None)], 0))

    def _is_private(self, name: str) -> bool:
        first = name.partition(".")[0]
        if first not in self._known:
            self._known[first] = is_neighbour(first, self._folder)
        return self._known[first]


def _like(node: ast.stmt, made: _Statement) -> _Statement:
    return ast.copy_location(made, node)
