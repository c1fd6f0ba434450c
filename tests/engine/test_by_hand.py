"""Calls that a person runs without the model: the whole pipeline, and nothing of it in the conversation."""

from __future__ import annotations

import copy
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import (
    Observer,
    after_each_tool,
    after_tools,
    before_each_tool,
    before_tools,
    on_error,
)
from workbench.engine.agent import Agent
from workbench.engine.by_hand import HandCall
from workbench.engine.observer import TraceEntry
from workbench.errors import ToolRejected, WorkbenchError
from workbench.registry import PermissionPolicy


def double(number: int) -> int:
    """Twice the number."""
    return number * 2


def fail(why: str) -> str:
    """Raise."""
    raise ConnectionError(why)


def write(path: str) -> str:
    """Write."""
    return f"wrote {path}"


def made(*on_events: Any, **options: Any) -> Agent:
    agent = Agent(
        "a",
        [double, fail, write],
        llm=StrictLLM(calls(call("double", number=2)), "four"),
        on_events=on_events,
        quiet=True,
        log=False,
        **options,
    )
    agent.input("twice two?")
    return agent


def session_of(agent: Agent) -> dict[str, Any]:
    assert agent.current_session is not None
    return agent.current_session


def traced(agent: Agent) -> dict[str, Any]:
    """The call that the model asked for."""
    return next(entry for entry in session_of(agent)["trace"] if entry["type"] == "tool_execution")


def test_a_call_runs_again_with_an_entry_of_its_own_and_the_conversation_stays_as_it_was() -> None:
    agent = made()
    first = traced(agent)
    messages = copy.deepcopy(list(session_of(agent)["messages"]))
    entry = agent.run_tool("double", {"number": 5}, rerun_of=first["call_id"])
    assert (entry["result"], entry["status"]) == ("10", "success")
    assert entry["rerun_of"] == first["call_id"]
    assert entry["by_hand"] is True
    assert entry["call_id"] != first["call_id"]
    assert session_of(agent)["trace"][-1] is entry
    assert session_of(agent)["messages"] == messages
    assert "by_hand" not in first


def test_the_next_turn_sends_what_it_would_have_sent_anyway() -> None:
    agent = made()
    agent.run_tool("double", {"number": 5})
    agent.input("and now?")
    request = agent.llm.requests[-1]
    assert [message["role"] for message in request] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]
    assert not agent.llm.refusals


def test_a_call_by_hand_needs_no_turn_before_it() -> None:
    agent = Agent("a", [double], llm=StrictLLM("hi"), quiet=True, log=False)
    assert agent.run_tool("double", {"number": 4})["result"] == "8"
    agent.input("hello")
    assert session_of(agent)["turn"] == 1
    assert [message["role"] for message in agent.llm.requests[0]] == ["system", "user"]


def test_every_handler_of_a_batch_is_called_in_its_order() -> None:
    seen: list[str] = []

    def note(event: str) -> Any:
        return lambda agent: seen.append(event)

    agent = made(
        before_tools(note("before_tools")),
        before_each_tool(note("before_each_tool")),
        on_error(note("on_error")),
        after_each_tool(note("after_each_tool")),
        after_tools(note("after_tools")),
    )
    seen.clear()
    entry = agent.run_tool("fail", {"why": "no line"})
    assert (entry["status"], entry["error_type"]) == ("error", "ConnectionError")
    assert seen == ["before_tools", "before_each_tool", "on_error", "after_each_tool", "after_tools"]


def test_what_handlers_do_to_the_messages_stays_out_of_the_conversation() -> None:
    @after_tools
    def remind(agent: Agent) -> None:
        session_of(agent)["messages"].append({"role": "user", "content": "think"})
        session_of(agent)["messages"][0]["content"] = "changed"

    agent = Agent("a", [double], llm=StrictLLM("hi"), quiet=True, log=False, on_events=[remind])
    agent.input("hello")
    before = copy.deepcopy(list(session_of(agent)["messages"]))
    agent.run_tool("double", {"number": 1})
    assert list(session_of(agent)["messages"]) == before


def test_a_handler_finds_the_call_and_its_entry_as_in_a_turn() -> None:
    found: dict[str, Any] = {}

    @before_each_tool
    def look(agent: Agent) -> None:
        found["pending"] = session_of(agent)["pending_tool"]["arguments"]
        found["last"] = session_of(agent)["messages"][-1]["role"]

    @after_each_tool
    def entry(agent: Agent) -> None:
        found["entry"] = session_of(agent)["trace"][-1]

    agent = made(look, entry)
    made_entry = agent.run_tool("double", {"number": 7})
    assert found["pending"] == {"number": 7}
    assert found["last"] == "assistant"
    assert found["entry"] is made_entry


def test_a_handler_may_refuse_it() -> None:
    @before_each_tool
    def never(agent: Agent) -> None:
        if session_of(agent)["pending_tool"]["name"] == "write":
            raise ToolRejected("not here")

    entry = made(never).run_tool("write", {"path": "a"})
    assert (entry["status"], entry["result"]) == ("rejected", "Rejected: not here")


@pytest.mark.parametrize(("answer", "status"), [(True, "success"), (False, "rejected")])
def test_what_the_policy_asks_is_asked(answer: bool, status: str) -> None:
    asked: list[str] = []

    def ask(request: Any) -> bool:
        asked.append(request.tool.name)
        return answer

    agent = made()
    agent.tools.policy = PermissionPolicy.strict()
    agent.tools.permission_handler = ask
    assert agent.run_tool("write", {"path": "a"})["status"] == status
    assert asked == ["write"]


def test_what_the_policy_denies_never_runs() -> None:
    agent = made()
    agent.tools.policy = PermissionPolicy.from_rules([{"deny": "write"}])
    assert agent.run_tool("write", {"path": "a"})["status"] == "rejected"


def test_arguments_that_do_not_fit_are_the_entrys_error() -> None:
    entry = made().run_tool("double", {"number": "many"})
    assert entry["status"] == "error"
    assert "number" in entry["error"]


def test_the_newest_code_of_the_tool_runs() -> None:
    agent = made()
    first = traced(agent)

    def double(number: int) -> int:
        """Twice the number, and one."""
        return number * 2 + 1

    agent.tools.refresh("double", double)
    entry = agent.run_tool("double", first["arguments"], rerun_of=first["call_id"])
    assert (first["result"], entry["result"]) == ("4", "5")


def test_several_calls_are_one_batch_that_is_decided_at_once() -> None:
    batches: list[list[str]] = []

    @before_tools
    def look(agent: Agent) -> None:
        batches.append([pending["name"] for pending in session_of(agent)["pending_tools"]])

    agent = made(look)
    batches.clear()
    entries = agent.run_tools([HandCall("double", {"number": 1}), HandCall("write", {"path": "b"})])
    assert [entry["result"] for entry in entries] == ["2", "wrote b"]
    assert batches == [["double", "write"]]


def test_a_stop_ends_what_runs_and_what_is_left_never_begins() -> None:
    gate, inside = threading.Event(), threading.Event()

    def block() -> str:
        """Wait."""
        inside.set()
        gate.wait(30)
        return "done"

    agent = made()
    agent.tools.register(block)

    def stop() -> None:
        inside.wait(30)
        agent.stop()

    stopper = threading.Thread(target=stop)
    stopper.start()
    entries = agent.run_tools([HandCall("block"), HandCall("double", {"number": 1})])
    stopper.join()
    gate.set()
    assert [entry["status"] for entry in entries] == ["cancelled", "cancelled"]
    assert entries[1]["result"] == "Not run: stopped by the user."
    assert not agent.running
    assert "pending_tools" not in session_of(agent)


def test_what_a_handler_raises_reaches_the_caller_and_the_call_has_its_entry() -> None:
    @after_each_tool
    def break_it(agent: Agent) -> None:
        if session_of(agent)["trace"][-1].get("by_hand"):
            raise RuntimeError("a broken handler")

    agent = made(break_it)
    before = list(session_of(agent)["messages"])
    with pytest.raises(RuntimeError, match="a broken handler"):
        agent.run_tool("double", {"number": 1})
    assert session_of(agent)["trace"][-1]["result"] == "2"
    assert list(session_of(agent)["messages"]) == before
    assert not agent.running


def test_nothing_runs_by_hand_in_the_middle_of_a_turn() -> None:
    faults: list[BaseException] = []

    @before_each_tool
    def meddle(agent: Agent) -> None:
        try:
            agent.run_tool("double", {"number": 1})
        except WorkbenchError as error:
            faults.append(error)

    made(meddle)
    assert len(faults) == 1
    assert "in the middle of a turn" in str(faults[0])


def test_observers_hear_of_the_beginning_and_the_end() -> None:
    told: list[tuple[str, Any]] = []

    class Watcher(Observer):
        def hand_started(self, agent: Agent, calls: Sequence[HandCall]) -> None:
            told.append(("started", [(each.name, each.rerun_of) for each in calls]))

        def entry_added(self, agent: Agent, entry: TraceEntry) -> None:
            told.append(("entry", entry["type"]))

        def hand_finished(self, agent: Agent, entries: Sequence[TraceEntry]) -> None:
            told.append(("finished", [entry["result"] for entry in entries]))

    agent = made()
    agent.observers.append(Watcher())
    agent.run_tool("double", {"number": 3}, rerun_of="x")
    assert told == [("started", [("double", "x")]), ("entry", "tool_execution"), ("finished", ["6"])]


def test_the_next_turn_reports_the_entries_so_that_they_are_kept() -> None:
    reported: list[TraceEntry] = []

    class Log(Observer):
        def turn_finished(self, agent: Agent, summary: Any) -> None:
            reported.extend(summary.trace)

    agent = made()
    agent.observers.append(Log())
    entry = agent.run_tool("double", {"number": 3})
    agent.input("go on")
    assert entry in reported


def test_what_the_handlers_of_a_batch_took_is_told_of_the_last_call() -> None:
    told: list[TraceEntry] = []

    class Watch(Observer):
        def entry_changed(self, agent: Agent, entry: TraceEntry) -> None:
            told.append(copy.deepcopy(entry))

    agent = made(before_tools(lambda _: None))
    agent.observers.append(Watch())
    entry = agent.run_tool("double", {"number": 2})
    assert "before_tools" in entry["hooks_ms"]
    assert told[-1] == entry
