"""The bell wakes whoever waits, never loses a ring, and is each process's own."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from workbench.engine.bell import Bell, own_bell


def test_a_ring_before_the_wait_is_not_lost() -> None:
    bell = Bell()
    bell.ring()
    bell.wait()


def test_a_wait_ends_after_its_time() -> None:
    Bell().wait(0.0)
    Bell().wait(-1.0)


def test_a_thread_that_waits_is_woken_by_another() -> None:
    bell = Bell()
    woken = threading.Event()

    def wait() -> None:
        bell.wait()
        woken.set()

    threading.Thread(target=wait, daemon=True).start()
    bell.ring()
    assert woken.wait(30)


def test_a_wait_that_came_too_late_for_its_ring_leaves_none_behind() -> None:
    bell = Bell()
    bell.ring()
    bell.wait()
    assert not bell._poll.poll(0)


def test_a_signal_handler_that_waits_leaves_the_interrupted_wait_its_ring() -> None:
    bell = Bell()
    handled = threading.Event()
    waiter = threading.get_ident()

    def handle(*_: object) -> None:
        bell.wait(0.0)
        handled.set()

    def interrupt_and_ring() -> None:
        while not bell._waiting:
            pass
        signal.pthread_kill(waiter, signal.SIGUSR1)
        handled.wait()
        bell.ring()

    earlier = signal.signal(signal.SIGUSR1, handle)
    try:
        thread = threading.Thread(target=interrupt_and_ring, daemon=True)
        thread.start()
        bell.wait()
        thread.join()
    finally:
        signal.signal(signal.SIGUSR1, earlier)


def test_a_bell_that_nobody_listens_to_can_be_rung_any_number_of_times() -> None:
    bell = Bell()
    for _ in range(100_000):
        bell.ring()
    bell.wait()


def test_each_thread_has_one_bell_of_its_own() -> None:
    bells: list[Bell] = []
    thread = threading.Thread(target=lambda: bells.extend((own_bell(), own_bell())))
    thread.start()
    thread.join()
    assert bells[0] is bells[1]
    assert own_bell() is own_bell()
    assert own_bell() is not bells[0]


def test_a_bell_that_nobody_holds_keeps_no_file_descriptors() -> None:
    gc.collect()
    before = sorted(os.listdir("/dev/fd"))
    bells = [Bell() for _ in range(10)]
    assert len(os.listdir("/dev/fd")) >= len(before) + 10  # one or two each
    del bells
    assert sorted(os.listdir("/dev/fd")) == before


FORKED = """
import os, sys
from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine.agent import Agent

def plain() -> str:
    return "ran"

async def later() -> str:
    return "ran too"

def run() -> list[str]:
    llm = StrictLLM(calls(call("plain"), call("later")))
    agent.llm = llm
    agent.input("go")
    return [message["content"] for message in llm.requests[-1] if message["role"] == "tool"][-2:]

agent = Agent("a", [plain, later], llm=StrictLLM())
assert run() == ["ran", "ran too"]
child = os.fork()
if not child:
    os._exit(0 if run() == ["ran", "ran too"] else 1)
assert os.waitpid(child, 0)[1] == 0
assert run() == ["ran", "ran too"]
"""


def test_an_agent_works_in_a_forked_child_and_afterwards_in_the_parent() -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", FORKED], cwd=root, timeout=60, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


LOST = """
import os
from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine.agent import Agent

def split() -> str:
    return "the child's" if not os.fork() else "the parent's"

def plain() -> str:
    return "ran"

llm = StrictLLM(calls(call("split")), calls(*[call("plain")] * 50))
agent = Agent("a", [split, plain], llm=llm)
agent.input("go")
print([message["content"] for message in llm.requests[-1] if message["role"] == "tool"].count("ran"))
print(llm.requests[1][-1]["content"])
os.killpg(0, 9)
"""


def test_a_child_that_a_tool_forks_and_lets_return_takes_nothing_from_the_parent() -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-uc", LOST],
        cwd=root,
        timeout=60,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )
    assert done.stdout == "50\nthe parent's\n", done.stderr
