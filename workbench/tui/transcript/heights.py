"""How tall each block is, and which one stands at a row: a Fenwick tree."""

from __future__ import annotations

from collections.abc import Iterable


class Heights:
    """A list of heights in rows, with sums. Every method but ``reset`` costs O(log n)."""

    def __init__(self) -> None:
        self._heights: list[int] = []
        self._tree: list[int] = [0]

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> int:
        return self._heights[index]

    @property
    def total(self) -> int:
        """The sum of all heights."""
        return self.before(len(self._heights))

    def reset(self, heights: Iterable[int]) -> None:
        """Take new heights for everything, in O(n)."""
        self._heights = list(heights)
        tree = [0, *self._heights]
        for node in range(1, len(tree)):
            parent = node + (node & -node)
            if parent < len(tree):
                tree[parent] += tree[node]
        self._tree = tree

    def append(self, height: int) -> None:
        """Add one at the end."""
        self._heights.append(height)
        node = len(self._heights)
        total = height
        child = node - 1
        stop = node - (node & -node)
        while child > stop:
            total += self._tree[child]
            child -= child & -child
        self._tree.append(total)

    def pop(self) -> None:
        """Take the last one away."""
        self._heights.pop()
        self._tree.pop()

    def set(self, index: int, height: int) -> None:
        """Change one."""
        change = height - self._heights[index]
        if not change:
            return
        self._heights[index] = height
        node = index + 1
        while node < len(self._tree):
            self._tree[node] += change
            node += node & -node

    def before(self, index: int) -> int:
        """The sum of the heights before ``index``: the row where it begins."""
        total = 0
        while index:
            total += self._tree[index]
            index -= index & -index
        return total

    def find(self, row: int) -> tuple[int, int]:
        """The index of what stands at a row, and the row within it.

        Rows above the first give (0, 0); rows below the last give the last and its last row. Items of
        height 0 are never found while others are there. Raises IndexError when there is nothing.
        """
        if not self._heights:
            raise IndexError("nothing has a height here")
        row = max(0, min(row, self.total - 1))
        index, rest = 0, row
        step = 1 << (len(self._heights).bit_length() - 1)
        while step:
            probe = index + step
            if probe < len(self._tree) and self._tree[probe] <= rest:
                index = probe
                rest -= self._tree[probe]
            step >>= 1
        return min(index, len(self._heights) - 1), max(rest, 0)
