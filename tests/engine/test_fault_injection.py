"""Faults that are put into calls on purpose."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import Breakpoint, Fault, FaultInjector, Pause, Resume, before_each_tool
from workbench.engine.agent import Agent
from workbench.engine.fault_injection import FAULT_KINDS, HOSTILE_TEXT
from workbench.errors import ConfigError, ToolRejected
from workbench.registry import ToolMetadata


class Tools:
    """A tool for each way to run one."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def plain(self, path: str = "a") -> str:
        """Plain."""
        self.ran.append(path)
        return f"read {path}"

    async def later(self, path: str = "a") -> str:
        """Async."""
        await asyncio.sleep(0)
        self.ran.append(path)
        return f"read {path}"


def run(faults: FaultInjector, *names: str, **options: Any) -> tuple[list[dict[str, Any]], Tools]:
    """The entries of the calls, all in one batch."""
    tools = Tools()
    agent = Agent(
        "a",
        [tools.plain, tools.later],
        llm=StrictLLM(calls(*(call(name) for name in names))),
        plugins=[faults],
        quiet=True,
        **options,
    )
    agent.input("go")
    assert agent.current_session is not None
    return [entry for entry in agent.current_session["trace"] if entry["type"] == "tool_execution"], tools


@pytest.mark.parametrize("name", ["plain", "later"])
@pytest.mark.parametrize("kind", [kind for kind in FAULT_KINDS if kind != "delay"])
def test_a_fault_stands_in_the_place_of_the_tool_and_the_entry_says_so(kind: Any, name: str) -> None:
    (entry,), tools = run(FaultInjector({name: Fault(kind, megabytes=0.01)}), name)
    assert tools.ran == []
    assert entry["fault"].startswith(kind)
    expected = {"raise": "error", "timeout": "error"}
    assert entry["status"] == expected.get(kind, "success")
    assert entry["tool_name"] == name


@pytest.mark.parametrize("name", ["plain", "later"])
def test_after_a_delay_the_tool_runs(name: str) -> None:
    (entry,), tools = run(FaultInjector({name: Fault("delay", seconds=0)}), name)
    assert tools.ran == ["a"]
    assert (entry["result"], entry["status"], entry["fault"]) == ("read a", "success", "delay 0 s")


def test_the_results_are_what_the_kinds_say() -> None:
    hostile, huge, empty = (
        run(FaultInjector({"plain": fault}), "plain")[0][0]["result"]
        for fault in (Fault("hostile"), Fault("huge", megabytes=0.5), Fault("empty"))
    )
    assert (hostile, len(huge), empty) == (HOSTILE_TEXT, 500_000, "")


@pytest.mark.parametrize(
    ("error", "kind"),
    [("ConnectionError", "ConnectionError"), ("RateLimited", "RateLimited"), ("UnicodeDecodeError",) * 2],
)
def test_an_error_has_the_class_and_the_message_that_were_asked_for(error: str, kind: str) -> None:
    (entry,), _ = run(FaultInjector({"plain": Fault("raise", error=error, message="no luck")}), "plain")
    assert (entry["error_type"], entry["error"]) == (kind, "no luck")
    assert entry["result"] == f"Error executing plain: {kind}: no luck"


def test_a_timeout_tells_the_limit_of_the_tool() -> None:
    faults = FaultInjector({"plain": Fault("timeout")})
    agent = Agent("a", llm=StrictLLM(calls(call("plain"))), plugins=[faults], quiet=True)
    agent.tools.add(Tools().plain, metadata=ToolMetadata(timeout=7))
    agent.input("go")
    assert agent.current_session is not None
    entry = next(each for each in agent.current_session["trace"] if each["type"] == "tool_execution")
    assert (entry["error_type"], entry["error"]) == ("ToolTimeoutError", "ran longer than its limit of 7 s")


def test_a_fault_ends_after_as_many_calls_as_were_asked_for() -> None:
    told: list[dict[str, Fault]] = []
    faults = FaultInjector(
        {"plain": Fault("empty", times=2)}, on_change=lambda: told.append(dict(faults.active))
    )
    entries, tools = run(faults, "plain", "plain", "plain")
    assert [entry.get("fault") for entry in entries] == ["empty", "empty", None]
    assert tools.ran == ["a"]
    assert told == [{"plain": Fault("empty", times=1)}, {}]


def test_a_call_that_is_not_let_run_uses_no_fault_up() -> None:
    faults = FaultInjector({"plain": Fault("empty", times=1)})

    def refuse(agent: Agent) -> None:
        raise ToolRejected("no")

    entries, _ = run(faults, "plain", on_events=[before_each_tool(refuse)])
    assert "fault" not in entries[0]
    assert faults.active == {"plain": Fault("empty", times=1)}


def test_other_tools_are_left_alone_and_faults_can_be_taken_out() -> None:
    faults = FaultInjector({"plain": Fault("empty")})
    faults.set("later", Fault("raise"))
    assert faults.clear("later")
    assert not faults.clear("later")
    entries, _ = run(faults, "plain", "later")
    assert [entry.get("fault") for entry in entries] == ["empty", None]
    assert faults.clear()
    assert not faults.active


def test_a_stop_ends_a_delay() -> None:
    began = threading.Event()

    class Watched(FaultInjector):
        def _take(self, tool: str) -> Fault | None:
            began.set()
            return super()._take(tool)

    faults, tools = Watched({"plain": Fault("delay", seconds=3600)}), Tools()
    agent = Agent("a", [tools.plain], llm=StrictLLM(calls(call("plain"))), plugins=[faults], quiet=True)

    def stop() -> None:
        began.wait(60)
        agent.stop()

    threading.Thread(target=stop).start()
    agent.input("go")
    assert agent.last_status == "stopped"
    assert tools.ran == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "nonsense"},
        {"kind": "delay", "seconds": -1},
        {"kind": "huge", "megabytes": 10_000},
        {"kind": "empty", "times": 0},
        {"kind": "raise", "error": "KeyboardInterrupt"},
        {"kind": "raise", "error": "not a name"},
    ],
)
def test_a_fault_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        Fault(**wrong)


def test_a_fault_in_a_parallel_batch_strikes_the_call_it_is_meant_for() -> None:
    faults, tools = FaultInjector({"plain": Fault("empty", times=1)}), Tools()
    agent = Agent(
        "a", llm=StrictLLM(calls(*(call("plain", path=p) for p in "abc"))), plugins=[faults], quiet=True
    )
    agent.tools.add(tools.plain, metadata=ToolMetadata(parallel_safe=True))
    agent.input("go")
    assert agent.current_session is not None
    entries = [each for each in agent.current_session["trace"] if each["type"] == "tool_execution"]
    struck = [entry for entry in entries if entry.get("fault") == "empty"]
    assert len(struck) == 1
    assert {entry["result"] for entry in entries if entry not in struck} == {
        f"read {path}" for path in tools.ran
    }
    assert len(tools.ran) == 2


def test_a_call_that_is_run_again_has_the_fault_of_its_last_run() -> None:
    answers = [Resume("again"), Resume()]

    class Person:
        def pause(self, pause: Pause) -> Resume:
            return answers.pop(0)

    tools = Tools()
    faults = FaultInjector({"plain": Fault("raise", times=1)})
    agent = Agent("a", [tools.plain], llm=StrictLLM(calls(call("plain"))), plugins=[faults], quiet=True)
    agent.debugger = Person()
    agent.breakpoints.add(Breakpoint("plain", "after"))
    agent.input("go")
    assert agent.current_session is not None
    (entry,) = [each for each in agent.current_session["trace"] if each["type"] == "tool_execution"]
    assert (entry["result"], entry.get("fault")) == ("read a", None)


def test_a_delay_lets_what_others_put_in_the_place_of_the_tool_follow() -> None:
    tools = Tools()
    plugins = [FaultInjector({"plain": Fault("empty")}), FaultInjector({"plain": Fault("delay", seconds=0)})]
    agent = Agent("a", [tools.plain], llm=StrictLLM(calls(call("plain"))), plugins=plugins, quiet=True)
    agent.input("go")
    assert tools.ran == []
