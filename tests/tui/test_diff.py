"""What a file change looks like, and how arguments are laid out."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.tui.diff import Diff, DiffRow, counts, diff, diff_lines
from workbench.tui.json_view import argument_lines, editable_text, json_lines
from workbench.tui.line_view import Line


def signs(found: Diff) -> list[tuple[str, str]]:
    return [(row.kind, row.text) for row in found.rows]


def test_changed_lines_stand_below_each_other_with_both_numbers() -> None:
    found = diff("one\ntwo\nthree\n", "one\n2\nthree\n")

    assert found.rows == (
        DiffRow("same", "one", 1, 1),
        DiffRow("cut", "two", 2, None),
        DiffRow("add", "2", None, 2),
        DiffRow("same", "three", 3, 3),
    )
    assert (found.added, found.removed) == (1, 1)


def test_the_words_that_changed_are_marked_in_lines_that_are_alike() -> None:
    cut, add = diff("Status: draft today\n", "Status: final today\n").rows

    assert [cut.text[slice(*part)] for part in cut.words] == ["draft"]
    assert [add.text[slice(*part)] for part in add.words] == ["final"]


def test_lines_that_have_nothing_in_common_get_no_marks() -> None:
    assert all(row.words == () for row in diff("abc def\n", "123 456\n").rows)


def test_a_new_file_is_all_additions_and_a_removed_one_all_cuts() -> None:
    assert signs(diff("", "a\nb\n")) == [("add", "a"), ("add", "b")]
    assert signs(diff("a\nb\n", "")) == [("cut", "a"), ("cut", "b")]


def test_the_same_text_has_no_rows() -> None:
    assert diff("same\n", "same\n").rows == ()


def test_long_stretches_that_stay_are_folded_and_the_fold_says_how_many() -> None:
    before = [f"line {n}" for n in range(30)]
    after = [*before]
    after[15] = "changed"

    kinds = [(row.kind, row.text) for row in diff("\n".join(before), "\n".join(after)).rows]

    assert kinds[0] == ("fold", "… 12 lines are the same")
    assert kinds[-1] == ("fold", "… 11 lines are the same")
    assert len(kinds) == 1 + 3 + 2 + 3 + 1


def test_a_missing_last_newline_is_told() -> None:
    assert diff("a\n", "a").rows[-1] == DiffRow("note", "no newline at the end after")


def test_control_characters_tabs_and_bidi_marks_show_as_escapes() -> None:
    found = diff("a\tb\n", "a\x1b[31m\u202eb\r\n")

    assert signs(found) == [("cut", "a\\tb"), ("add", "a\\e[31m\\u202eb\\r")]


def test_two_long_texts_without_a_common_line_are_replaced_whole() -> None:
    before = "".join(f"a{n}\n" for n in range(6_000))
    after = "".join(f"b{n}\n" for n in range(6_000))

    found = diff(before, after)

    assert (found.added, found.removed) == (6_000, 6_000)


def test_counts_use_a_minus_sign() -> None:
    found = diff("a\nb\n", "c\n")
    assert "".join(text for text, _ in counts(found.added, found.removed)) == "+1 −2"


def test_each_row_becomes_a_line_with_its_numbers_and_sign() -> None:
    cut, add = diff_lines(diff("a b\n", "a c\n"))

    assert "".join(text for text, _ in cut.prefix) == "    1      − "
    assert "".join(text for text, _ in add.prefix) == "        1  + "
    assert (cut.background, add.background) == ("cut", "add")


lines = st.lists(st.sampled_from(["a", "b", "", "long line of words", "long line of signs"]), max_size=30)


@settings(max_examples=150, deadline=None)
@given(lines, lines)
def test_both_texts_can_be_read_back_from_an_unfolded_diff(old: list[str], new: list[str]) -> None:
    before, after = ("".join(line + "\n" for line in each) for each in (old, new))

    found = diff(before, after, context=1_000)

    assert bool(found.rows) == (old != new)
    if old == new:
        return
    assert [row.text for row in found.rows if row.kind in ("same", "cut")] == old
    assert [row.text for row in found.rows if row.kind in ("same", "add")] == new
    assert [row.old for row in found.rows if row.old is not None] == list(range(1, len(old) + 1))
    assert [row.new for row in found.rows if row.new is not None] == list(range(1, len(new) + 1))


def shown(found: list[Line]) -> list[str]:
    return ["".join(text for text, _ in line.prefix) + line.text for line in found]


def test_arguments_stand_below_each_other_as_json() -> None:
    assert shown(argument_lines({"path": "a.txt", "n": 3})) == ['  path  "a.txt"', "  n     3"]


def test_a_value_stands_beneath_a_name_that_leaves_it_no_room() -> None:
    name = "a_name_that_goes_on_and_on_" * 3
    lines = argument_lines({"n": 3, name: "value", f"{name}2": "one\ntwo\n"})

    assert shown(lines) == [
        "  n  3",
        name,
        '"value"',
        f"{name}2",
        "2 lines, 8 characters",
        "    │ one",
        "    │ two",
    ]
    assert max(line.hang for line in lines) < 8


def test_wide_characters_in_names_keep_the_values_in_their_column() -> None:
    assert shown(argument_lines({"漢字": 1, "path": 2})) == ["  漢字  1", "  path  2"]


def test_a_text_of_several_lines_is_a_block_that_says_how_long_it_is() -> None:
    assert shown(argument_lines({"text": "one\ntwo\n"})) == [
        "  text  2 lines, 8 characters",
        "    │ one",
        "    │ two",
    ]


def test_a_block_without_a_last_newline_says_so() -> None:
    assert shown(argument_lines({"text": "one\ntwo"}))[0].endswith("no newline at the end")


def test_escapes_in_a_block_stand_out() -> None:
    line = argument_lines({"text": "a\tb\n\u202ec\n"})[1]

    assert line.text == "a\\tb"
    assert not callable(line.marks)
    assert [(line.text[mark.start : mark.end], mark.key) for mark in line.marks] == [("\\t", "warning")]


def test_hidden_characters_in_names_and_values_show_as_escapes() -> None:
    text = "".join(shown(argument_lines({"\u202ename": "\u200bvalue\x9b", "n": {"\u2066": [None]}})))

    assert "\\u202ename" in text
    assert '"\\u200bvalue\\x9b"' in text
    assert not any(char in text for char in "\u202e\u200b\x9b\u2066")


def test_json_lines_are_coloured_when_they_are_painted() -> None:
    line = json_lines({"a": "x", "n": 1.5, "t": True})[1]

    assert callable(line.marks)
    assert [(line.text[mark.start : mark.end], mark.key) for mark in line.marks(line.text)] == [
        ('"a"', "subtle"),
        ('"x"', "tok:Literal.String"),
    ]


def test_text_to_edit_shows_hidden_characters_as_json_escapes_and_reads_back_the_same() -> None:
    value = {"a": "\u202e\x9b\x00 tab\t \U000e0041 漢 é", "b": ["\ud800", 1]}

    text = editable_text(value)

    assert json.loads(text) == value
    assert not any(char in text for char in "\u202e\x9b\U000e0041\ud800")
    assert "漢 é" in text


def test_what_json_cannot_hold_is_shown_all_the_same() -> None:
    circle: dict[str, object] = {}
    circle["again"] = circle

    assert shown(argument_lines({"value": {1, 2}})) == ['  value  "{1, 2}"']
    assert "..." in shown(json_lines(circle))[0]
