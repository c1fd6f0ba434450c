"""The inspector's page about an error, and the source that it leads to."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tui.panel_app import PanelApp
from tests.tui.test_inspector import called, inspecting, screen_text, version
from workbench.engine.faults import describe_fault
from workbench.tui.inspector_about import About
from workbench.tui.lab_wishes import OpenSource

CHAIN = """\
Traceback (most recent call last):
  File "tools/rates.py", line 18, in read
    return table[currency]
           ~~~~~^^^^^^^^^^
KeyError: 'USD'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "tools/bank.py", line 34, in convert
    raise ValueError("no rate") from error
ValueError: no rate
"""


def frame(file: str, line: int, function: str, error: str, **values: str) -> dict[str, Any]:
    return {"file": file, "line": line, "function": function, "error": error, "locals": values}


READ = frame("tools/rates.py", 18, "read", "KeyError: 'USD'", table="{'EUR': 1.0}")
CONVERT = frame("tools/bank.py", 34, "convert", "ValueError: no rate", note="'wrapped'")


def failed(*frames: dict[str, Any], traceback: str = CHAIN, error: str = "no rate") -> dict[str, Any]:
    told = {"error": error, "error_type": "ValueError", "result": error, "traceback": traceback}
    return {**told, "failing_frame": frames[-1], "frames": list(frames)}


async def test_each_error_of_a_chain_has_its_own_values_below_its_traceback() -> None:
    async with inspecting(called(status="error", **failed(READ, CONVERT))) as (screen, _):
        lines = [line.partition("   Time")[0].strip() for line in screen_text(screen).split("\n")]
        order = [
            "▎     return table[currency]",
            "values in read, line 18",
            "The above exception was the direct cause of the following exception:",
            '▎     raise ValueError("no rate") from error',
            "values in convert, line 34",
        ]
        places = [next(at for at, line in enumerate(lines) if said in line) for said in order]
        assert places == sorted(places)
        assert "{'EUR': 1.0}" in lines[places[1] + 1]
        assert "'wrapped'" in lines[places[4] + 1]
        assert sum("KeyError: 'USD'" in line for line in lines) == 1  # above its values, not beside them too


async def test_values_of_a_frame_that_the_traceback_does_not_name_stand_at_its_end() -> None:
    other = frame("other.py", 1, "inner", "OSError: gone", path="'/x'")
    async with inspecting(called(status="error", **failed(other, CONVERT))) as (screen, _):
        shown = screen_text(screen)
        assert shown.index("values in convert") < shown.index("values in inner, line 1  OSError: gone")


async def test_of_errors_told_within_one_traceback_the_values_say_whose_they_are() -> None:
    group = "".join(f"  | {line}\n" for line in CHAIN.split("\n"))
    async with inspecting(called(status="error", **failed(READ, CONVERT, traceback=group))) as (screen, _):
        assert "values in read, line 18  KeyError: 'USD'" in screen_text(screen)


async def test_a_message_that_has_no_room_beside_its_kind_stands_below_it_alone() -> None:
    said = "the rate of this currency is not known to the bank " * 3
    async with inspecting(called(status="error", **failed(READ, error=said, traceback=""))) as (screen, _):
        lines = [line[:80].strip() for line in screen_text(screen).split("\n")]
        at = lines.index("ValueError")
        assert said.startswith(lines[at + 1])
        assert not any("…" in line for line in lines)


async def test_values_that_were_not_kept_are_counted() -> None:
    many = {**CONVERT, "more": 40}
    async with inspecting(called(status="error", **failed(READ, many))) as (screen, _):
        assert "40 more are not kept" in screen_text(screen)


async def test_what_the_model_received_is_broken_between_words() -> None:
    said = "the rate of this currency is not known to the bank " * 3
    async with inspecting(called(status="error", **failed(READ, CONVERT, error=said))) as (screen, _):
        lines = screen_text(screen).split("\n")
        at = next(at for at, line in enumerate(lines) if "the model received" in line)
        assert set(lines[at][:80].split()) <= {*said.split(), "the", "model", "received"}
        assert lines[at + 1].split()[0] in said.split()


def library_error() -> dict[str, Any]:
    try:
        __import__("json").loads("{")
    except ValueError as error:
        return describe_fault(error)
    raise AssertionError("it did not fail")


@pytest.mark.parametrize(
    ("fault", "place"),
    [
        (failed(READ, CONVERT), ("tools/bank.py", 34)),
        (failed(frame("<string>", 3, "f", "ValueError: x")), ("/tools/bank.py", 7)),
        (library_error(), (__file__, library_error().get("frames", [{"line": 0}])[0]["line"])),
    ],
)
async def test_the_source_of_an_error_is_the_last_line_of_ones_own(
    fault: dict[str, Any], place: tuple[str, int]
) -> None:
    found = called(status="error", **fault)
    async with inspecting(found, about=About(None, version(1), version(1))) as (_, pilot):
        await pilot.press("o")
        await pilot.pause()
        app = pilot.app
        assert isinstance(app, PanelApp)
        assert [message.wish for message in app.kept] == [OpenSource(*place)]


async def test_of_a_place_without_room_the_file_and_the_line_are_seen() -> None:
    traceback = CHAIN.replace("tools/rates.py", "/home/ann/projects/money/tools/rates.py")
    fault = failed(READ, CONVERT, traceback=traceback)
    async with inspecting(called(status="error", **fault), size=(40, 30)) as (screen, _):
        assert "money/tools/rates.py:18  in read" in screen_text(screen)
