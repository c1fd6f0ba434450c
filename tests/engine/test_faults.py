"""What is kept of an exception: the frames of everything that led to it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from workbench.engine.faults import describe_fault


class Unshowable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


class Silent:
    def __repr__(self) -> str:
        raise RuntimeError("no text")


def read(currency: str) -> float:
    table = {"EUR": 1.0}
    return table[currency]


def convert(currency: str) -> float:
    try:
        return read(currency)
    except KeyError as error:
        note = "wrapped"
        raise ValueError(f"no rate, {note}") from error


def handle(currency: str) -> float:
    try:
        return read(currency)
    except KeyError:
        fallback: dict[str, float] = {}
        return fallback["other"]


def hide(currency: str) -> float:
    try:
        return read(currency)
    except KeyError:
        raise ValueError("plain") from None


def parse(text: str) -> Any:
    kept = len(text)
    return json.loads(text), kept


def gather(currency: str) -> None:
    errors = []
    for each in (currency, "GBP"):
        try:
            read(each)
        except KeyError as error:
            errors.append(error)
    raise ExceptionGroup("several", errors)


def retry(times: int) -> None:
    try:
        raise OSError(times)
    except OSError as error:
        if times:
            retry(times - 1)
        raise ValueError(times) from error


def fault(failing: Callable[[Any], object], argument: object = "USD") -> dict[str, Any]:
    try:
        failing(argument)
    except Exception as error:
        return describe_fault(error)
    raise AssertionError("it did not fail")


def told(facts: dict[str, Any]) -> list[tuple[str, str]]:
    return [(frame["function"], frame["error"]) for frame in facts.get("frames", ())]


def test_an_error_without_a_cause_has_its_failing_frame_alone() -> None:
    facts = fault(read)
    assert facts["failing_frame"]["locals"] == {"currency": "'USD'", "table": "{'EUR': 1.0}"}
    assert "frames" not in facts


def test_the_values_of_the_first_cause_are_kept_before_those_of_what_it_led_to() -> None:
    facts = fault(convert)
    assert told(facts) == [("read", "KeyError: 'USD'"), ("convert", "ValueError: no rate, wrapped")]
    assert facts["frames"][0]["locals"]["table"] == "{'EUR': 1.0}"
    assert facts["frames"][1]["locals"]["note"] == "'wrapped'"
    assert facts["failing_frame"]["function"] == "convert"


def test_an_error_while_another_is_handled_keeps_the_values_of_both() -> None:
    assert told(fault(handle)) == [("read", "KeyError: 'USD'"), ("handle", "KeyError: 'other'")]


def test_a_cause_that_was_hidden_on_purpose_stays_hidden() -> None:
    facts = fault(hide)
    assert "frames" not in facts
    assert "KeyError" not in facts["traceback"]


def test_of_an_error_within_a_library_the_frame_that_called_it_is_kept_too() -> None:
    facts = fault(parse, "{")
    assert [frame["function"] for frame in facts["frames"]] == ["parse", "JSONDecoder.raw_decode"]
    assert facts["frames"][0]["locals"] == {"text": "'{'", "kept": "1"}


def test_what_the_system_has_installed_is_a_library_too() -> None:
    space: dict[str, Any] = {}
    code = "def read(text):\n    raise ValueError(text)\n"
    exec(compile(code, "/usr/lib/python3/dist-packages/reader.py", "exec"), space)

    def ask(text: str) -> None:
        space["read"](text)

    facts = fault(ask, "x")
    assert [frame["function"].rpartition(".")[2] for frame in facts["frames"]] == ["ask", "read"]


def test_a_group_is_told_before_what_it_holds() -> None:
    facts = fault(gather)
    assert [function for function, _ in told(facts)] == ["gather", "read", "read"]
    assert [frame["locals"]["currency"] for frame in facts["frames"][1:]] == ["'USD'", "'GBP'"]


def test_of_a_long_chain_the_first_cause_and_the_last_consequence_are_kept() -> None:
    facts = fault(retry, 40)
    assert len(facts["frames"]) == 12
    assert facts["frames"][0]["error"] == "OSError: 40"
    assert facts["frames"][-1]["error"] == "ValueError: 0"


def test_a_chain_that_comes_back_to_itself_ends() -> None:
    first, second = ValueError("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first

    def fail(_: object) -> None:
        raise first

    assert fault(fail)["error"] == "first"


def test_an_error_and_values_that_cannot_be_shown_do_no_harm() -> None:
    def fail(_: object) -> None:
        silent = Silent()
        try:
            raise Unshowable
        except Unshowable as error:
            raise ValueError(id(silent)) from error

    facts = fault(fail)
    assert facts["frames"][0]["error"] == "Unshowable: (its text cannot be shown: RuntimeError)"
    assert facts["frames"][0]["locals"]["silent"].startswith("<Silent instance")


@pytest.mark.parametrize("size", [10, 100, 1_000_000])
def test_what_is_kept_of_values_is_bounded(size: int) -> None:
    def fail(_: object) -> None:
        text = "x" * size
        items = list(range(size))
        raise ValueError(len(text) + len(items))

    assert all(len(shown) < 400 for shown in fault(fail)["failing_frame"]["locals"].values())


def test_of_very_many_values_the_rest_is_counted() -> None:
    code = "\n".join(["def fail(_):", *(f"    a{at} = {at}" for at in range(99)), "    raise ValueError"])
    names: dict[str, Any] = {}
    exec(code, names)
    frame = fault(names["fail"])["failing_frame"]
    assert (len(frame["locals"]), frame["more"]) == (60, 40)
