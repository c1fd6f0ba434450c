"""How the offline model reads calls in a prompt."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.providers.offline_prompt import WrittenCall, find_calls

Names = dict[str, list[str]]

TOOLS: Names = {
    "add": ["a", "b"],
    "files-read_file": ["path"],
    "files-write": ["path", "text"],
    "notes-write": ["text"],
}


def schemas(tools: Names = TOOLS) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {
                "name": name,
                "parameters": {"type": "object", "properties": {key: {} for key in properties}},
            },
        }
        for name, properties in tools.items()
    ]


def calls(text: str, known: tuple[str, ...] = ()) -> list[tuple[str, dict[str, Any]]]:
    found = find_calls(text, schemas(), known)
    assert not found.faults, [str(fault) for fault in found.faults]
    return [(call.name, call.arguments) for call in found.calls]


def fault(text: str) -> str:
    found = find_calls(text, schemas())
    assert len(found.faults) == 1, found
    return str(found.faults[0])


def test_several_calls_in_one_prompt_keep_their_order() -> None:
    assert calls('add(a=2, b=3) and then files.write(path="a", text="hi").') == [
        ("add", {"a": 2, "b": 3}),
        ("files-write", {"path": "a", "text": "hi"}),
    ]


def test_text_around_a_call_is_left_alone() -> None:
    assert calls("Could you add(2, 3) for me (please)?") == [("add", {"a": 2, "b": 3})]


@pytest.mark.parametrize("written", ["files-read_file", "files.read_file", "read_file"])
def test_a_tool_answers_to_its_safe_name_its_dotted_name_and_its_last_segment(written: str) -> None:
    assert calls(f'please {written}("x")') == [("files-read_file", {"path": "x"})]


def test_a_last_segment_of_two_tools_is_a_fault_that_names_both() -> None:
    assert "files-write, notes-write" in fault('write(text="x")')


def test_a_tool_called_earlier_is_still_called_after_it_was_switched_off() -> None:
    assert calls("and delete() that", known=("delete",)) == [("delete", {})]


def test_a_name_in_prose_that_is_no_tool_is_no_call() -> None:
    assert calls('I use foo(bar) and f(x), then print("y") in my code (sic)') == []


@pytest.mark.parametrize(
    "prompt",
    ["gone(1)", "gone(1);", "- gone(1)\n", "do this:\n```python\ngone(1)\n```", "in text, gone(arg1=1) too"],
)
def test_an_unknown_name_that_is_plainly_meant_as_a_call_is_one(prompt: str) -> None:
    assert calls(prompt) == [("gone", {"arg1": 1})]


def test_calls_in_a_fence_count_and_comments_do_not() -> None:
    assert calls("```python\n# add(1, 1)\nadd(2, 3)  # add(4, 4)\n```") == [
        ("add", {"a": 2, "b": 3}),
    ]


def test_a_call_inside_a_string_is_text() -> None:
    assert calls('files.write(path="a", text="add(a=1, b=2)")') == [
        ("files-write", {"path": "a", "text": "add(a=1, b=2)"})
    ]


def test_brackets_quotes_and_newlines_in_strings_do_not_end_a_call() -> None:
    text = 'files.write("a)", """one (\n"two" \')""",  # a comment with )\n)'
    assert calls(text) == [("files-write", {"path": "a)", "text": 'one (\n"two" \')'})]


def test_every_kind_of_literal_becomes_json() -> None:
    assert calls("add(a=-2.5, b=[1, (2, 'x'), {'k': None}, True])") == [
        ("add", {"a": -2.5, "b": [1, [2, "x"], {"k": None}, True]})
    ]


@pytest.mark.parametrize(
    ("prompt", "line", "column", "says"),
    [
        ("please add(1, x)", "please add(1, x)", 14, "`x` is a name"),
        ("add(a=1 b=2)", "add(a=1 b=2)", 6, "comma"),
        ("first\nadd(1,\n    2, 3)", "    2, 3)", 7, "one argument too many"),
        ("add('é', y)", "add('é', y)", 9, "`y` is a name"),
        ("add(a=1, a=2)", "add(a=1, a=2)", 9, "given twice"),
        ("add(1, a=2)", "add(1, a=2)", 7, "given twice"),
        ("add(*[1])", "add(*[1])", 4, "without `*`"),
        ("add(**{})", "add(**{})", 4, "without `**`"),
        ("add(a=true)", "add(a=true)", 6, "Python writes True"),
        ("add(a=add(1, 2))", "add(a=add(1, 2))", 6, "a call cannot be an argument"),
        ("add(a=1e999)", "add(a=1e999)", 6, "no place in JSON"),
        ("add(a={1, 2})", "add(a={1, 2})", 6, "only literals"),
        ("add(a={1: 2})", "add(a={1: 2})", 7, "keys of a dict"),
        ("add(1, 2", "add(1, 2", 3, "never closed"),
        ('add("1, 2)', 'add("1, 2)', 3, "never closed"),
        ("\tadd(b)", "    add(b)", 8, "`b` is a name"),
    ],
)
def test_a_fault_points_at_its_column(prompt: str, line: str, column: int, says: str) -> None:
    shown = fault(prompt).split("\n")
    assert shown[0] == line
    assert shown[1].index("^") == column
    assert says in "\n".join(shown[1:])


def test_a_caret_in_a_long_line_stands_below_its_place_and_both_fit() -> None:
    prompt = f"add(a='{'x' * 90}', b=wrong, c='{'y' * 90}')"
    line, carets, *said = fault(prompt).split("\n")
    assert max(len(line), len(carets), *map(len, said)) <= 80
    assert len(line) == 40
    assert line.startswith("…")
    assert line.endswith("…")
    assert line[carets.index("^") :].startswith("wrong, c=")
    assert "`wrong` is a name" in "\n".join(said)


def test_a_fault_in_the_second_call_keeps_the_first_readable() -> None:
    found = find_calls("add(1, 2)\nadd(1, x)", schemas())
    assert found.calls == (WrittenCall("add", {"a": 1, "b": 2}),)
    assert len(found.faults) == 1


def test_a_pasted_megabyte_of_open_brackets_is_given_up_soon() -> None:
    assert find_calls("f(" * 500_000, schemas()).calls == ()


@given(st.text())
def test_no_text_makes_the_reader_fail(text: str) -> None:
    find_calls(text, schemas())
    find_calls(f"add({text})", schemas())


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_every_json_value_written_as_python_comes_back_as_it_was(value: Any) -> None:
    assert calls(f"see add(a={value!r}) here") == [("add", {"a": value})]
