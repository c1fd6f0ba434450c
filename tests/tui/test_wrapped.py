"""Text broken into lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from workbench.tui.wrapped import wrapped
from workbench.visible import visible


def lines(text: str, width: int, *, words: bool) -> list[str]:
    return ["".join(part for part, _ in line) for line in wrapped(text, width, words=words)]


def test_words_stay_whole_where_there_is_a_blank() -> None:
    assert lines("one two three", 12, words=True) == ["  one two ", "  three"]
    assert lines("onetwothree4", 12, words=True) == ["  onetwoth", "  ree4"]


@given(st.text(max_size=200), st.integers(8, 60), st.booleans())
def test_nothing_is_lost_and_no_line_is_too_wide(text: str, width: int, words: bool) -> None:
    found = lines(text, width, words=words)
    assert all(cell_len(line) <= width for line in found)
    assert "".join(line[2:] for line in found) == visible(text).replace("\n", "")


@given(st.text(st.sampled_from("a 漢\u0301\u200d👨\n"), max_size=30), st.integers(0, 7), st.booleans())
def test_in_hardly_any_room_it_ends_and_nothing_is_lost(text: str, width: int, words: bool) -> None:
    found = lines(text, width, words=words)
    assert "".join(line[2:] for line in found) == visible(text).replace("\n", "")
