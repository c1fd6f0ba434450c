"""Sums of block heights."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.tui.transcript.heights import Heights


@given(
    st.lists(st.integers(0, 9), max_size=40),
    st.lists(st.tuples(st.sampled_from(["append", "pop", "set"]), st.integers(0, 60), st.integers(0, 9))),
)
def test_sums_and_places_are_those_of_a_plain_list(
    first: list[int], changes: list[tuple[str, int, int]]
) -> None:
    plain = list(first)
    heights = Heights()
    heights.reset(first)
    for what, where, height in changes:
        if what == "append":
            plain.append(height)
            heights.append(height)
        elif plain and what == "pop":
            plain.pop()
            heights.pop()
        elif plain:
            plain[where % len(plain)] = height
            heights.set(where % len(plain), height)
    assert [heights[index] for index in range(len(heights))] == plain
    assert [heights.before(index) for index in range(len(plain) + 1)] == [
        sum(plain[:index]) for index in range(len(plain) + 1)
    ]
    stands = [(index, row) for index, height in enumerate(plain) for row in range(height)]
    assert [heights.find(row) for row in range(sum(plain))] == stands


def test_rows_outside_give_the_nearest_end() -> None:
    heights = Heights()
    heights.reset([2, 0, 3])
    assert heights.find(-5) == (0, 0)
    assert heights.find(99) == (2, 2)


def test_nothing_stands_anywhere_when_there_is_nothing() -> None:
    with pytest.raises(IndexError, match="nothing"):
        Heights().find(0)
