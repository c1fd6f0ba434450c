"""JSON that a person writes is refused where no model or tool could be sent it, and told why."""

from __future__ import annotations

import pytest

from workbench.tui.json_reading import read_json


@pytest.mark.parametrize("others", [0, 50_000])
def test_the_first_key_that_stands_twice_is_named_among_however_many(others: int) -> None:
    keys = [*(f"k{number}" for number in range(others)), "a", "b", "b", "a"]
    with pytest.raises(ValueError, match='the key "a" stands twice in an object'):
        read_json("{" + ", ".join(f'"{key}": 1' for key in keys) + "}")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[NaN]", "not JSON: it has no NaN"),
        ("[-Infinity]", "not JSON: it has no -Infinity"),
        ("[1e999]", "not a number that can be kept: 1e999 is too large"),
        ("9" * 5_000, "not a number that can be read: too many digits"),
        ("[" * 100_000, "not a value that can be read: nested deeper than"),
        ("[" * 200 + "]" * 200, "not a value that can be read: nested deeper than"),
    ],
)
def test_what_python_would_let_pass_is_refused_in_words(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_json(text)
