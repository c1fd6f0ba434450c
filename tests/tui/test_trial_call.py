"""The call that a first screen proposes is one that can be made."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

import pytest

from tests.tui.driving import driven
from workbench.compose import Agent, build_agent
from workbench.providers.base import create_llm
from workbench.registry import PermissionPolicy, Tool, ToolMetadata, ToolRegistry, ToolTag, tool
from workbench.tui.events import Post
from workbench.tui.trial_call import trial_call


class Unit(Enum):
    EURO = "EUR"
    DOLLAR = "USD"


def _reads(function: Callable[..., Any]) -> Callable[..., Any]:
    return tool(tags={ToolTag.READ_ONLY})(function)


@_reads
def weather(city: str, days: int = 3) -> str:
    """The weather."""
    return f"sunny in {city}"


@_reads
def rate(unit: Unit, year: int) -> float:
    """A rate."""
    return 1.0 * year


@_reads
def read_file(path: str) -> str:
    """Read."""
    return path


@_reads
def many(values: list[int]) -> int:
    """Many."""
    return sum(values)


@_reads
def now() -> str:
    """The time."""
    return "now"


def wipe(count: int) -> int:
    """Remove."""
    return count


@pytest.mark.parametrize(
    ("functions", "call"),
    [
        ((wipe, now, many, read_file), ""),
        ((wipe, weather), 'weather(city="hello")'),
        ((weather, rate), 'rate(unit="EUR", year=3)'),
        ((), ""),
    ],
)
def test_a_call_is_proposed_of_a_tool_that_reads_and_takes_plain_values(
    functions: tuple[Callable[..., Any], ...], call: str
) -> None:
    registry = ToolRegistry(PermissionPolicy.careful())
    for function in functions:
        registry.register(function, namespace="mine")
    assert trial_call(registry) == call


@pytest.mark.parametrize(
    ("schema", "call"),
    [
        (True, ""),
        ({"type": ["string", "null"]}, ""),
        ({"type": ["string", "integer"]}, "elsewhere(a=2)"),
        ({"type": {"is": "string"}}, ""),
        ({"type": "string", "enum": 5}, 'elsewhere(a="hello")'),
        ({"type": "string", "examples": ["\x1b[31m"]}, r'elsewhere(a="\u001b[31m")'),
        ({"type": "integer", "minimum": "3"}, ""),
        ({"anyOf": 3}, ""),
        ({"anyOf": [True, {"type": "integer"}]}, ""),
    ],
)
def test_a_schema_from_elsewhere_may_say_anything(schema: object, call: str) -> None:
    registry = ToolRegistry(PermissionPolicy.careful())
    parameters = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    reads = ToolMetadata(tags={ToolTag.READ_ONLY})
    registry.register(Tool.from_schema(str, name="elsewhere", parameters=parameters, metadata=reads))
    assert trial_call(registry) == call


def test_what_is_off_or_asks_is_not_proposed_and_a_name_that_two_have_is_written_whole() -> None:
    registry = ToolRegistry(PermissionPolicy.careful())
    registry.register(weather, namespace="one")
    registry.register(weather, namespace="two")
    registry.disable("one.weather")
    assert trial_call(registry) == 'two.weather(city="hello")'
    registry.policy = PermissionPolicy.strict()
    assert trial_call(registry) == ""


def test_the_sample_tools_are_tried_with_a_sum_and_it_runs() -> None:
    agent = build_agent(None, trust="careful")
    assert trial_call(agent.tools) == "add(a=2, b=3)"
    assert agent.run_tool("arithmetic.add", {"a": 2, "b": 3})["status"] == "success"
    agent.close()


async def test_the_first_screen_proposes_a_call_of_the_tools_that_are_there() -> None:
    def own(post: Post) -> Agent:
        return Agent("own", [weather], llm=create_llm("offline"), trust="careful", quiet=True, log=False)

    async with driven(own) as it:
        await it.until(lambda: 'weather(city="hello")' in it.shown())
        assert "add(" not in it.shown()
