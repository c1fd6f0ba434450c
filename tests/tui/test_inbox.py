"""Facts cross from threads to the loop in order, in batches, and never after the end."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Sequence

from workbench.tui.events import AgentEvent, SessionReset
from workbench.tui.inbox import Inbox


def fact(number: int) -> AgentEvent:
    return SessionReset("agent", float(number))


async def test_facts_from_a_thread_arrive_in_order_and_in_few_batches() -> None:
    batches: list[Sequence[AgentEvent]] = []
    done = asyncio.Event()

    def deliver(batch: Sequence[AgentEvent]) -> None:
        batches.append(batch)
        if sum(map(len, batches)) == 1_000:
            done.set()

    inbox = Inbox(deliver)
    inbox.post(fact(0))
    inbox.open(asyncio.get_running_loop())

    def post_all() -> None:
        for number in range(1, 1_000):
            inbox.post(fact(number))

    worker = threading.Thread(target=post_all)
    worker.start()
    async with asyncio.timeout(60):
        await done.wait()
    worker.join()
    assert [event.at for batch in batches for event in batch] == [float(n) for n in range(1_000)]
    assert len(batches) < 500


async def test_facts_are_delivered_in_the_context_of_the_one_who_opened() -> None:
    mark: contextvars.ContextVar[str] = contextvars.ContextVar("mark", default="nobody's")
    seen: list[str] = []
    done = asyncio.Event()

    def deliver(batch: Sequence[AgentEvent]) -> None:
        seen.append(mark.get())
        done.set()

    inbox = Inbox(deliver)
    mark.set("the opener's")
    inbox.open(asyncio.get_running_loop())
    worker = threading.Thread(target=lambda: inbox.post(fact(1)))
    worker.start()
    async with asyncio.timeout(60):
        await done.wait()
    worker.join()
    assert seen == ["the opener's"]


async def test_a_closed_inbox_delivers_nothing() -> None:
    batches: list[Sequence[AgentEvent]] = []
    inbox = Inbox(batches.append)
    inbox.open(asyncio.get_running_loop())
    inbox.close()
    inbox.post(fact(1))
    for _ in range(5):
        await asyncio.sleep(0)
    assert batches == []
