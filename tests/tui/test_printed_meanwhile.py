"""What a tool prints while it runs stands below its call, one line of it, until it ends."""

from __future__ import annotations

import threading

from tests.tui.driving import driven
from workbench import Agent
from workbench.console.captured import Captured
from workbench.console.stream_capture import StreamCapture
from workbench.providers.base import create_llm
from workbench.tui.events import Post


async def test_the_last_line_that_a_running_tool_printed_stands_below_it_until_it_ends() -> None:
    go_on, end = threading.Event(), threading.Event()

    def count() -> str:
        """Count."""
        print("first \x1b[31mnumber")
        go_on.wait(60)
        print("second number\n10 %\r20 %", end="")
        end.wait(60)
        return "counted"

    def start(post: Post) -> Agent:
        llm = create_llm("offline", pace=0)
        return Agent("teller", [count], llm=llm, quiet=True, log=False, trust="open")

    async with driven(start) as it:
        conversation = it.app.main.conversation
        try:
            await it.send("count()")
            await it.until(lambda: "first number" in it.shown(conversation))
            go_on.set()
            await it.until(lambda: "20 %" in it.shown(conversation))
            assert "10 %" not in it.shown(conversation)
            assert "number" not in it.shown(conversation)
        finally:
            go_on.set()
            end.set()
        await it.until(lambda: it.idle and "20 %" not in it.shown(conversation))
        assert "counted" in it.shown(conversation)


def test_the_end_of_a_text_is_what_was_written_last_and_reading_it_loses_nothing() -> None:
    captured = Captured("call", StreamCapture())
    captured.write("one\ntwo")
    assert captured.end_of_text(3) == "two"
    captured.write(" and three")
    assert captured.text == "one\ntwo and three"
    assert captured.end_of_text(99) == captured.text
