"""Values that no JSON has, that never end, or that take their time to be shown."""

from __future__ import annotations

import itertools
import json
import math
import threading
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from tests.engine.waiting import until
from workbench.engine import (
    LLMResponse,
    ToolCall,
    before_each_tool,
    hooks,
    repair_messages,
    validate_messages,
)
from workbench.engine.agent import Agent
from workbench.engine.results import MOST_ITEMS, to_text
from workbench.errors import HookError, TranscriptError
from workbench.registry import ToolMetadata, ToolRegistry


def refuse(name: str) -> NoReturn:
    raise AssertionError(f"{name} is not JSON")


def strictly(text: str) -> Any:
    return json.loads(text, parse_constant=refuse)


def nested(depth: int) -> dict[str, Any]:
    value: Any = 1
    for _ in range(depth):
        value = {"x": value}
    return {"x": value}


def nested_text(depth: int) -> str:
    return '{"x": ' * depth + "1" + "}" * depth


class Tools:
    """Keeps what it was given."""

    def __init__(self) -> None:
        self.given: list[Any] = []

    def take(self, x: Any) -> str:
        """Take anything."""
        self.given.append(x)
        return "taken"


def run(arguments: Any) -> tuple[Tools, list[dict[str, Any]]]:
    """What a tool got, and the last request of a turn in which it was called with ``arguments``."""
    tools = Tools()
    llm = StrictLLM(LLMResponse(None, [ToolCall("take", arguments, "1")]), "done")
    agent = Agent("a", tools.take, llm=llm)
    assert agent.input("go") == "done"
    for message in llm.requests[-1]:
        strictly(json.dumps(message))
        for made in message.get("tool_calls", ()):
            strictly(made["function"]["arguments"])
    return tools, llm.requests[-1]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_a_number_that_json_does_not_have_is_refused_and_the_model_is_told(number: str) -> None:
    tools, request = run(f'{{"x": [{number}]}}')
    assert tools.given == []
    assert number in request[-1]["content"]
    assert "send a" in request[-1]["content"]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_such_a_number_is_refused_also_when_the_arguments_come_read(number: float) -> None:
    tools, request = run({"x": {"deep": (number,)}})
    assert tools.given == []
    assert "is not a number in JSON" in request[-1]["content"]


@pytest.mark.parametrize("arguments", [nested(3000), nested_text(3000), nested(150), nested_text(150)])
def test_arguments_nested_too_deeply_are_answered_with_an_error(arguments: Any) -> None:
    tools, request = run(arguments)
    assert tools.given == []
    assert "nested too deeply, 100 levels are the most" in request[-1]["content"]
    assert len(request[-1]["content"]) < 3000


def test_arguments_that_contain_themselves_many_times_are_answered_at_once() -> None:
    knot: dict[str, Any] = {}
    knot.update(a=knot, b=knot)
    tools, request = run({"x": knot})
    assert tools.given == []
    assert "nested too deeply" in request[-1]["content"]


def test_arguments_nested_less_deeply_arrive() -> None:
    tools, _ = run(nested_text(100))
    assert json.dumps(tools.given[0]).count("{") == 99


@pytest.mark.parametrize("value", [nested(3000), math.nan, [math.inf]])
def test_a_handler_may_put_any_value_into_the_arguments(value: Any) -> None:
    @before_each_tool
    def edit(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["pending_tool"]["arguments"] = {"x": value}

    tools = Tools()
    llm = StrictLLM(calls(call("take", x=1)), "done")
    agent = Agent("a", tools.take, llm=llm, on_events=edit)
    assert agent.input("go") == "done"
    assert "NaN}" not in llm.requests[-1][-1]["content"]
    assert "Infinity]" not in llm.requests[-1][-1]["content"]
    assert agent.current_session is not None
    json.dumps([entry.get("arguments") for entry in agent.current_session["trace"]], allow_nan=False)


def test_a_result_with_such_a_number_is_json_all_the_same() -> None:
    assert strictly(to_text({"a": [math.nan, 1.5], "b": {"c": math.inf}})) == {
        "a": ["NaN", 1.5],
        "b": {"c": "Infinity"},
    }
    assert to_text(-math.inf) == "-Infinity"


def test_a_message_with_such_a_number_is_mended() -> None:
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "go", "weight": math.nan},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "t", "arguments": '{"x": NaN}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "1", "content": "fine"},
    ]
    for part in (messages[:1], messages[1:]):
        with pytest.raises(TranscriptError):
            validate_messages(part)
    repair_messages(messages)
    validate_messages(messages)
    strictly(json.dumps(messages))


def test_of_something_endless_a_beginning_is_taken_and_that_is_said() -> None:
    taken = strictly(to_text(itertools.count()))
    assert taken[:3] == [0, 1, 2]
    assert len(taken) == MOST_ITEMS + 1
    assert taken[-1] == "… and more: only the first 10,000 items were taken"


def test_endless_things_inside_each_other_share_one_allowance() -> None:
    assert len(to_text(itertools.count() for _ in itertools.count())) < 100 * MOST_ITEMS


def test_a_generator_that_ends_is_taken_whole() -> None:
    assert to_text(n for n in range(3)) == "[0, 1, 2]"


class Slow:
    """Takes its time to be shown."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.release = threading.Event()
        self.shown = threading.Event()

    def wait(self) -> None:
        self.begun.set()
        self.release.wait(30)
        self.shown.set()

    def __str__(self) -> str:
        self.wait()
        return "shown"


class SlowItems(Slow):
    def __iter__(self) -> Iterator[int]:
        self.wait()
        yield 1


@pytest.mark.parametrize("kind", ["plain", "parallel", "async", "handed over"])
@pytest.mark.parametrize("make", [Slow, SlowItems])
def test_a_stop_is_answered_while_a_result_takes_its_time_to_be_shown(kind: str, make: type[Slow]) -> None:
    slow = make()
    registry = ToolRegistry()

    async def end_async() -> Any:
        """End with it."""
        return slow

    def end() -> Any:
        """End with it."""
        return end_async() if kind == "handed over" else slow

    tool: Any = end_async if kind == "async" else end
    registry.register(tool, name="tool", metadata=ToolMetadata(parallel_safe=kind == "parallel"))
    agent = Agent("a", registry, llm=StrictLLM(calls(call("tool"), call("tool"))))

    def stop() -> None:
        assert slow.begun.wait(30)
        agent.stop()

    threading.Thread(target=stop, daemon=True).start()
    assert agent.input("go") == "Stopped by the user."
    assert not slow.shown.is_set()
    assert agent.left_running
    slow.release.set()
    until(lambda: not agent.left_running)


@pytest.mark.parametrize("put", [None, (), "nothing"])
@pytest.mark.parametrize("event", hooks.EVENTS)
def test_a_handler_that_takes_the_message_list_away_is_named_and_the_list_put_back(
    event: hooks.Event, put: Any
) -> None:
    def takes_it_away(agent: Agent) -> None:
        assert agent.current_session is not None
        if put == "nothing":
            agent.current_session.pop("messages", None)
        else:
            agent.current_session["messages"] = put

    def fail() -> None:
        """Fail."""
        raise LookupError

    handler = getattr(hooks, event)(takes_it_away)
    llm = StrictLLM(calls(call("fail")), "done", "fine", "fine", "fine")
    agent = Agent("a", fail, llm=llm, on_events=handler)
    with pytest.raises(HookError, match=rf"the {event} handler .*takes_it_away \(.*:\d+\) left"):
        agent.input("go")
    agent.hooks.remove(handler)
    agent.input("again")
    assert agent.last_status == "success"
    assert next(m["content"] for m in llm.requests[-1] if m["role"] == "user") == "go"
    assert llm.refusals == []


@pytest.mark.parametrize(
    ("value", "text"),
    [({10, 9, 1}, "[1, 9, 10]"), (frozenset({"b", "a"}), '["a", "b"]'), ({"a", 1, None}, '["a", 1, null]')],
)
def test_the_items_of_a_set_come_in_an_order_that_stays(value: Any, text: str) -> None:
    assert to_text(value) == text
