"""Parameters as people write them."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.errors import ConfigError
from workbench.providers.parameters import PARAMETERS, check_parameters, read_parameter


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("temperature", "0.2", 0.2),
        ("temperature", "1", 1),
        ("max_tokens", "4000", 4000),
        ("reasoning_effort", "low", "low"),
        ("base_url", "http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        ("timeout", "30", 30),
        ("timeout", "", None),
    ],
)
def test_what_is_written_becomes_a_value(name: str, text: str, value: Any) -> None:
    assert read_parameter(name, text) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("temperature", "warm"),
        ("temperature", "2.5"),
        ("temperature", "NaN"),
        ("temperature", "true"),
        ("max_tokens", "1.5"),
        ("max_tokens", "0"),
        ("reasoning_effort", "extreme"),
        ("base_url", "localhost:8080"),
        ("base_url", "http://"),
        ("base_url", "http://here:port"),
        ("timeout", "-1"),
    ],
)
def test_a_value_that_cannot_be_is_refused_with_what_could(name: str, text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_parameter(name, text)
    assert str(caught.value) == f"{name}: expected {PARAMETERS[name].expects}, got {text!r}."


def test_a_name_that_is_none_is_told_those_that_are() -> None:
    with pytest.raises(ConfigError, match="no parameter temprature") as caught:
        read_parameter("temprature", "1")
    assert "temperature, reasoning_effort, max_tokens, base_url, timeout" in caught.value.hint


def test_a_file_may_hold_parameters_that_nobody_here_knows() -> None:
    check_parameters("config.yaml: parameters", {"top_k": "anything", "temperature": 0.5, "timeout": None})
    with pytest.raises(ConfigError, match=r"^config.yaml: parameters: timeout: expected a number of seconds"):
        check_parameters("config.yaml: parameters", {"timeout": "soon"})
