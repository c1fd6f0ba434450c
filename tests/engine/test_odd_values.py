"""Exceptions and values whose own code is slow or broken delay no stop and break no turn."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import after_llm
from workbench.engine.agent import Agent
from workbench.engine.llm import LLMResponse, ToolCall
from workbench.errors import HookError, ProviderError, StopTurn
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


class SlowExit(Slow, BaseException):
    """One that is no error."""


class SlowStop(Slow, StopTurn):
    """One that ends the turn."""


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


def leaves() -> str:
    """Leave slowly."""
    raise SlowExit


def stops() -> str:
    """End the turn slowly."""
    raise SlowStop


async def leaves_later() -> str:
    """Leave slowly on the loop."""
    raise SlowExit


async def raises_later() -> str:
    """Fail slowly on the loop."""
    raise SlowError


@pytest.mark.parametrize("tool", [raises, fails_near, leaves, stops, gives, raises_later, leaves_later])
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


class OwnText(str):
    """A text whose methods do not work."""

    __slots__ = ()

    def isascii(self) -> bool:
        raise ValueError("no")

    __str__ = __len__ = encode = isascii  # type: ignore[assignment]  # what is asked of a text


class OwnTextError(Exception):
    def __str__(self) -> str:
        return OwnText("odd")


def test_a_text_of_a_class_of_its_own_is_a_text() -> None:
    def gives() -> str:
        """Give it."""
        return OwnText("odd")

    async def gives_later() -> str:
        """Give it on the loop."""
        return OwnText("odd")

    def raises() -> str:
        """Raise it."""
        raise OwnTextError

    llm = StrictLLM(calls(call("gives"), call("gives_later"), call("raises")), "done")
    assert Agent("a", [gives, gives_later, raises], llm=llm).input("go") == "done"
    assert [type(m["content"]) for m in llm.requests[1][-3:]] == [str] * 3
    assert [m["content"] for m in llm.requests[1][-3:-1]] == ["odd", "odd"]


@pytest.mark.parametrize(
    ("response", "fault"),
    [
        (LLMResponse("x", [{"name": "gives"}]), "dict among its tool_calls"),  # type: ignore[list-item]  # the point
        (
            LLMResponse("x", [ToolCall("1", "gives", {"kind": 1})]),  # type: ignore[arg-type]  # the point
            r"the id of the call 1 is a dict: it is ToolCall\(name, arguments, id\)",
        ),
        (LLMResponse("x", "gives"), "its tool_calls is str"),  # type: ignore[arg-type]  # the point
        (LLMResponse(5), "its content is int"),  # type: ignore[arg-type]  # the point
        (LLMResponse("x", usage={"input": 1}), "its usage is dict"),  # type: ignore[arg-type]  # the point
        (LLMResponse("x", [ToolCall(None)]), "the name of a call is NoneType"),  # type: ignore[arg-type]  # the point
    ],
)
def test_a_response_that_cannot_be_used_is_the_models_fault_or_the_handlers(
    response: LLMResponse, fault: str
) -> None:
    with pytest.raises(ProviderError, match=fault):
        Agent("a", llm=StrictLLM(response)).input("go")

    def spoil(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["llm_response"] = response

    agent = Agent("a", llm=StrictLLM("fine", "again"), on_events=[after_llm(spoil)])
    with pytest.raises(HookError, match=fault):
        agent.input("go")
    agent.hooks.remove(spoil)
    assert agent.input("on") == "again"


@pytest.mark.parametrize("call_id", [7, b"x", "torn \ud800", ["a"]])
def test_an_id_that_no_provider_takes_is_exchanged(call_id: Any) -> None:
    def gives() -> str:
        """Give something."""
        return "here"

    llm = StrictLLM(calls(ToolCall("gives", {}, call_id)), "done")
    assert Agent("a", [gives], llm=llm).input("go") == "done"
    assert not llm.refusals


def test_a_number_with_too_many_digits_is_the_models_to_mend() -> None:
    llm = StrictLLM(calls(ToolCall("gives", '{"n": ' + "9" * 5000 + "}")), "done")  # type: ignore[arg-type]  # as a provider sends it

    def gives(n: int) -> int:
        """Give it back."""
        return n

    assert Agent("a", [gives], llm=llm).input("go") == "done"
    assert "too many digits" in llm.requests[1][-1]["content"]


def test_an_iterator_that_fails_half_way_says_so_to_the_model() -> None:
    def rows() -> Any:
        """Some rows."""
        return (1 // (2 - number) for number in range(5))

    llm = StrictLLM(calls(call("rows")), "done")
    Agent("a", [rows], llm=llm).input("go")
    assert "ZeroDivisionError" in llm.requests[-1][-1]["content"]


@pytest.mark.parametrize("key", ["messages", "trace", "turn", "iteration", "user_prompt"])
def test_the_turn_after_a_handler_took_a_key_out_of_the_session_works(key: str) -> None:
    agent = Agent("a", llm=StrictLLM("one", "two"))
    agent.input("first")
    assert agent.current_session is not None
    del agent.current_session[key]
    assert agent.input("second") == "two"
