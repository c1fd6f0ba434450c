"""An error of a person's own code is told by that person's own frames."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from workbench import Agent, before_llm
from workbench.console.raised import raised_lines


def raised_by(work: Callable[[], object]) -> list[str]:
    """The lines about what this raises."""
    try:
        work()
    except Exception as error:
        return list(raised_lines(error))
    raise AssertionError("nothing was raised")


def deep(left: int) -> None:
    """Raise further down."""
    if left:
        deep(left - 1)
    raise LookupError("at the\nbottom")


def test_frames_of_libraries_and_of_the_workbench_are_left_out() -> None:
    @before_llm
    def bad(_agent: object) -> None:
        json.loads("{")

    agent = Agent("a", quiet=True, log=False, on_events=[bad])
    first, *frames = raised_by(lambda: agent.input("hi"))
    assert first.startswith("JSONDecodeError: Expecting property name")
    assert "in the before_llm handler" in first
    assert [Path(frame.split(":")[0]).name for frame in frames] == ["test_raised.py"] * 3
    assert frames[-1].endswith('in bad   json.loads("{")')


def test_of_many_frames_the_last_are_shown_and_the_others_counted() -> None:
    first, rest, *frames = raised_by(lambda: deep(20))
    assert first == "LookupError: at the bottom"
    assert rest == "  … 17 frames"
    assert len(frames) == 6
    assert frames[-1].endswith('in deep   raise LookupError("at the\\nbottom")')


def test_a_file_of_the_working_directory_is_named_from_there_on(own_folder: Path) -> None:
    (own_folder / "mine.py").write_text("1 / 0\n")
    code = compile("1 / 0\n", str(own_folder / "mine.py"), "exec")
    assert raised_by(lambda: exec(code))[-1] == "  mine.py:1 in <module>   1 / 0"
