"""A hook that raises behind a call: the call has run, and what failed is the hook."""

from __future__ import annotations

from typing import Any

from tests.tui.driving import Driven, driven
from workbench import Agent
from workbench.engine.hooks import after_each_tool
from workbench.tui.events import Post
from workbench.tui.trace_records import Turn
from workbench.tui.transcript.call import CallBlock


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


@after_each_tool
def boom(agent: Any) -> None:
    """Never works."""
    raise ValueError("the hook is broken")


def start(post: Post) -> Agent:
    """An agent whose first call ends in a hook that raises."""
    return Agent("boss", [add], model="offline", quiet=True, trust="open", on_events=[boom])


def calls(it: Driven) -> list[CallBlock]:
    """The calls in the conversation."""
    blocks = it.app.main.conversation.document.blocks
    return [block for block in blocks if isinstance(block, CallBlock)]


async def test_a_call_behind_which_a_hook_raised_is_shown_as_it_ended() -> None:
    async with driven(start) as it:
        await it.turn("add(a=6, b=7) and add(a=1, b=1)")
        await it.until(lambda: len(calls(it)) == 2 and calls(it)[1].state == "cancelled")
        assert calls(it)[0].state == "success"
        states = [entry.state for entry in it.app.main.trace.calls()]
        assert states == ["success", "cancelled"]


async def test_a_hooks_failure_names_its_line_and_unfolds_to_its_traceback() -> None:
    async with driven(start) as it:
        await it.turn("add(a=6, b=7)")
        line = boom.func.__code__.co_firstlineno + 3
        # where the project lies decides at which letter the line is wrapped
        conversation = it.app.main.conversation
        await it.until(lambda: f"test_failing_hooks.py:{line}" in "".join(it.shown(conversation).split()))
        assert "Traceback" not in it.shown()
        await it.focus("conversation")
        await it.press("enter")
        await it.until(lambda: 'raise ValueError("the hook is broken")' in it.shown())


async def test_the_next_error_of_the_trace_is_the_turn_that_a_hook_ended() -> None:
    async with driven(start) as it:
        await it.turn("add(a=6, b=7)")
        await it.focus("trace")
        await it.press("f")
        await it.press("e")
        await it.pilot.pause()
        row = it.app.main.trace._rows.current
        assert isinstance(row, Turn)
        assert row.status == "error"
