"""Observers are told when a call begins, after everything that could have kept it from running."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.engine import Agent, before_each_tool
from workbench.engine.llm import LLMResponse, ToolCall
from workbench.engine.observer import Observer
from workbench.errors import ToolRejected
from workbench.registry import PermissionPolicy, PermissionResult, ToolMetadata, ToolRegistry


class Script:
    """Asks for the calls once, then answers."""

    def __init__(self, *names: str) -> None:
        self.answers = [LLMResponse(tool_calls=[ToolCall(n, {}, n) for n in names]), LLMResponse("ok")]

    def complete(self, messages: Any, tools: Any = None) -> LLMResponse:
        return self.answers.pop(0)


class Starts(Observer):
    """Notes what begins, in one list with what the tools note."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def call_started(self, agent: Agent, call_id: str) -> None:
        self.seen.append(f"{agent.name} begins {call_id}")


@pytest.fixture
def starts() -> Starts:
    return Starts()


@pytest.fixture
def tools(starts: Starts) -> ToolRegistry:
    """A plain tool, an async one, one for the caller's thread, and two that may run side by side."""
    registry = ToolRegistry()

    def plain() -> None:
        starts.seen.append("plain")

    async def awaited() -> None:
        starts.seen.append("awaited")

    registry.register(plain)
    registry.register(awaited)
    registry.register(plain, name="bound", metadata=ToolMetadata(caller_thread=True))
    registry.register(plain, name="beside", metadata=ToolMetadata(parallel_safe=True))
    registry.register(awaited, name="abeside", metadata=ToolMetadata(parallel_safe=True))
    return registry


@pytest.mark.parametrize(
    ("name", "says"), [("plain", "plain"), ("awaited", "awaited"), ("bound", "plain"), ("beside", "plain")]
)
def test_it_is_told_right_before_the_tools_code(
    name: str, says: str, starts: Starts, tools: ToolRegistry
) -> None:
    Agent("helper", tools, llm=Script(name), observers=[starts]).input("go")
    assert starts.seen == [f"helper begins {name}", says]


def test_it_is_told_of_calls_that_run_side_by_side(starts: Starts, tools: ToolRegistry) -> None:
    Agent("helper", tools, llm=Script("beside", "abeside"), observers=[starts]).input("go")
    for name, says in (("beside", "plain"), ("abeside", "awaited")):
        assert starts.seen.index(f"helper begins {name}") < starts.seen.index(says)
    assert len(starts.seen) == 4


def test_it_is_not_told_of_a_call_that_does_not_run(starts: Starts, tools: ToolRegistry) -> None:
    @before_each_tool
    def refuse(agent: Agent) -> None:
        assert starts.seen == []
        if agent.current_session and agent.current_session["pending_tool"]["name"] == "plain":
            raise ToolRejected("no")

    policy = PermissionPolicy(default=PermissionResult.DENY)
    tools.disable("bound", "not now")
    Agent(
        "helper",
        tools,
        llm=Script("plain", "awaited", "bound", "unknown"),
        observers=[starts],
        on_events=[refuse],
        trust=policy,
    ).input("go")
    assert starts.seen == []
