"""Plain values as JSON text: what the standard encoder writes, and errors for what JSON does not have."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.engine import results
from workbench.engine.results import encode_json

LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
KEYS = st.text() | st.integers() | st.booleans() | st.none()
PLAIN = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(KEYS, inner),
    max_leaves=20,
)


def without_the_fast_one(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], str]:
    monkeypatch.setattr(json.encoder, "c_make_encoder", None)
    return results._json_encoder()


@given(PLAIN)
def test_a_plain_value_is_written_as_the_standard_encoder_writes_it(value: object) -> None:
    assert encode_json(value) == json.dumps(value, ensure_ascii=False, allow_nan=False)


def test_a_python_without_the_fast_encoder_writes_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    value = {"a": [1, 2.5, None, True, "ü\n"], "b": {}}
    assert without_the_fast_one(monkeypatch)(value) == encode_json(value)


@pytest.mark.parametrize("value", [math.nan, math.inf, [-math.inf], {"a": math.nan}])
def test_numbers_that_json_does_not_have_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match="float"):
        encode_json(value)


def test_an_object_that_json_does_not_know_is_refused_by_its_type() -> None:
    with pytest.raises(TypeError, match="of type object is not JSON serializable"):
        encode_json({"a": object()})


def test_a_value_that_contains_itself_is_refused_as_long_as_it_does() -> None:
    loop: list[object] = []
    loop.append({"again": loop})
    with pytest.raises((RecursionError, ValueError)):
        encode_json(loop)
    loop[:] = [1, 2]
    assert encode_json(loop) == "[1, 2]"
