"""Stopping, timing out and being interrupted: at once, told apart, and sendable afterwards."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import Delta, LLMResponse, before_tools, hooks, jobs, on_complete
from workbench.engine.agent import Agent
from workbench.engine.calls import Execution
from workbench.errors import ProviderError, StopTurn, WorkbenchError
from workbench.registry import ToolMetadata, ToolRegistry

NOT_RUN = "Not run: stopped by the user."
INTERRUPTED = "Interrupted: stopped by the user while running; it may have had effects."


class Blocking:
    """A tool that says when it has begun and ends when it is let go."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.release = threading.Event()
        self.ended = threading.Event()
        self.ran: list[str] = []

    def quick(self, name: str) -> str:
        """Note it."""
        self.ran.append(name)
        return name

    def block(self) -> str:
        """Wait to be let go."""
        self.begun.set()
        self.release.wait(30)
        self.ended.set()
        return "late"

    async def block_async(self) -> str:
        """Wait for ever, unless cancelled."""
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.set()
        return "never"


@pytest.fixture
def tools() -> Any:
    blocking = Blocking()
    yield blocking
    blocking.release.set()


def run_and_stop(agent: Agent, begun: threading.Event, *reason: str) -> str:
    """Run a turn on a thread, stop it from here once it has begun, and return its answer."""
    answers: list[str] = []
    thread = threading.Thread(target=lambda: answers.append(agent.input("go")), daemon=True)
    thread.start()
    assert begun.wait(30)
    assert agent.stop(*reason)
    thread.join(30)
    assert not thread.is_alive()
    return answers[0]


def tool_texts(agent: Agent) -> list[str]:
    assert agent.current_session is not None
    return [m["content"] for m in agent.current_session["messages"] if m["role"] == "tool"]


def tool_entries(agent: Agent) -> list[dict[str, Any]]:
    assert agent.current_session is not None
    return [entry for entry in agent.current_session["trace"] if entry["type"] == "tool_execution"]


@pytest.mark.parametrize("tool", ["block", "block_async"])
@pytest.mark.parametrize("position", [0, 1, 2])
def test_a_stop_during_any_call_answers_every_call(tools: Blocking, tool: str, position: int) -> None:
    batch = [call("quick", name=str(number)) for number in range(3)]
    batch[position] = call(tool)
    llm = StrictLLM(calls(*batch), "fine")
    agent = Agent("a", [tools.quick, tools.block, tools.block_async], llm=llm)
    assert run_and_stop(agent, tools.begun) == "Stopped by the user."
    assert agent.last_status == "stopped"
    expected = [str(number) for number in range(position)] + [INTERRUPTED] + [NOT_RUN] * (2 - position)
    assert tool_texts(agent) == expected
    assert [entry["status"] for entry in tool_entries(agent)] == ["success"] * position + ["cancelled"] * (
        3 - position
    )
    assert agent.input("again") == "fine"
    assert not llm.refusals


def test_a_stopped_thread_is_listed_until_it_ends_and_its_result_never_reaches_the_model(
    tools: Blocking,
) -> None:
    llm = StrictLLM(calls(call("block")), "fine", "fine")
    agent = Agent("a", tools.block, llm=llm)
    run_and_stop(agent, tools.begun)
    assert [left.label for left in agent.left_running] == ["block"]
    assert tool_entries(agent)[0]["left_running"] is True
    tools.release.set()
    while not agent.late_results:
        tools.ended.wait(1)
    assert agent.left_running == []
    agent.input("again")
    assert agent.current_session is not None
    late = [entry for entry in agent.current_session["trace"] if entry["type"] == "late_result"]
    assert [(entry["tool_name"], entry["result"], entry["status"]) for entry in late] == [
        ("block", "late", "success")
    ]
    assert tool_texts(agent) == [INTERRUPTED]


def test_a_stopped_coroutine_is_cancelled(tools: Blocking) -> None:
    agent = Agent("a", tools.block_async, llm=StrictLLM(calls(call("block_async"))))
    run_and_stop(agent, tools.begun)
    assert tools.ended.is_set()
    assert agent.left_running == []
    assert "left_running" not in tool_entries(agent)[0]


def test_the_reason_of_a_stop_is_told(tools: Blocking) -> None:
    agent = Agent("a", tools.block, llm=StrictLLM(calls(call("block"), call("block"))))
    assert run_and_stop(agent, tools.begun, "the budget is used up") == "The budget is used up."
    assert tool_texts(agent) == [
        "Interrupted: stopped (the budget is used up) while running; it may have had effects.",
        "Not run: stopped (the budget is used up).",
    ]
    assert agent.current_session is not None
    stops = [entry for entry in agent.current_session["trace"] if entry["type"] == "stop"]
    assert [entry["reason"] for entry in stops] == ["the budget is used up"]


@pytest.mark.parametrize("event", [e for e in hooks.EVENTS if e != "on_complete"])
def test_stop_turn_raised_in_any_handler_ends_the_turn(event: hooks.Event, tools: Blocking) -> None:
    completed: list[str] = []

    def halt(agent: Agent) -> None:
        raise StopTurn

    def broken() -> None:
        """Fail."""
        raise ValueError("x")

    llm = StrictLLM(calls(call("broken"), call("quick", name="b")), "done")
    agent = Agent("a", [tools.quick, broken], llm=llm, on_events=getattr(hooks, event)(halt))
    agent.hooks.add(on_complete(lambda agent: completed.append("completed")))
    assert agent.input("go") == "Stopped by the user."
    assert agent.last_status == "stopped"
    assert completed == []
    expected = {
        "before_tools": [NOT_RUN, NOT_RUN],
        "before_each_tool": [NOT_RUN, NOT_RUN],
        "on_error": ["Error executing broken: ValueError: x", NOT_RUN],
        "after_each_tool": ["Error executing broken: ValueError: x", NOT_RUN],
        "after_tools": ["Error executing broken: ValueError: x", "b"],
    }
    assert tool_texts(agent) == expected.get(event, [])
    agent.hooks.remove(halt)
    llm.answers = ["fine"]
    assert agent.input("again") == "fine"


def test_stop_turn_in_on_complete_does_not_change_the_answer() -> None:
    @on_complete
    def halt(agent: Agent) -> None:
        raise StopTurn

    agent = Agent("a", llm=StrictLLM("the answer"), on_events=halt)
    assert agent.input("go") == "the answer"
    assert agent.last_status == "success"


def test_a_tool_may_end_the_turn(tools: Blocking) -> None:
    def enough() -> str:
        """End it."""
        raise StopTurn("that is enough")

    agent = Agent("a", [enough, tools.quick], llm=StrictLLM(calls(call("enough"), call("quick", name="b"))))
    assert agent.input("go") == "That is enough."
    assert tool_texts(agent) == ["Stopped the turn: that is enough", "Not run: stopped (that is enough)."]


def test_a_stop_while_a_person_is_asked_for_permission_means_not_run(tools: Blocking) -> None:
    def ask(request: Any) -> bool:
        raise StopTurn

    agent = Agent("a", tools.quick, llm=StrictLLM(calls(call("quick", name="a"))), trust="strict")
    agent.tools.permission_handler = ask
    assert agent.input("go") == "Stopped by the user."
    assert tool_texts(agent) == [NOT_RUN]
    assert tools.ran == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("event", ["before_tools", "before_each_tool", "after_each_tool"])
def test_leaving_the_process_from_a_handler_answers_every_call_first(
    error: type[BaseException], event: hooks.Event, tools: Blocking
) -> None:
    def leave(agent: Agent) -> None:
        raise error

    llm = StrictLLM(calls(call("quick", name="a"), call("quick", name="b")))
    agent = Agent("a", tools.quick, llm=llm, on_events=getattr(hooks, event)(leave))
    with pytest.raises(error):
        agent.input("go")
    first = ["a"] if event == "after_each_tool" else []
    rest = NOT_RUN if error is KeyboardInterrupt else "Not run: the turn ended with an error."
    assert tool_texts(agent) == [*first, *[rest] * (2 - len(first))]
    assert len(tool_entries(agent)) == 2
    agent.hooks.remove(leave)
    assert agent.input("again") == "done"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_leaving_the_process_from_a_tool_answers_every_call_first(
    error: type[BaseException], tools: Blocking
) -> None:
    def leave() -> None:
        """Leave."""
        raise error("now")

    llm = StrictLLM(calls(call("leave"), call("quick", name="b")))
    agent = Agent("a", [leave, tools.quick], llm=llm)
    with pytest.raises(error):
        agent.input("go")
    interrupted = error is KeyboardInterrupt
    assert tool_texts(agent) == [
        INTERRUPTED if interrupted else "Error executing leave: SystemExit: now",
        NOT_RUN if interrupted else "Not run: the turn ended with an error.",
    ]
    assert len(tool_entries(agent)) == 2
    assert tools.ran == []
    assert agent.input("again") == "done"


def test_an_interrupt_that_hits_between_a_call_and_its_record_says_so(
    tools: Blocking, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted_run(execution: Execution, approved: bool | None) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Execution, "run", interrupted_run)
    agent = Agent("a", tools.quick, llm=StrictLLM(calls(call("quick", name="a"), call("quick", name="b"))))
    with pytest.raises(KeyboardInterrupt):
        agent.input("go")
    assert tool_texts(agent) == [INTERRUPTED, NOT_RUN]


def test_a_tool_that_runs_too_long_is_an_error_for_the_model(tools: Blocking) -> None:
    registry = ToolRegistry()
    registry.register(tools.block, metadata=ToolMetadata(timeout=0.01))
    registry.register(tools.block_async, metadata=ToolMetadata(timeout=0.01))
    llm = StrictLLM(calls(call("block"), call("block_async")), "fine")
    agent = Agent("a", registry, llm=llm)
    assert agent.input("go") == "fine"
    assert tool_texts(agent) == [
        "Error executing block: ToolTimeoutError: ran longer than its limit of 0.01 s; it is still running",
        "Error executing block_async: ToolTimeoutError: ran longer than its limit of 0.01 s",
    ]
    assert [entry["error_type"] for entry in tool_entries(agent)] == ["ToolTimeoutError"] * 2
    assert registry.statistics("block").errors == 1


def test_a_stop_does_not_count_as_an_error_of_the_tool(tools: Blocking) -> None:
    agent = Agent("a", tools.block, llm=StrictLLM(calls(call("block"))))
    run_and_stop(agent, tools.begun)
    assert agent.tools.statistics("block").errors == 0


class Talking:
    """A model that streams, says when it has begun, and never ends by itself."""

    def __init__(self, pieces: list[str]) -> None:
        self.pieces = pieces
        self.given: Any = None
        self.begun = threading.Event()
        self.release = threading.Event()

    def complete(self, messages: Any, tools: Any = None, *, on_delta: Callable[[Delta], None]) -> LLMResponse:
        self.given = messages
        for piece in self.pieces:
            on_delta(Delta("text", piece))
        self.begun.set()
        self.release.wait(30)
        return LLMResponse("".join(self.pieces) + " and more")


def test_a_stop_during_the_answer_keeps_what_was_said() -> None:
    llm = Talking(["Hello ", "wor"])
    agent = Agent("a", llm=llm)
    assert run_and_stop(agent, llm.begun) == "Stopped by the user."
    llm.release.set()
    assert agent.current_session is not None
    assert agent.current_session["messages"][-1] == {"role": "assistant", "content": "Hello wor"}
    entry = agent.current_session["trace"][1]
    assert (entry["type"], entry["status"], entry["content"]) == ("llm_call", "cancelled", "Hello wor")
    assert entry["first_token_ms"] <= entry["duration_ms"]
    agent.llm = StrictLLM("fine")
    assert agent.input("again") == "fine"
    assert len(llm.given) == 2, "what the abandoned request reads must not change under it"


def test_a_failing_model_leaves_the_conversation_usable() -> None:
    llm = StrictLLM(ProviderError("no key"), RuntimeError("plug pulled"), "fine")
    agent = Agent("a", llm=llm)
    with pytest.raises(ProviderError, match="no key"):
        agent.input("one")
    with pytest.raises(ProviderError, match="StrictLLM failed: RuntimeError: plug pulled") as caught:
        agent.input("two")
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert agent.last_status == "error"
    assert agent.input("three") == "fine"
    assert [m["content"] for m in llm.requests[-1] if m["role"] == "user"] == ["one", "two", "three"]
    assert agent.current_session is not None
    failed = [entry for entry in agent.current_session["trace"] if entry.get("status") == "error"]
    assert [entry["error_type"] for entry in failed] == ["ProviderError", "RuntimeError"]


def test_a_model_that_answers_with_something_else_is_told_so() -> None:
    class Odd:
        def complete(self, messages: Any, tools: Any = None) -> Any:
            return "just text"

    with pytest.raises(ProviderError, match=r"Odd.complete\(\) returned str, not an LLMResponse"):
        Agent("a", llm=Odd()).input("go")


def test_a_child_process_of_a_tool_ends_with_it() -> None:
    children: list[subprocess.Popen[bytes]] = []
    begun = threading.Event()

    def shell() -> int:
        """Start something long."""
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        children.append(child)
        begun.set()
        return child.wait()

    agent = Agent("a", shell, llm=StrictLLM(calls(call("shell"))))
    run_and_stop(agent, begun)
    assert children[0].wait(30) != 0


def test_a_tool_that_only_waited_for_a_child_process_is_not_said_to_go_on_after_its_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jobs, "_CHILDREN_GRACE", 60)

    def shell() -> int:
        """Run something long."""
        return subprocess.run([sys.executable, "-c", "import time; time.sleep(600)"]).returncode

    registry = ToolRegistry()
    registry.register(shell, metadata=ToolMetadata(timeout=0.5))
    agent = Agent("a", registry, llm=StrictLLM(calls(call("shell")), "fine"))
    assert agent.input("go") == "fine"
    assert tool_texts(agent) == [
        "Error executing shell: ToolTimeoutError: ran longer than its limit of 0.5 s"
    ]
    assert "left_running" not in tool_entries(agent)[0]
    assert not agent.late_results
    assert agent.left_running == []


@pytest.mark.parametrize("start", ["thread", "pool", "thread of a thread"])
def test_a_child_process_of_a_thread_that_has_ended_ends_with_the_call(start: str) -> None:
    children: list[subprocess.Popen[bytes]] = []
    begun = threading.Event()

    def spawn() -> None:
        children.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]))

    def through(work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    def wait() -> int:
        """Have a thread start a child, and wait for the child."""
        if start == "pool":
            with ThreadPoolExecutor(1) as pool:
                pool.submit(spawn).result()
        else:
            through(spawn if start == "thread" else lambda: through(spawn))
        begun.set()
        return children[0].wait()

    agent = Agent("a", [wait], llm=StrictLLM(calls(call("wait"))))
    run_and_stop(agent, begun)
    assert children[0].wait(30) != 0


def test_a_child_process_of_an_earlier_call_lives_on() -> None:
    children: list[subprocess.Popen[bytes]] = []
    begun = threading.Event()
    release = threading.Event()

    def serve() -> str:
        """Start something that shall stay."""
        children.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE))
        return "started"

    def block() -> None:
        """Wait."""
        begun.set()
        release.wait(30)

    agent = Agent("a", [serve, block], llm=StrictLLM(calls(call("serve")), calls(call("block"))))
    child_is_older = threading.Event()

    @before_tools
    def wait_a_tick(agent: Agent) -> None:
        # A process's age is known to a clock tick, so the second call must begin a few ticks later.
        if children:
            child_is_older.wait(5 / os.sysconf("SC_CLK_TCK"))

    agent.hooks.add(wait_a_tick)
    run_and_stop(agent, begun)
    release.set()
    assert children[0].poll() is None
    children[0].communicate(b"\n")
    assert children[0].returncode == 0


def test_stopping_an_idle_agent_does_nothing() -> None:
    agent = Agent("a", llm=StrictLLM("fine"))
    assert agent.stop() is False
    assert agent.input("go") == "fine"


def test_a_second_turn_cannot_begin_inside_the_first() -> None:
    inner: list[Agent] = []

    def again() -> str:
        """Ask the agent that runs this."""
        return inner[0].input("inside")

    llm = StrictLLM(calls(call("again")), "done")
    inner.append(Agent("a", again, llm=llm))
    assert inner[0].input("go") == "done"
    assert "in the middle of a turn" in llm.requests[-1][-1]["content"]


def test_a_running_agent_cannot_be_reset(tools: Blocking) -> None:
    refused: list[str] = []

    @before_tools
    def reset(agent: Agent) -> None:
        with pytest.raises(WorkbenchError) as caught:
            agent.reset_conversation()
        refused.append(str(caught.value))

    agent = Agent("a", tools.quick, llm=StrictLLM(calls(call("quick", name="a"))), on_events=reset)
    agent.input("go")
    assert refused == ["agent a is in the middle of a turn: it cannot be reset"]


async def test_cancelling_the_task_of_ainput_stops_the_turn(tools: Blocking) -> None:
    llm = StrictLLM(calls(call("block_async"), call("block_async")), "fine")
    agent = Agent("a", tools.block_async, llm=llm)
    task = asyncio.create_task(agent.ainput("go"))
    async with asyncio.timeout(60):
        while not tools.begun.is_set():
            await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not agent.running
    assert len(tool_texts(agent)) == 2
    assert await agent.ainput("again") == "fine"


async def test_ainput_runs_async_tools_and_handlers_on_the_callers_loop() -> None:
    loops: list[asyncio.AbstractEventLoop] = []
    threads: list[int] = []

    async def where() -> str:
        """Say where."""
        loops.append(asyncio.get_running_loop())
        return "here"

    @before_tools
    async def handler(agent: Agent) -> None:
        loops.append(asyncio.get_running_loop())

    registry = ToolRegistry()
    registry.register(where)
    registry.register(
        lambda: threads.append(threading.get_ident()), name="bound", metadata=ToolMetadata(caller_thread=True)
    )
    agent = Agent(
        "a", registry, llm=StrictLLM(calls(call("where"), call("bound")), "done"), on_events=handler
    )
    assert await agent.ainput("go") == "done"
    assert loops == [asyncio.get_running_loop()] * 2
    assert threads == [threading.get_ident()]


def test_a_tool_bound_to_the_callers_thread_runs_there_and_others_do_not() -> None:
    threads: dict[str, int] = {}
    registry = ToolRegistry()
    registry.register(
        lambda: threads.update(bound=threading.get_ident()),
        name="bound",
        metadata=ToolMetadata(caller_thread=True),
    )
    registry.register(lambda: threads.update(free=threading.get_ident()), name="free")
    Agent("a", registry, llm=StrictLLM(calls(call("bound"), call("free")))).input("go")
    assert threads["bound"] == threading.get_ident()
    assert threads["free"] != threading.get_ident()
