"""Which top-level names of a file may act differently after an edit, there or in what it imports."""

from __future__ import annotations

import ast
from collections.abc import Set as AbstractSet
from pathlib import Path

from workbench.toolbox.tool_imports import imports_in, parse


def affected_names(
    old: bytes,
    new: bytes,
    *,
    reloaded: AbstractSet[str],
    package: str,
    folder: Path | None,
    steady: AbstractSet[str] = frozenset(),
) -> frozenset[str]:
    """The names that are written differently, or use (through any number of steps) what differs.

    ``old`` and ``new`` are the file's sources, ``reloaded`` the names of modules that were loaded again;
    ``package`` and ``folder`` say how the file imports; ``steady`` names stand for what they stood for
    before, whatever the file says. All names when a statement that binds none differs.
    """
    before, after = parse(old, folder), parse(new, folder)
    if after is None:
        return frozenset()
    statements = [each for each in after.body if not _is_text(each)]
    bound = {id(each): _bound(each) for each in statements}
    everything = frozenset(name for names in bound.values() for name in names)
    known = {ast.dump(each) for each in before.body} if before is not None else set()
    changed: set[str] = set()
    for each in statements:
        differs = ast.dump(each) not in known or not imports_in(each, package).isdisjoint(reloaded)
        if differs and not bound[id(each)]:
            return everything
        if differs:
            changed.update(bound[id(each)] - steady)
    used = {id(each): _used(each) for each in statements}
    while True:
        reached = {
            name
            for each in statements
            if not used[id(each)].isdisjoint(changed)
            for name in bound[id(each)]
            if name not in changed and name not in steady
        }
        if not reached:
            return frozenset(changed)
        changed |= reached


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


def _used(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
