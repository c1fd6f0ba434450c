"""Where lines break."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from workbench.tui.transcript.line import Line, break_cells, break_line, break_words, slice_spans

TEXT = st.text(st.sampled_from("ab cde  fghi,日本語é —x"), max_size=80)


@given(TEXT, st.integers(2, 30))
def test_no_row_is_wider_than_the_room_and_no_letter_is_lost(text: str, width: int) -> None:
    rows = break_words(text, width)
    assert all(cell_len(text[start:end].strip()) <= width for start, end in rows)
    assert all(before[1] <= after[0] for before, after in pairwise(rows))
    shown = "".join(text[start:end] for start, end in rows)
    assert shown.replace(" ", "") == text.replace(" ", "")


@given(TEXT, st.integers(2, 30))
def test_code_loses_nothing_at_all(text: str, width: int) -> None:
    rows = break_cells(text, width)
    assert "".join(text[start:end] for start, end in rows) == text
    assert all(cell_len(text[start:end]) <= width for start, end in rows)


def test_prose_breaks_between_words() -> None:
    text = "one two three"
    assert [text[start:end] for start, end in break_words(text, 8)] == ["one two", "three"]


def test_a_word_longer_than_a_row_is_folded() -> None:
    text = "a " + "x" * 25
    assert [text[start:end] for start, end in break_words(text, 10)] == ["a", "x" * 10, "x" * 10, "x" * 5]


def test_prose_stops_at_96_cells_and_code_does_not() -> None:
    assert len(break_line(Line("word " * 30), 200)) == 2
    assert len(break_line(Line("word " * 30, wrap="cells"), 200)) == 1


def test_spans_of_a_row_are_those_of_the_line() -> None:
    line = Line("one two three", ((4, 7, "accent"),))
    assert slice_spans(line, 0, 13) == [("one ", "text"), ("two", "accent"), (" three", "text")]
    assert slice_spans(line, 5, 9) == [("wo", "accent"), (" t", "text")]
