"""Which top-level names of a file may act differently after an edit, there or in what it imports."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import TypeAlias

from workbench.toolbox.tool_imports import base_of, imports_in, parse

Renewed: TypeAlias = Mapping[str, frozenset[str] | None]
"""Modules that were loaded again, each with the names in it that may act differently; None: all of them."""


def affected_names(
    old: bytes,
    new: bytes,
    *,
    renewed: Renewed,
    package: str,
    folder: Path | None,
    steady: AbstractSet[str] = frozenset(),
) -> frozenset[str]:
    """The names that are written differently, or no longer; and those that use them, by any number of steps.

    ``old`` and ``new`` are the file's sources; ``package`` and ``folder`` say how the file imports;
    ``steady`` names stand for what they stood for before, whatever the file says. All names when a statement
    that binds none differs, or is gone.
    """
    before, after = parse(old, folder), parse(new, folder)
    if after is None:
        return frozenset()
    statements = [each for each in after.body if not _is_text(each)]
    bound = {id(each): _bound(each) for each in statements}
    everything = frozenset(name for names in bound.values() for name in names)
    known = {ast.dump(each): each for each in before.body if not _is_text(each)} if before is not None else {}
    changed: set[str] = set()
    modules: set[str] = set()
    whole: set[str] = set()
    for each in statements:
        reached = _Reached(each, package, renewed)
        differs = ast.dump(each) not in known or reached.all
        if differs and not bound[id(each)]:
            return everything
        changed.update(reached.names - steady)
        modules.update(reached.modules)
        whole.update(reached.whole)
        if differs:
            changed.update(bound[id(each)] - steady)
    for gone in known.keys() - {ast.dump(each) for each in statements}:
        if not (names := _bound(known[gone])):
            return everything
        changed.update(names - steady)
    used = {id(each): _used(each, modules - whole) for each in statements}
    while True:
        reaching = {
            name
            for each in statements
            if not used[id(each)].isdisjoint(changed)
            for name in bound[id(each)]
            if name not in changed and name not in steady
        }
        if not reaching:
            return frozenset(name for name in changed if "." not in name)
        changed |= reaching


class _Reached:
    """What a statement imports of modules that were loaded again.

    Attributes:
        all: Everything that the statement binds may act differently.
        names: Names that it imports and that do; ``module.name`` for what is reached through a module.
        modules: The names that such modules have in the file.
        whole: Those of which nobody knows what in them does.
    """

    def __init__(self, statement: ast.stmt, package: str, renewed: Renewed) -> None:
        self.all = False
        self.names: set[str] = set()
        self.modules: set[str] = set()
        self.whole: set[str] = set()
        self._renewed = renewed
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                self._take_import(alias)
        elif isinstance(statement, ast.ImportFrom):
            self._take_from(statement, base_of(statement, package))
        else:  # within a function or a condition: whatever it is for
            imported = imports_in(statement, package) & renewed.keys()
            self.all = any(renewed[name] is None or renewed[name] for name in imported)

    def _take_import(self, alias: ast.alias) -> None:
        first = alias.name.partition(".")[0]
        if alias.asname is not None:
            self._take_module(alias.asname, alias.name)
        else:
            self._take_module(first, first)

    def _take_from(self, statement: ast.ImportFrom, base: str) -> None:
        found = self._renewed.get(base, frozenset())
        for alias in statement.names:
            name, module = alias.asname or alias.name, f"{base}.{alias.name}"
            if module in self._renewed or self._parts(module):
                self._take_module(name, module)
            elif alias.name == "*":
                self.all = self.all or found is None
                self.names.update(found or ())
            elif found is None or alias.name in found:
                self.names.add(name)

    def _take_module(self, name: str, module: str) -> None:
        found = self._renewed.get(module, frozenset())
        if found is None:
            self.whole.add(name)
            self.names.add(name)
        elif reached := found | self._parts(module):
            self.modules.add(name)
            self.names.update((name, *(f"{name}.{each}" for each in reached)))

    def _parts(self, module: str) -> set[str]:
        """The submodules of a package in which something may act differently."""
        start = f"{module}."
        return {
            name.removeprefix(start).partition(".")[0]
            for name in self._renewed
            if name.startswith(start) and (self._renewed[name] is None or self._renewed[name])
        }


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _bound(statement: ast.stmt) -> set[str]:
    """The module's names that a statement binds; none for ``from x import *``."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    found: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.alias) and node.name != "*":
            found.add(node.asname or node.name.partition(".")[0])
    return found


def _used(statement: ast.stmt, modules: AbstractSet[str]) -> set[str]:
    """The names that a statement speaks of: ``module.name`` for what is reached through ``modules``."""
    found: set[str] = set()
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and getattr(node.value, "id", None) in modules:
            found.add(f"{getattr(node.value, 'id', '')}.{node.attr}")
        else:
            waiting.extend(ast.iter_child_nodes(node))
    return found
