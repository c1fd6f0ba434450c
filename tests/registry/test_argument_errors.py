"""Wrong arguments are answered in words that a model can act on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from workbench.errors import ToolArgumentsError
from workbench.registry import ToolRegistry


@dataclass
class Point:
    x: int
    y: int


@dataclass
class Spot:
    x: str
    y: int


def add(a: int, b: int) -> int:
    return a + b


def draw(
    points: list[Point],
    mode: Literal["line", "dots"] = "line",
    size: Annotated[int, Field(gt=0)] = 1,
    label: int | str | None = None,
) -> None: ...


def text_of(function: Any, arguments: Any) -> str:
    registry = ToolRegistry()
    registry.register(function)
    with pytest.raises(ToolArgumentsError) as caught:
        registry.call(function.__name__, arguments)
    text = str(caught.value)
    assert "pydantic" not in text
    assert "http" not in text
    assert registry.statistics(function.__name__).validation_failures == 1
    return text


ADD = "Expected: a (integer, required), b (integer, required)."


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"a": "abc", "b": 1}, f"a: expected an integer, got 'abc'. {ADD}"),
        ({"b": 1}, f"a: missing. {ADD}"),
        ({"a": 1, "b": 2, "c": 3}, f"c: no such argument. {ADD}"),
        ({"a": 1, "B": 2}, f"b: missing; B: no such argument (did you mean b?). {ADD}"),
        ({"a": None, "b": [1]}, f"a: expected an integer, got None; b: expected an integer, got [1]. {ADD}"),
        ([1, 2], f"the arguments must be a JSON object, got [1, 2]. {ADD}"),
        ("[1]", f"the arguments must be a JSON object, got [1]. {ADD}"),
        (None, f"the arguments must be a JSON object, got None. {ADD}"),
    ],
)
def test_each_fault_is_named_and_then_what_would_be_right(arguments: Any, text: str) -> None:
    assert text_of(add, arguments) == text


@pytest.mark.parametrize("malformed", ["{oops", "", '{"a": 1', "{'a': 1}"])
def test_malformed_json_never_becomes_a_call(malformed: str) -> None:
    assert text_of(add, malformed).startswith("the arguments are not valid JSON")


def test_json_text_and_lax_values_are_read() -> None:
    registry = ToolRegistry()
    registry.register(add)
    assert registry.call("add", '{"a": "5", "b": 2.0}') == 7


def test_a_fault_deep_inside_is_named_by_its_path() -> None:
    text = text_of(draw, {"points": [{"x": 1, "y": 2}, {"x": "q"}]})
    assert text.startswith(
        "points[1].x: expected an integer, got 'q'; points[1].y: missing. Expected: points"
    )


def test_choices_limits_and_unions_are_said_in_words() -> None:
    text = text_of(draw, {"points": [], "mode": "dash", "size": 0, "label": [1]})
    assert "mode: expected 'line' or 'dots', got 'dash'" in text
    assert "size: expected greater than 0, got 0" in text
    assert "label: expected an integer or a string, got [1]" in text
    assert "mode (one of 'line', 'dots', default 'line')" in text
    assert "label (integer or string or null, optional)" in text


def test_a_fault_that_every_member_of_a_union_has_is_said_once() -> None:
    def place(at: Point | Spot) -> None: ...

    assert text_of(place, {"at": {"y": 1}}).startswith("at.x: missing. Expected: at")


def test_a_long_value_is_cut_and_says_how_long_it_is() -> None:
    text = text_of(add, {"a": "x" * 5000, "b": 1})
    assert "(5,002 characters)" in text
    assert len(text) < 250


def test_many_faults_are_counted_not_all_listed() -> None:
    text = text_of(add, {"a": 1, "b": 1, **{f"k{n}": n for n in range(50)}})
    assert "and 30 more" in text
