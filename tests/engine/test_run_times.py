"""How long a tool ran: the registry's statistics and the trace tell the same."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import xray
from workbench.engine.agent import Agent
from workbench.registry import ToolMetadata, ToolRegistry

PLAIN = ToolMetadata()
BESIDE = ToolMetadata(parallel_safe=True)
IN_PLACE = ToolMetadata(caller_thread=True)


def entries(agent: Agent) -> list[dict[str, Any]]:
    assert agent.current_session is not None
    return [entry for entry in agent.current_session["trace"] if entry["type"] == "tool_execution"]


def ask_somebody() -> str:
    """Ask a person, who takes a moment."""
    assert xray.agent is not None
    with xray.agent.human_wait("a question"):
        sum(range(200_000))
    return "asked"


async def ask_somebody_async() -> str:
    """The same on the loop."""
    await asyncio.sleep(0)
    return ask_somebody()


def ask_and_fail() -> str:
    """Ask, then raise."""
    ask_somebody()
    raise LookupError("lost")


async def handed_over() -> str:
    """What a plain function gives to be awaited."""
    return ask_somebody()


def hand_over() -> Any:
    """Give something to await."""
    return handed_over()


TOOLS = (ask_somebody, ask_somebody_async, ask_and_fail, hand_over)
CASES = [
    (tool, how) for tool in TOOLS for how in (PLAIN, BESIDE, IN_PLACE) if (tool, how) != (hand_over, IN_PLACE)
]


@pytest.mark.parametrize(("tool", "metadata"), CASES)
def test_the_statistics_have_the_times_of_the_trace_without_those_of_a_person(
    tool: Any, metadata: ToolMetadata
) -> None:
    registry = ToolRegistry()
    registry.register(tool, name="tool", metadata=metadata)
    agent = Agent("a", registry, llm=StrictLLM(calls(call("tool"), call("tool")), "done"))
    agent.input("go")
    found = entries(agent)
    assert [entry["human_ms"] > 0 for entry in found] == [True, True]
    assert sorted(registry.statistics("tool").recent_ms) == sorted(entry["timing"] for entry in found)
