"""Arguments put together from parts are described and validated as pydantic does it in one piece."""

from __future__ import annotations

import datetime as dt
import decimal
import pathlib
import uuid
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from workbench.registry import contracts
from workbench.registry.json_schema import tidy
from workbench.registry.plain_types import is_plain

SCALARS = st.sampled_from(
    [
        *(str, int, float, bool, Any, dt.date, dt.datetime, dt.time, dt.timedelta, uuid.UUID),
        *(decimal.Decimal, pathlib.Path, Literal["a", 1], Literal[True] | None),
    ]
)
HINTS = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        inner.map(lambda hint: list.__class_getitem__(hint)),
        inner.map(lambda hint: dict.__class_getitem__((str, hint))),
        inner.map(lambda hint: tuple.__class_getitem__((hint, ...))),
        inner.map(lambda hint: hint | None),
        st.tuples(inner, inner).map(tuple.__class_getitem__),
        st.tuples(inner, inner).map(lambda pair: pair[0] | pair[1]),
    ),
    max_leaves=4,
)
VALUES: list[Any] = [
    "a",
    1,
    1.5,
    True,
    None,
    "2020-01-01",
    [1],
    {"a": 1},
    ["a", "b"],
    "5" * 32,
    {"a": [None]},
]


def told(validate: Any, arguments: dict[str, Any]) -> Any:
    try:
        return validate(arguments)
    except ValidationError as error:
        return [(each["loc"], each["type"], each["msg"]) for each in error.errors(include_url=False)]


@given(HINTS)
def test_parts_put_together_are_what_pydantic_makes_in_one_piece(hint: Any) -> None:
    assert is_plain(hint)
    types, required = {"x": hint, "y": int}, {"x"}
    validator, schema = contracts.contract_of(types, required)
    adapter: TypeAdapter[Any] = TypeAdapter(contracts._typed_dict(types, required))
    assert tidy(schema) == tidy(adapter.json_schema(schema_generator=contracts._WithoutTitles))
    for value in VALUES:
        given = {"x": value}
        assert told(validator.validate_python, given) == told(adapter.validator.validate_python, given)


@pytest.mark.parametrize("arguments", [{"z": 1, "x": 1}, {}, {"x": 1, "y": "no"}])
def test_what_is_wrong_is_told_in_the_same_words(arguments: dict[str, Any]) -> None:
    types, required = {"x": int, "y": int}, {"x"}
    adapter: TypeAdapter[Any] = TypeAdapter(contracts._typed_dict(types, required))
    validator, _ = contracts.contract_of(types, required)
    assert told(validator.validate_python, arguments) == told(adapter.validator.validate_python, arguments)
    assert isinstance(told(validator.validate_python, arguments), list)


def test_the_order_in_a_union_is_kept_though_python_calls_both_equal() -> None:
    _, first = contracts.contract_of({"x": int | str}, {"x"})
    _, second = contracts.contract_of({"x": str | int}, {"x"})
    assert [each["type"] for each in first["properties"]["x"]["anyOf"]] == ["integer", "string"]
    assert [each["type"] for each in second["properties"]["x"]["anyOf"]] == ["string", "integer"]
