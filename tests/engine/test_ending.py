"""A tool that may be ended, and that nobody waits for any more, is ended by an exception inside of it."""

from __future__ import annotations

import _weakrefset
import ast
import logging
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import ModuleType
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from tests.engine.waiting import until
from workbench.engine import ending
from workbench.engine.agent import Agent
from workbench.engine.ending import EndedFromOutside, Ending, _may_end
from workbench.engine.jobs import Abandoned, Errand
from workbench.engine.worker import WorkerPool
from workbench.registry import ToolMetadata, ToolRegistry


class Looping:
    """Tools that go on until they are let go; what they did at the end is in ``ended``."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.let_go = False
        self.turns = 0
        self.ended: list[Any] = []
        self.lock = threading.Lock()

    def _turn_round(self) -> None:
        self.begun.set()
        while not self.let_go:
            self.turns += 1

    def loop(self) -> str:
        """Go on."""
        with self.lock:
            try:
                self._turn_round()
            finally:
                self.ended.append("finally")
        return "late"

    def stubborn(self) -> str:
        """Go on, whatever exception comes."""
        while not self.let_go:
            try:
                self._turn_round()
            except Exception as error:
                self.ended.append(error)
        return "late"

    def naps(self) -> str:
        """Rest and go on."""
        while not self.let_go:
            self.begun.set()
            time.sleep(0.01)
        return "late"

    def waits(self) -> str:
        """Wait and go on."""
        while not self.let_go:
            self.begun.set()
            threading.Event().wait(0.01)
        return "late"

    def reads(self) -> str:
        """Take what it says apart, without end."""
        while not self.let_go:
            self.begun.set()
            ast.literal_eval("[" + "1," * 50 + "]")
        return "late"

    def shows(self) -> Any:
        """Give something whose text never ends."""
        looping = self

        class Endless:
            def __str__(self) -> str:
                looping._turn_round()
                return "late"

        return Endless()


@pytest.fixture
def looping() -> Iterator[Looping]:
    made = Looping()
    yield made
    made.let_go = True


def stopped(agent: Agent, begun: threading.Event) -> None:
    """Run a turn on a thread and stop it once it has begun."""
    turn = threading.Thread(target=agent.input, args=("go",), daemon=True)
    turn.start()
    assert begun.wait(30)
    agent.stop()
    turn.join(30)
    assert agent.last_status == "stopped"


@pytest.mark.parametrize("name", ["loop", "stubborn", "naps", "waits", "reads", "shows"])
@pytest.mark.parametrize("parallel", [False, True])
def test_a_stopped_tool_ends_although_it_would_go_on(looping: Looping, name: str, parallel: bool) -> None:
    registry = ToolRegistry()
    metadata = ToolMetadata(parallel_safe=parallel, interruptible=True)
    registry.register(getattr(looping, name), metadata=metadata)
    agent = Agent("a", registry, llm=StrictLLM(calls(*[call(name)] * (1 + parallel)), "again"))
    stopped(agent, looping.begun)
    until(lambda: not agent.left_running)
    assert not looping.let_go
    assert agent.input("go on") == "again"


def test_what_a_tool_has_open_is_closed_when_it_is_ended(looping: Looping) -> None:
    registry = ToolRegistry()
    registry.register(looping.loop, metadata=ToolMetadata(interruptible=True))
    agent = Agent("a", registry, llm=StrictLLM(calls(call("loop"))))
    stopped(agent, looping.begun)
    until(lambda: not agent.left_running)
    assert looping.ended == ["finally"]
    assert looping.lock.acquire(blocking=False)


def test_a_tool_that_runs_too_long_is_ended_and_the_turn_goes_on(looping: Looping) -> None:
    registry = ToolRegistry()
    registry.register(looping.stubborn, metadata=ToolMetadata(timeout=0.05, interruptible=True))
    llm = StrictLLM(calls(call("stubborn")), "done")
    agent = Agent("a", registry, llm=llm)
    assert agent.input("go") == "done"
    until(lambda: not agent.left_running)
    assert looping.ended == []
    assert "longer than its limit" in llm.requests[1][-1]["content"]


def test_a_tool_that_does_not_say_that_it_may_be_ended_goes_on(looping: Looping) -> None:
    registry = ToolRegistry()
    registry.register(looping.naps, metadata=ToolMetadata())
    agent = Agent("a", registry, llm=StrictLLM(calls(call("naps")), "again"))
    stopped(agent, looping.begun)
    assert [left.label for left in agent.left_running] == ["naps"]
    looping.let_go = True
    until(lambda: agent.late_results)
    assert agent.late_results[0]["result"] == "late"


def test_a_tool_on_the_callers_thread_is_never_ended(looping: Looping) -> None:
    registry = ToolRegistry()
    registry.register(looping.naps, metadata=ToolMetadata(caller_thread=True, interruptible=True))
    llm = StrictLLM(calls(call("naps")))
    agent = Agent("a", registry, llm=llm)
    turn = threading.Thread(target=agent.input, args=("go",), daemon=True)
    turn.start()
    assert looping.begun.wait(30)
    agent.stop()
    looping.let_go = True
    turn.join(30)
    assert agent.current_session is not None
    entry = next(e for e in agent.current_session["trace"] if e["type"] == "tool_execution")
    assert (entry["status"], entry["result"]) == ("success", "late")


def test_the_next_call_never_meets_the_exception_of_an_earlier_one() -> None:
    pool = WorkerPool()
    here = threading.current_thread()
    for _ in range(300):
        job = pool.start(lambda: sum(range(50)), Errand("short", may_end=True))
        with suppress(Abandoned):
            job.wait(None, 0.0)
        assert pool.start(lambda: "fine", Errand("next", may_end=True)).wait(None, 30) == "fine"
    assert here.is_alive()


def test_an_ending_that_comes_too_late_raises_nothing() -> None:
    ending = Ending(threading.get_ident())
    ending.over()
    assert ending.begin()
    assert sum(range(1000)) == 499_500


def seen_from(work: Callable[[Callable[[], None]], object]) -> bool:
    """Whether a tool may be ended where ``work`` calls what it was given."""
    seen: list[bool] = []

    def tool() -> str:
        """Work."""
        work(lambda: seen.append(_may_end(sys._getframe(1))))
        return "done"

    Agent("a", tool, llm=StrictLLM(calls(call("tool")))).input("go")
    return seen[0]


class Opened:
    def __init__(self, look: Callable[[], None]) -> None:
        self.look = look

    def __enter__(self) -> None:
        self.look()

    def __exit__(self, *_: object) -> None:
        pass


class Handler(logging.Handler):
    def __init__(self, look: Callable[[], None]) -> None:
        super().__init__()
        self.look = look

    def emit(self, record: logging.LogRecord) -> None:
        self.look()


def enters(look: Callable[[], None]) -> None:
    with Opened(look):
        pass


def logs(look: Callable[[], None]) -> None:
    Handler(look).handle(logging.LogRecord("a", 20, "a", 1, "a", (), None))


def locks(look: Callable[[], None]) -> None:
    lock = threading.Lock()
    _ = lock.acquire() and look()  # type: ignore[func-returns-value]  # on one line
    lock.release()


def finalizes(look: Callable[[], None]) -> None:
    opened = Opened(look)
    weakref.finalize(opened, lambda: look())  # a frame of its own, as any callback has
    del opened


def inside(module: ModuleType, name: str) -> Callable[[Callable[[], None]], None]:
    """Looks from within a function of this name in a module of the standard library."""
    space: dict[str, Any] = {}
    exec(compile(f"def {name}(look): look()", str(module.__file__), "exec"), space)
    called: Callable[[Callable[[], None]], None] = space[name]
    return called


def has_an_agent_work(look: Callable[[], None]) -> None:
    def inside() -> str:
        """Look."""
        look()
        return "done"

    registry = ToolRegistry()
    registry.register(inside, metadata=ToolMetadata(caller_thread=True, interruptible=True))
    Agent("inner", registry, llm=StrictLLM(calls(call("inside")))).input("go")


@pytest.mark.parametrize(
    ("work", "may"),
    [
        (lambda look: look(), True),
        (enters, False),
        (logs, False),
        (locks, False),
        (has_an_agent_work, False),
        (finalizes, False),
        (inside(threading, "wait"), True),
        (inside(threading, "join"), True),
        (inside(threading, "notify"), False),
        (inside(_weakrefset, "_remove"), False),
    ],
)
def test_nothing_is_ended_where_that_would_leave_something_open(work: Any, may: bool) -> None:
    assert seen_from(work) is may


def test_the_exception_is_none_that_a_tool_catches() -> None:
    assert not issubclass(EndedFromOutside, Exception)


def test_between_the_look_and_the_exception_nothing_has_to_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "ctypes", raising=False)
    loaded: list[bool] = []

    def look(_ident: int) -> None:
        loaded.append("ctypes" in sys.modules)

    monkeypatch.setattr(ending, "_frame_of", look)
    Ending(threading.get_ident()).begin()
    assert loaded == [True]
