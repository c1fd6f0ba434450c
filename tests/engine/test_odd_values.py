"""Exceptions and values whose own code is slow or broken delay no stop and break no turn."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine.agent import Agent
from workbench.registry import ToolMetadata, ToolRegistry


class Slow:
    """Its text comes when it is let go; ``asked`` is set once somebody wants it."""

    asked = threading.Event()
    released = threading.Event()

    def __str__(self) -> str:
        self.asked.set()
        self.released.wait(30)
        return "at last"

    __repr__ = __str__


class SlowError(Slow, Exception):
    """An exception like that."""


class LeavingError(Exception):
    """Its text ends the process."""

    def __str__(self) -> str:
        raise SystemExit("from __str__")


@pytest.fixture(autouse=True)
def slow() -> Iterator[None]:
    Slow.asked, Slow.released = threading.Event(), threading.Event()
    yield
    Slow.released.set()


def raises() -> str:
    """Fail slowly."""
    raise SlowError


def fails_near() -> str:
    """Fail with something slow at hand."""
    at_hand = Slow()
    raise ValueError(f"near {id(at_hand)}")


def gives() -> Any:
    """Give something slow."""
    return Slow()


async def raises_later() -> str:
    """Fail slowly on the loop."""
    raise SlowError


@pytest.mark.parametrize("tool", [raises, fails_near, gives, raises_later])
@pytest.mark.parametrize("parallel", [False, True])
def test_a_stop_does_not_wait_for_the_text_of_what_a_tool_raised_or_gave(tool: Any, parallel: bool) -> None:
    registry = ToolRegistry()
    registry.register(tool, metadata=ToolMetadata(parallel_safe=parallel))
    llm = StrictLLM(calls(*[call(tool.__name__)] * (1 + parallel)))
    agent = Agent("a", registry, llm=llm)
    answers: list[str] = []
    turn = threading.Thread(target=lambda: answers.append(agent.input("go")), daemon=True)
    turn.start()
    assert Slow.asked.wait(30)
    agent.stop()
    turn.join(30)
    assert answers == ["Stopped by the user."]
    assert not Slow.released.is_set()


def test_a_time_limit_covers_the_text_of_what_a_tool_raised() -> None:
    registry = ToolRegistry()
    registry.register(raises, metadata=ToolMetadata(timeout=0.05))
    llm = StrictLLM(calls(call("raises")), "done")
    agent = Agent("a", registry, llm=llm)
    assert agent.input("go") == "done"
    assert "longer than its limit" in llm.requests[1][-1]["content"]


def test_the_text_of_an_exception_is_made_once() -> None:
    made: list[int] = []

    class CountedError(Exception):
        def __str__(self) -> str:
            made.append(1)
            return "counted"

    def fail() -> str:
        """Fail."""
        raise CountedError

    llm = StrictLLM(calls(call("fail")), "done")
    agent = Agent("a", [fail], llm=llm)
    agent.tools.on_change(lambda event: None)
    agent.input("go")
    assert "CountedError: counted" in llm.requests[1][-1]["content"]
    assert len(made) <= 2  # once for its text, once inside the traceback


def test_an_exception_whose_text_ends_the_process_ends_nothing() -> None:
    def fail() -> str:
        """Fail."""
        raise LeavingError

    llm = StrictLLM(calls(call("fail")), "done")
    assert Agent("a", [fail], llm=llm).input("go") == "done"
    assert "its text cannot be shown: SystemExit" in llm.requests[1][-1]["content"]
