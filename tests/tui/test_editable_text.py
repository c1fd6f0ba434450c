"""Arguments as text to be edited: whatever their size, the text is JSON for the same value."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.tui import json_view
from workbench.tui.json_view import editable_text

LEAVES = (
    st.none() | st.booleans() | st.integers() | st.text(st.sampled_from('a[]{},:" \\\n\u202e'), max_size=8)
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text("kK[{", max_size=3), inner), max_leaves=30
)


@pytest.fixture
def few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of more than two lines count as long ones."""
    monkeypatch.setattr(json_view, "_MOST_LINES", 2)


@pytest.mark.usefixtures("few_lines")
@given(st.dictionaries(st.text("ab", max_size=3), VALUES))
def test_a_text_whose_values_share_lines_holds_the_same_value(value: dict[str, Any]) -> None:
    assert json.loads(editable_text(value)) == value


def test_a_list_of_a_hundred_thousand_numbers_takes_lines_as_wide_as_a_screen() -> None:
    lines = editable_text({"numbers": list(range(100_000)), "name": "x"}).split("\n")
    assert len(lines) < 10_000
    assert max(len(line) for line in lines) <= 100
    assert lines[-2:] == ['  "name": "x"', "}"]


def test_a_short_list_has_a_line_for_each_value() -> None:
    assert editable_text({"a": [1, 2]}) == '{\n  "a": [\n    1,\n    2\n  ]\n}'
