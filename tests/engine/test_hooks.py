"""Handlers: every shape, every event, in order, changed while the agent lives."""

from __future__ import annotations

import functools
import importlib
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import (
    after_each_tool,
    after_tools,
    after_user_input,
    before_each_tool,
    before_llm,
    before_tools,
    hooks,
    on_complete,
    on_error,
)
from workbench.engine.agent import Agent
from workbench.errors import HookError

Log = list[str]


def echo(value: str) -> str:
    """Give it back."""
    return value


def fail() -> str:
    """Raise."""
    raise ValueError("broken")


def test_all_nine_fire_in_the_order_of_the_lifecycle() -> None:
    log: Log = []

    def noting(event: str) -> Any:
        return lambda agent: log.append(event)

    handlers = [getattr(hooks, event)(noting(event)) for event in hooks.EVENTS]
    llm = StrictLLM(calls(call("echo", value="a"), call("fail")), "done")
    Agent("a", [echo, fail], llm=llm, on_events=handlers).input("go")
    assert log == [
        "after_user_input",
        "before_llm",
        "after_llm",
        "before_tools",
        "before_each_tool",
        "after_each_tool",
        "before_each_tool",
        "on_error",
        "after_each_tool",
        "after_tools",
        "before_llm",
        "after_llm",
        "on_complete",
    ]


class Plugin:
    def __init__(self, log: Log) -> None:
        self.log = log

    def method(self, agent: Agent) -> None:
        self.log.append("bound method")

    @before_llm
    def decorated(self, agent: Agent) -> None:
        self.log.append("decorated method")

    def __call__(self, agent: Agent) -> None:
        self.log.append("callable object")


def test_every_shape_of_handler_works() -> None:
    log: Log = []
    plugin = Plugin(log)

    async def awaited(agent: Agent) -> None:
        log.append("async")

    def noted(what: str, agent: Agent) -> None:
        log.append(what)

    on_events = (
        before_llm(plugin.method),
        [plugin.decorated, (before_llm(plugin),)],
        before_llm(lambda agent: log.append("lambda"), functools.partial(noted, "partial")),
        before_llm(awaited),
    )
    Agent("a", llm=StrictLLM("done"), on_events=on_events).input("go")
    assert log == ["bound method", "decorated method", "callable object", "lambda", "partial", "async"]


def test_one_function_serves_two_events_and_two_agents_differently() -> None:
    log: Log = []

    def note(agent: Agent) -> None:
        log.append(agent.name)

    Agent("both", llm=StrictLLM("done"), on_events=[before_llm(note), on_complete(note)]).input("go")
    Agent("one", llm=StrictLLM("done"), on_events=on_complete(note)).input("go")
    assert log == ["both", "both", "one"]


def test_a_decorator_on_a_decorated_function_adds_its_event() -> None:
    log: Log = []

    @after_user_input
    @on_complete
    def note(agent: Agent) -> None:
        log.append("called")

    assert note.events == ("on_complete", "after_user_input")
    Agent("a", llm=StrictLLM("done"), on_events=note).input("go")
    assert log == ["called", "called"]


def test_a_decorated_function_can_still_be_called_by_hand() -> None:
    @before_llm
    def answer(agent: Any) -> int:
        """Say it."""
        return 42

    assert answer(None) == 42
    assert answer.__name__ == "answer"
    assert answer.__doc__ == "Say it."


def test_plugins_run_before_on_events_each_in_its_order() -> None:
    log: Log = []

    def noting(what: str) -> hooks.Handler:
        return before_llm(lambda agent: log.append(what))

    agent = Agent(
        "a",
        llm=StrictLLM("done"),
        plugins=[[noting("plugin 1"), noting("plugin 2")]],
        on_events=[noting("event 1"), noting("event 2")],
    )
    agent.hooks.add(noting("first"), first=True)
    agent.input("go")
    assert log == ["first", "plugin 1", "plugin 2", "event 1", "event 2"]


def test_handlers_come_and_go_while_the_agent_runs() -> None:
    log: Log = []

    def once(agent: Agent) -> None:
        log.append("once")
        agent.hooks.remove(once)
        agent.hooks.add(on_complete(lambda agent: log.append("added")))

    agent = Agent(
        "a", [echo], llm=StrictLLM(calls(call("echo", value="a")), "done"), on_events=before_llm(once)
    )
    agent.input("go")
    assert log == ["once", "added"]
    assert not agent.hooks.remove(once)


def test_a_function_that_names_no_event_is_refused_with_a_hint() -> None:
    with pytest.raises(HookError, match=r"echo \(.*test_hooks\.py:\d+\) is not bound to an event") as caught:
        Agent("a", llm=StrictLLM(), on_events=[echo])
    assert "before_tools(handler)" in caught.value.hint


@pytest.mark.parametrize("wrong", ["text", 3, None])
def test_what_is_no_callable_cannot_be_a_handler(wrong: Any) -> None:
    with pytest.raises(HookError, match="needs a callable"):
        before_llm(wrong)
    with pytest.raises(HookError, match="not bound to an event"):
        Agent("a", llm=StrictLLM(), plugins=[wrong])


def test_a_handler_must_be_callable_with_the_agent_alone() -> None:
    def two(agent: Agent, more: str) -> None:
        """Wants too much."""

    with pytest.raises(HookError, match="cannot be called with the agent alone"):
        Agent("a", llm=StrictLLM(), on_events=before_llm(two))
    with pytest.raises(HookError, match="given no handler"):
        before_llm()  # type: ignore[call-overload]  # the mistake is the test


@pytest.mark.parametrize("name", sorted(hooks.RENAMED))
@pytest.mark.parametrize("module", ["workbench.engine", "workbench.engine.hooks"])
def test_an_old_name_fails_and_names_the_new_one(module: str, name: str) -> None:
    new = hooks.RENAMED[name].split()[0]
    with pytest.raises(ImportError, match=new):
        exec(f"from {module} import {name}", {})
    with pytest.raises(AttributeError, match=new):
        getattr(importlib.import_module(module), name)
    assert not hasattr(importlib.import_module(module), name)


@pytest.mark.parametrize("event", [e for e in hooks.EVENTS if e != "on_complete"])
def test_an_exception_in_a_handler_reaches_the_caller_with_a_note(event: hooks.Event) -> None:
    def broken(agent: Agent) -> None:
        raise LookupError("no")

    llm = StrictLLM(calls(call("echo", value="a"), call("fail"), call("echo", value="b")), "done")
    agent = Agent("a", [echo, fail], llm=llm, on_events=getattr(hooks, event)(broken))
    with pytest.raises(LookupError) as caught:
        agent.input("go")
    assert f"in the {event} handler" in caught.value.__notes__[0]
    assert "broken" in caught.value.__notes__[0]
    assert agent.last_status == "error"
    agent.hooks.remove(broken)
    llm.answers = ["fine"]
    assert agent.input("again") == "fine"
    assert not llm.refusals


def test_a_failing_on_complete_loses_nothing() -> None:
    @on_complete
    def broken(agent: Agent) -> None:
        raise LookupError("no")

    agent = Agent("a", llm=StrictLLM("the answer"), on_events=broken)
    with pytest.raises(LookupError):
        agent.input("go")
    assert agent.last_status == "success"
    assert agent.current_session is not None
    assert agent.current_session["messages"][-1] == {"role": "assistant", "content": "the answer"}


def test_per_tool_events_find_their_entry_at_the_end_of_the_trace() -> None:
    seen: list[tuple[str, str]] = []

    @on_error
    @after_each_tool
    def look(agent: Agent) -> None:
        assert agent.current_session is not None
        entry = agent.current_session["trace"][-1]
        seen.append((entry["tool_name"], entry["status"]))
        with agent.human_wait("a look"):
            pass

    llm = StrictLLM(calls(call("echo", value="a"), call("fail")), "done")
    agent = Agent("a", [echo, fail], llm=llm, on_events=[look, look])
    agent.input("go")
    assert seen == [("echo", "success")] * 2 + [("fail", "error")] * 4
    assert agent.current_session is not None
    assert [e["type"] for e in agent.current_session["trace"]].count("human_wait") == 6


@pytest.mark.parametrize(
    ("key", "events"),
    [
        ("pending_tool", ["before_each_tool"]),
        ("llm_response", ["after_llm"]),
        ("pending_tools", ["before_tools", "before_each_tool", "after_each_tool", "after_tools"]),
    ],
)
def test_passing_keys_are_there_at_their_time_only(key: str, events: list[str]) -> None:
    seen: dict[str, bool] = {}

    def noting(event: str) -> Any:
        def note(agent: Agent) -> None:
            assert agent.current_session is not None
            seen[event] = key in agent.current_session

        return note

    handlers = [getattr(hooks, event)(noting(event)) for event in hooks.EVENTS]
    Agent("a", [echo], llm=StrictLLM(calls(call("echo", value="a")), "done"), on_events=handlers).input("go")
    assert [event for event in hooks.EVENTS if seen.get(event)] == events


def test_the_nine_are_what_the_package_exports() -> None:
    package = importlib.import_module("workbench.engine")
    assert {event: getattr(package, event).event for event in hooks.EVENTS} == {e: e for e in hooks.EVENTS}
    assert {before_tools.event, after_tools.event, before_each_tool.event} <= set(hooks.EVENTS)
