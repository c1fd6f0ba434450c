"""What a tool starts on other threads belongs to its call."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest import mock

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from tests.engine.waiting import until
from workbench.engine import Observer, xray
from workbench.engine.agent import Agent
from workbench.engine.observer import TraceEntry
from workbench.engine.worker import pool

Start = Callable[[Callable[[], Any]], None]


def on_a_thread(work: Callable[[], Any]) -> None:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join()


def on_a_thread_with_a_run_of_its_own(work: Callable[[], Any]) -> None:
    thread = threading.Thread(daemon=True)
    vars(thread)["run"] = work
    thread.start()
    thread.join()
    assert vars(thread)["run"] is work


def on_a_timer(work: Callable[[], Any]) -> None:
    timer = threading.Timer(0, work)
    timer.start()
    timer.join()


def in_a_new_pool(work: Callable[[], Any]) -> None:
    with ThreadPoolExecutor() as pool:
        pool.submit(work).result()


def through_to_thread(work: Callable[[], Any]) -> None:
    asyncio.run(asyncio.to_thread(work))


@pytest.fixture
def old_pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(threading.get_ident).result()
        yield pool


WAYS = [on_a_thread, on_a_thread_with_a_run_of_its_own, on_a_timer, in_a_new_pool, through_to_thread]


class Watcher(Observer):
    """Notes whose calls it is told of."""

    nested = True

    def __init__(self) -> None:
        self.seen: list[str] = []

    def entry_added(self, agent: Agent, entry: TraceEntry) -> None:
        self.seen.append(agent.name)


def outer_agent(way: Start, work: Callable[[], Any]) -> Agent:
    def delegate() -> str:
        """Have it done elsewhere."""
        way(work)
        return "done"

    return Agent("outer", delegate, llm=StrictLLM(calls(call("delegate"))))


@pytest.mark.parametrize("way", WAYS)
def test_an_agent_on_a_thread_of_a_tool_works_inside_the_call(way: Start) -> None:
    inner = Agent("inner", llm=StrictLLM("hello"))
    seen: list[Any] = []

    def work() -> None:
        seen.append(xray.agent)
        inner.input("hi")

    outer = outer_agent(way, work)
    watcher = Watcher()
    outer.observers.append(watcher)
    outer.input("go")
    assert "inner" in watcher.seen
    assert seen == [outer]
    assert outer.current_session is not None
    (entry,) = [each for each in outer.current_session["trace"] if each["type"] == "tool_execution"]
    assert [turn["agent"] for turn in entry["nested"]] == ["inner"]


def test_a_pool_that_is_older_than_the_call_works_inside_it_too(old_pool: ThreadPoolExecutor) -> None:
    seen: list[Any] = []
    outer = outer_agent(lambda work: old_pool.submit(work).result(), lambda: seen.append(xray.agent))
    outer.input("go")
    assert seen == [outer]


def test_a_pool_that_began_inside_a_call_does_not_stay_in_it() -> None:
    seen: list[Any] = []
    with ThreadPoolExecutor(1) as pool:
        outer = outer_agent(lambda work: pool.submit(work).result(), lambda: seen.append(xray.agent))
        outer.input("go")
        pool.submit(lambda: seen.append(xray.agent)).result()
    assert seen == [outer, None]


def test_threads_outside_of_calls_begin_with_nothing() -> None:
    outer_agent(on_a_thread, lambda: None).input("go")
    seen: list[Any] = []
    on_a_thread(lambda: seen.append(xray.agent))
    assert seen == [None]


def test_starting_a_thread_twice_is_refused_as_ever() -> None:
    refused: list[str] = []

    def twice(work: Callable[[], Any]) -> None:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        try:
            thread.start()
        except RuntimeError as error:
            refused.append(str(error))

    outer_agent(twice, lambda: None).input("go")
    assert refused == ["threads can only be started once"]


def test_a_worker_that_was_made_inside_a_call_does_not_keep_the_agent_alive() -> None:
    def deeper() -> str:
        """Be there."""
        return "here"

    def deep() -> str:
        """Work one level below: of the workers that takes one more."""
        return Agent("inner", deeper, llm=StrictLLM(calls(call("deeper")))).input("hi")

    def run() -> weakref.ref[Agent]:
        outer = Agent("outer", deep, llm=StrictLLM(calls(call("deep"))))
        assert outer.input("go") == "done"
        return weakref.ref(outer)

    with mock.patch.object(pool, "_idle", deque()):
        outer = run()
    until(lambda: gc.collect() >= 0 and outer() is None)  # the worker may still have to let go


@pytest.mark.parametrize("way", WAYS)
def test_a_stop_reaches_an_agent_on_a_thread_of_a_tool(way: Start) -> None:
    begun, release = threading.Event(), threading.Event()

    def block() -> None:
        """Wait to be let go."""
        begun.set()
        release.wait(30)

    inner = Agent("inner", block, llm=StrictLLM(calls(call("block"))))
    outer = outer_agent(way, lambda: inner.input("hi"))
    threading.Thread(target=lambda: begun.wait(30) and outer.stop(), daemon=True).start()
    assert outer.input("go") == "Stopped by the user."
    until(lambda: inner.last_status == "stopped")
    release.set()


@pytest.mark.parametrize("way", WAYS)
def test_a_stop_ends_the_processes_that_threads_of_a_tool_started(way: Start) -> None:
    begun = threading.Event()
    started: list[subprocess.Popen[bytes]] = []

    def work() -> None:
        with subprocess.Popen(["sleep", "60"]) as process:
            started.append(process)
            begun.set()

    outer = outer_agent(way, work)
    threading.Thread(target=lambda: begun.wait(30) and outer.stop(), daemon=True).start()
    outer.input("go")
    until(lambda: started[0].returncode is not None)
    assert started[0].returncode < 0


def test_a_function_on_a_thread_of_an_async_tool_is_left_running_until_it_ends() -> None:
    begun, release = threading.Event(), threading.Event()

    async def work() -> None:
        """Do it on a thread."""

        def block() -> None:
            begun.set()
            release.wait(30)

        await asyncio.to_thread(block)

    agent = Agent("a", work, llm=StrictLLM(calls(call("work"))))
    threading.Thread(target=lambda: begun.wait(30) and agent.stop(), daemon=True).start()
    agent.input("go")
    (left,) = agent.left_running
    assert left.label == "work"
    assert agent.current_session is not None
    (entry,) = [each for each in agent.current_session["trace"] if each["type"] == "tool_execution"]
    assert entry["left_running"]
    release.set()
    until(lambda: not agent.left_running)
