"""What differs between two JSON values, and how two results stand beside each other."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from workbench.tui.comparison import compare
from workbench.tui.json_changes import Change, changes
from workbench.tui.result_diff import result_lines

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | st.text("ab", max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc "), inner, max_size=3),
    max_leaves=12,
)


def said(found: list[Change]) -> list[str]:
    signs = {"added": "+", "removed": "-", "changed": "~"}
    return [f"{signs[each.kind]}{each.path}" for each in found]


def test_each_difference_has_its_path() -> None:
    old = {"items": [{"price": 1, "name": "a"}, {"price": 2}], "total": 3, "left": 1}
    new = {"items": [{"price": 9, "name": "a"}, {"price": 2}, {"price": 5}], "total": 3, "odd key": 1}
    found = list(changes(old, new))
    assert said(found) == ["~items[0].price", "+items[2]", "-left", '+["odd key"]']
    assert (found[0].old, found[0].new) == (1, 9)


def test_an_item_in_front_of_a_list_is_one_difference() -> None:
    assert said(list(changes([1, 2, 3], [0, 1, 2, 3]))) == ["+[0]"]


def test_types_count() -> None:
    assert said(list(changes({"a": 1}, {"a": True}))) == ["~a"]
    assert said(list(changes({"a": 1}, {"a": 1.0}))) == ["~a"]


def test_long_lists_are_compared_place_by_place() -> None:
    old = list(range(3_000))
    assert said(list(changes(old, [*old[:10], -1, *old[11:]]))) == ["~[10]"]


@given(JSON, JSON)
def test_there_are_differences_exactly_where_the_texts_differ(old: Any, new: Any) -> None:
    same = json.dumps(old, sort_keys=True) == json.dumps(new, sort_keys=True)
    assert (list(changes(old, new)) == []) is same


@given(JSON)
def test_a_value_does_not_differ_from_itself(value: Any) -> None:
    assert list(changes(value, json.loads(json.dumps(value)))) == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("a", "a", ""),
        ("a\nb", "a\nc", "+1 −1 lines"),
        ('{"a": 1}', '{"a": 2, "b": 3}', "1 changed, 1 added"),
        ('{"a": 1}', '{"a":1}', "written differently, the values are the same"),
        ('{"a": 1}', "no JSON", "+1 −1 lines"),
    ],
)
def test_a_difference_in_a_few_words(old: str, new: str, words: str) -> None:
    assert compare(old, new).told == words


def texts(old: str, new: str, width: int) -> list[str]:
    return ["".join(text for text, _ in line) for line in result_lines(old, new, width)]


@pytest.mark.parametrize("width", [40, 120])
@pytest.mark.parametrize("kind", ["text", "json"])
def test_of_a_difference_without_end_the_beginning_is_shown_and_how_much_there_is_more(
    kind: str, width: int
) -> None:
    before, after = ([f"{word}{number}" for number in range(4_000)] for word in ("old", "new"))
    if kind == "text":
        lines = texts("\n".join(before), "\n".join(after), width)
        assert lines[-1] == "  … 3,000 more differences are not shown"
    else:
        old, new = (json.dumps({str(number): word for number in range(6_000)}) for word in (1, 2))
        lines = texts(old, new, width)
        assert lines[-1] == "  … 1,000 more differences are not shown"


def test_values_stand_beside_each_other_where_there_is_room_and_below_each_other_else() -> None:
    wide = texts('{"a": 1}', '{"a": 2}', 100)
    assert len(wide) == 1
    assert wide[0].split() == ["±", "a", "1", "2"]
    assert [line.split() for line in texts('{"a": 1}', '{"a": 2}', 40)] == [
        ["±", "a"],
        ["−", "1"],
        ["+", "2"],
    ]


def test_lines_that_took_each_others_place_are_beside_each_other() -> None:
    (line,) = [line for line in texts("x\nwind 3\ny", "x\nwind 4\ny", 100) if "wind" in line]
    assert line.index("wind 3") < 50 < line.index("wind 4")


@given(st.text(max_size=300), st.text(max_size=300), st.sampled_from([20, 40, 72, 120]))
def test_no_line_is_wider_than_the_screen(old: str, new: str, width: int) -> None:
    assert all(cell_len(line) <= width for line in texts(old, new, width))


@given(JSON, JSON, st.sampled_from([20, 40, 72, 120]))
def test_nor_is_one_of_json(old: Any, new: Any, width: int) -> None:
    assert all(cell_len(line) <= width for line in texts(json.dumps([old]), json.dumps([new]), width))


def test_hostile_text_is_shown_and_never_obeyed() -> None:
    lines = texts("\x1b[31m[b]x", "\x1b]0;t\x07[/b]\u202e", 100)
    assert not any(char in line for line in lines for char in "\x1b\x07\u202e")
