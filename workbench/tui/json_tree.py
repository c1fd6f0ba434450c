"""A JSON value as a tree of rows that fold and unfold; only rows that can be seen exist."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from rich.cells import cell_len

from workbench.tui.render import ELLIPSIS, clip
from workbench.tui.sought import folded
from workbench.tui.wrapped import Line, wrapped
from workbench.visible import visible_line

_OPEN_AT_FIRST: Final = 40
"""Rows up to which a tree is unfolded when it comes up."""

_MOST_CHILDREN: Final = 5_000
"""Children of one node that are shown; more are counted."""

_MOST_UNFOLDED: Final = 200
"""Keys and values that a search unfolds."""

_SHOWN: Final = 400


@dataclass(slots=True, eq=False)
class Node:
    """One value. ``path`` is as in Python. ``opened`` shows its children, or all of a long text."""

    path: str
    label: str
    value: Any
    depth: int
    opened: bool = False
    _inside: list[Node] | None = None

    @property
    def holds(self) -> bool:
        """Whether there is something inside it."""
        return isinstance(self.value, dict | list) and bool(self.value)

    def text(self) -> str:
        """The value for the clipboard: a text as it is, all else as JSON."""
        if isinstance(self.value, str):
            return self.value
        return json.dumps(self.value, indent=2, ensure_ascii=False)

    def children(self) -> list[Node]:
        """What is inside it; the same nodes each time, so that what was unfolded is remembered."""
        if self._inside is None:
            self._inside = self._made()
        return self._inside

    def below(self) -> Iterator[Node]:
        """The nodes that are shown below it while it is open."""
        for child in self.children():
            yield child
            if child.opened and child.holds:
                yield from child.below()

    def _made(self) -> list[Node]:
        if isinstance(self.value, dict):
            items = list(self.value.items())[:_MOST_CHILDREN]
            return [Node(_within(self.path, key), key, value, self.depth + 1) for key, value in items]
        if isinstance(self.value, list):
            values = enumerate(self.value[:_MOST_CHILDREN])
            return [Node(f"{self.path}[{at}]", str(at), value, self.depth + 1) for at, value in values]
        return []


class JsonTree:
    """The rows of a value; the value itself has none."""

    def __init__(self, value: Any) -> None:
        self._root = Node("", "", value, -1)
        self.nodes = list(self._root.children())
        for depth in range(3):
            inside = [node for node in self.nodes if node.depth == depth and node.holds]
            if len(self.nodes) + sum(len(node.value) for node in inside) > _OPEN_AT_FIRST:
                break
            for node in inside:
                self.toggle(self.nodes.index(node))

    @property
    def value(self) -> Any:
        """What it is the tree of."""
        return self._root.value

    def toggle(self, index: int) -> bool:
        """Fold or unfold a row; False if there is nothing to fold."""
        node = self.nodes[index]
        if not node.holds:
            if isinstance(node.value, str) and _long(node.value):
                node.opened = not node.opened
                return True
            return False
        if node.opened:
            end = index + 1
            while end < len(self.nodes) and self.nodes[end].depth > node.depth:
                end += 1
            del self.nodes[index + 1 : end]
        else:
            self.nodes[index + 1 : index + 1] = node.below()
        node.opened = not node.opened
        return True

    def unfold_to(self, text: str) -> bool:
        """Unfold what hides the first keys and values that hold the text; False if nothing hid them."""
        wanted, opened = folded(text), False
        for path in islice(_paths(self._root.value, wanted), _MOST_UNFOLDED) if wanted else ():
            node = self._root
            for place in path:
                if node is not self._root and not node.opened:
                    node.opened = opened = True
                node = node.children()[place]
            if isinstance(node.value, str) and _long(node.value) and wanted in folded(node.value):
                opened, node.opened = opened or not node.opened, True
        if opened:
            self.nodes = list(self._root.below())
        return opened

    def parent(self, index: int) -> int:
        """The row that a row is inside of; the row itself at the outermost level."""
        depth = self.nodes[index].depth
        while index and self.nodes[index].depth >= depth > 0:
            index -= 1
        return index

    def lines(self, width: int) -> tuple[list[Line], list[int]]:
        """The rows as lines, and for each line the node that it belongs to."""
        lines: list[Line] = []
        owners: list[int] = []
        for index, node in enumerate(self.nodes):
            mine = _lines(node, width)
            lines += mine
            owners += [index] * len(mine)
        return lines, owners


def _lines(node: Node, width: int) -> list[Line]:
    indent = " " * min(2 + 2 * node.depth, width // 3)
    glyph = ("▾ " if node.opened else "▸ ") if node.holds or _long(node.value) else "  "
    label = clip(visible_line(node.label), max(4, width // 3))
    room = width - len(indent) - 2 - cell_len(label) - 2 - 2
    text, key = _shown(node)
    whole = isinstance(node.value, str) and node.opened
    said = clip(f"{len(node.value):,} characters" if whole else text, room)
    head: Line = (
        (indent, "muted"),
        (glyph, "muted"),
        (label + "  ", "muted" if node.label.isdecimal() else "subtle"),
        (said, "muted" if whole else key),
    )
    return [head, *wrapped(node.value, width, indent=len(indent) + 2)] if whole else [head]


def _shown(node: Node) -> tuple[str, str]:
    value = node.value
    if isinstance(value, dict):
        if not value:
            return "{}", "muted"
        names = ", ".join(map(visible_line, list(value)[:12])) + (ELLIPSIS if len(value) > 12 else "")
        return ("" if node.opened else "{" + names + "}"), "muted"
    if isinstance(value, list):
        count = f"{len(value):,} item{'s' * (len(value) != 1)}"
        if len(value) > _MOST_CHILDREN:
            count += f", the first {_MOST_CHILDREN:,} are shown"
        return (count if value else "[]"), "muted"
    if isinstance(value, str):
        return visible_line(json.dumps(value[:_SHOWN], ensure_ascii=False)), "tok:Literal.String"
    if value is None or isinstance(value, bool):
        return json.dumps(value), "tok:Keyword"
    return json.dumps(value), "tok:Literal.Number"


def _paths(value: Any, wanted: str) -> Iterator[tuple[int, ...]]:
    """The places of what holds the text, each as places among children from the outermost on."""
    items = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    for place, (key, item) in enumerate(islice(items, _MOST_CHILDREN)):
        inside = isinstance(item, dict | list)
        if (key is not None and wanted in folded(key)) or (not inside and wanted in folded(_said(item))):
            yield (place,)
        if inside:
            yield from ((place, *path) for path in _paths(item, wanted))


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _long(value: Any) -> bool:
    return isinstance(value, str) and (len(value) > 60 or "\n" in value)


def _within(path: str, key: str) -> str:
    if not key.isidentifier():
        return f"{path}[{json.dumps(key, ensure_ascii=False)}]"
    return f"{path}.{key}" if path else key
