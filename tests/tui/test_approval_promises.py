"""What a person can rely on when a call is asked for: it runs once, after a yes, and for no other reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.tui.driving import driven
from workbench import Agent, tool
from workbench.engine import before_each_tool, before_tools
from workbench.engine.agent import Agent as EngineAgent
from workbench.tui.events import Post
from workbench.tui.screens.approval import ApprovalScreen

SEND = 'send(text="hi")'


class Counter:
    """A tool that counts how often its body ran."""

    def __init__(self) -> None:
        self.ran = 0

    def starts(self, *handlers: Callable[[Any], None]) -> Callable[[Post], EngineAgent]:
        """An agent whose only tool this is; every call of it asks."""

        def send(text: str) -> str:
            """Send it."""
            self.ran += 1
            return "sent"

        def start(post: Post) -> EngineAgent:
            return Agent(
                "chief", [send], model="offline", quiet=True, trust="strict", on_events=list(handlers)
            )

        return start


async def test_an_approved_call_runs_once_however_often_the_keys_are_pressed() -> None:
    counter = Counter()
    async with driven(counter.starts()) as it:
        await it.send(SEND)
        await it.asked()
        await it.press("y", "enter", "enter", "enter")
        await it.until(lambda: it.idle)
        assert counter.ran == 1


async def test_a_question_that_nobody_answers_for_a_day_is_still_open() -> None:
    counter = Counter()
    async with driven(counter.starts()) as it:
        await it.send(SEND)
        screen = await it.asked()
        for _ in range(24):
            it.clock.now += 3600
            await it.pilot.pause()
        assert it.app.screen is screen
        assert counter.ran == 0
        await it.press("n", "enter")
        await it.until(lambda: it.idle)
        (entry,) = [entry for entry in it.trace if entry["type"] == "tool_execution"]
        assert (entry["status"], counter.ran) == ("rejected", 0)
        assert "timeout" not in str(entry).lower()


@before_tools
def breaks(agent: Any) -> None:
    """Fails before anybody is asked."""
    raise ValueError("the hook broke")


@before_each_tool
def breaks_later(agent: Any) -> None:
    """Fails after the yes, before the call."""
    raise ValueError("the hook broke")


@pytest.mark.parametrize("handler", [breaks, breaks_later], ids=["before the question", "after the yes"])
async def test_a_hook_that_fails_means_that_nothing_runs(handler: Callable[[Any], None]) -> None:
    counter = Counter()
    async with driven(counter.starts(handler)) as it:
        await it.send(SEND)
        if handler is breaks_later:
            await it.asked()
            await it.press("y", "enter")
        await it.until(lambda: it.idle and len(it.trace) > 2)
        assert counter.ran == 0
        await it.until(lambda: not isinstance(it.app.screen, ApprovalScreen))
        await it.until(lambda: "the hook broke" in it.shown(it.app.main.conversation))


async def test_a_call_of_an_agent_inside_a_tool_is_previewed_like_any_other() -> None:
    @tool(preview=lambda text: ("note.txt", "old\n", f"{text}\n"))
    def note(text: str) -> str:
        """Write a note."""
        return "noted"

    def start(post: Post) -> EngineAgent:
        inner = Agent("scribe", [note], model="offline")
        return Agent("chief", [inner], model="offline", quiet=True, trust="strict")

    async with driven(start) as it:
        await it.send("scribe(task=\"note(text='brand new')\")")
        first = await it.asked()
        await it.press("y", "enter")
        await it.until(lambda: it.app.screen is not first and isinstance(it.app.screen, ApprovalScreen))
        await it.asked()
        await it.until(lambda: "+ brand new" in it.shown())
        assert "- old" in it.shown() or "− old" in it.shown()
        await it.press("n", "enter")
        await it.until(lambda: it.idle)


async def test_nobody_is_asked_about_a_call_whose_arguments_do_not_fit() -> None:
    counter = Counter()
    async with driven(counter.starts()) as it:
        await it.send("send(txt='hi')")
        await it.until(lambda: it.idle and it.trace)
        assert [entry for entry in it.trace if entry["type"] == "human_wait"] == []
        (entry,) = [entry for entry in it.trace if entry["type"] == "tool_execution"]
        assert (entry["status"], entry["error_type"], counter.ran) == ("error", "ToolArgumentsError", 0)
        assert "text" in entry["result"]


async def test_beside_one_that_is_asked_about_an_unfit_call_says_that_it_cannot_run() -> None:
    counter = Counter()
    async with driven(counter.starts()) as it:
        await it.send("send(txt='hi') and send(text='ho')")
        screen = await it.asked()
        assert "✗ unfit" in it.shown()
        assert "what is wrong with the arguments for send" in it.shown()
        assert screen.calls.cursor == 1
        await it.press("y", "enter")
        await it.until(lambda: it.idle)
        statuses = [entry["status"] for entry in it.trace if entry["type"] == "tool_execution"]
        assert (statuses, counter.ran) == (["error", "success"], 1)
