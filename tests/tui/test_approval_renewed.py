"""A tool whose code changes while a call of it waits for a verdict: it is judged, and told, anew."""

from __future__ import annotations

from tests.tui.driving import driven
from workbench import Agent, tool
from workbench.engine.agent import Agent as EngineAgent
from workbench.tui.events import Post

ran: list[str] = []


@tool(preview=lambda path: (path, "old\n", ""))
def clear(path: str) -> str:
    """Clear a file."""
    ran.append(path)
    return "cleared"


def clear_file(file: str) -> str:
    """Clear a file, by another name of its argument."""
    ran.append(file)
    return "cleared"


clear_file.__name__ = "clear"


def start(post: Post) -> EngineAgent:
    return Agent("chief", [clear], model="offline", quiet=True, trust="strict")


async def test_a_call_of_a_tool_that_changed_is_judged_anew_and_told_so_and_does_not_run_unfit() -> None:
    ran.clear()
    async with driven(start) as it:
        await it.send('clear(path="a.txt")')
        screen = await it.asked()
        await it.until(lambda: "− old" in it.shown(screen.sheet.page))

        it.agent.tools.unregister("clear")
        it.agent.tools.register(clear_file)

        await it.until(lambda: "Code has changed since: call 1" in it.shown())
        await it.until(lambda: "path: no such argument" in it.shown(screen.sheet.page))
        await it.press("right")
        await it.until(lambda: '"file"' in it.shown(screen.sheet.page))
        await it.press("y")
        await it.press("enter")
        await it.until(lambda: it.idle)
    assert ran == []


async def test_a_call_of_a_tool_that_went_away_says_so_and_others_are_left_alone() -> None:
    async with driven(start) as it:
        await it.send('clear(path="a.txt")')
        screen = await it.asked()
        it.agent.tools.register(len, name="other")
        await it.pilot.pause()
        assert screen.sheet.note == ""

        it.agent.tools.unregister("clear")

        await it.until(lambda: "There is no tool clear." in it.shown(screen.sheet.page))
        await it.press("escape")
        await it.until(lambda: it.idle)
