"""Text from models and tools cannot act on the terminal, and hides nothing."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.visible import as_left, in_place, pointed_at, visible, visible_line


@given(st.text(st.characters(), max_size=200))
def test_no_control_or_bidi_character_is_left_in_a_line(text: str) -> None:
    shown = visible_line(text)
    assert not [char for char in shown if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")]
    assert not set(shown) & set(
        "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u200b\ufeff"
    )


@given(st.text(st.characters(), max_size=200))
def test_a_text_that_is_edited_keeps_its_length_and_holds_nothing_that_acts(text: str) -> None:
    shown = in_place(text)
    assert len(shown) == len(text)
    assert not [
        char
        for char in shown.replace("\t", "").replace("\n", "")
        if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")
    ]


@given(st.text(max_size=200))
def test_making_a_text_visible_twice_changes_nothing(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred", "\\e[31mred"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb", "a\\u202eb"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\ud800", "\\ud800"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("line\u2028sep", "line\\u2028sep"),
        ("a\x00b", "a\\0b"),
        ("[b + c", "[b + c"),
    ],
)
def test_what_cannot_be_seen_is_shown(raw: str, shown: str) -> None:
    assert visible(raw) == shown
    assert visible_line(raw) == shown


def test_prose_keeps_its_lines_and_a_line_shows_them() -> None:
    assert visible("a\r\nb\tc") == "a\nb    c"
    assert visible_line("a\nb\tc") == "a\\nb\\tc"


def test_a_pictograph_in_prose_goes_without_its_selectors_and_a_line_shows_them() -> None:
    assert visible("\u2764\ufe0f and \U0001f468\u200d\U0001f469") == "\u2764 and \U0001f468\U0001f469"
    assert visible_line("\u2764\ufe0f") == "\u2764\\ufe0f"


@pytest.mark.parametrize(
    "char", ["\ufe00", "\U000e0101", "\u180b", "\u2065", "\U0001d173", "\U0001bca0", "\u200d"]
)
def test_no_word_can_hide_behind_a_letter(char: str) -> None:
    for show in (visible, visible_line):
        shown = show(f"safe{char}{char}word")
        assert char not in shown
        assert shown.count("\\") == 2


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("0%\r50%\r100%\ndone", "100%\ndone"),
        ("a\r\nb", "a\nb"),
        ("working\r", "working"),
        ("plain", "plain"),
    ],
)
def test_a_progress_bar_is_shown_as_a_terminal_leaves_it(written: str, left: str) -> None:
    assert as_left(written) == left


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1), st.data())
def test_a_caret_stands_below_its_character_however_long_the_line(line: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(line) - 1))
    shown, carets = pointed_at(line * 5, place + len(line) * 2).split("\n")
    assert len(shown) <= 40
    assert carets.strip() == "^"
    assert shown[len(carets) - 1] == line[place]


def test_a_caret_counts_the_cells_of_what_is_wide_or_written_as_an_escape() -> None:
    assert pointed_at("書\t\x1bx = (", 3) == "書    \\ex = (\n        ^"
    assert pointed_at("abcd", 1, 3) == "abcd\n ^^"
    assert pointed_at("ab", 2) == "ab\n  ^"
