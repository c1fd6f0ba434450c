"""The agent's thread tells what goes wrong on it, and nobody waits for an agent that will not come."""

from __future__ import annotations

import asyncio
from concurrent.futures import CancelledError
from typing import Any

from tests.engine.strict_llm import StrictLLM
from workbench.console.stream_capture import StreamCapture
from workbench.engine.agent import Agent
from workbench.errors import ConfigError
from workbench.tui import events
from workbench.tui.agent_thread import AgentThread
from workbench.tui.approver import Approver
from workbench.tui.bridge import Bridge
from workbench.tui.broker import ApprovalBroker


class BrokenBridge(Bridge):
    """Cannot be attached."""

    def attach(self, agent: Agent) -> None:
        raise ConfigError("it does not fit", hint="Take another one.")


async def test_an_agent_that_cannot_be_watched_is_told_and_every_message_is_answered() -> None:
    posted: list[events.AgentEvent] = []

    def bridge() -> Bridge:
        return BrokenBridge(posted.append, Approver(ApprovalBroker(lambda _: True)), lambda: None)

    def start(_: Any) -> Agent:
        return Agent("a", llm=StrictLLM(), quiet=True)

    thread = AgentThread(start, bridge, StreamCapture(), posted.append)
    thread.do(lambda agent: agent.input("hello"))
    thread.start()
    async with asyncio.timeout(60):
        while not any(isinstance(event, events.TurnFinished) for event in posted):
            await asyncio.sleep(0)
    assert thread.finish(timeout=60)
    failed, answer = posted
    assert isinstance(failed, events.AgentFailed)
    assert (failed.error, failed.hint) == ("it does not fit", "Take another one.")
    assert isinstance(answer, events.TurnFinished)
    assert answer.error == "There is no agent: it does not fit"


async def test_an_agent_whose_screen_ended_meanwhile_is_closed_and_nothing_is_told() -> None:
    posted: list[events.AgentEvent] = []

    def bridge() -> Bridge:
        raise CancelledError

    def start(_: Any) -> Agent:
        return Agent("a", llm=StrictLLM(), quiet=True)

    thread = AgentThread(start, bridge, StreamCapture(), posted.append)
    thread.start()
    assert thread.finish(timeout=60)
    assert posted == []
