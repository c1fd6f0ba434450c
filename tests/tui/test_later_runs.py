"""At a pause a call of the trace is chosen; it runs again once the turn is over, which is shown and told."""

from __future__ import annotations

from tests.tui.driving import Driven, driven
from tests.tui.test_breakpoints import ended, paused
from workbench.engine import Breakpoint
from workbench.tui.screens.approval import ApprovalScreen
from workbench.tui.screens.earlier_calls import EarlierCallsScreen
from workbench.tui.screens.pause import PauseScreen


async def chosen(it: Driven, *words: str) -> None:
    """A call of the trace is chosen at a pause, and the pause is there again."""
    await it.press("R")
    await it.until(lambda: isinstance(it.app.screen, EarlierCallsScreen))
    for word in words:
        await it.write(word)
    await it.press("enter")
    await it.until(lambda: isinstance(it.app.screen, PauseScreen))
    await it.pilot.pause()


def reruns(it: Driven) -> list[str]:
    return [str(entry["result"]) for entry in it.trace if "rerun_of" in entry]


async def test_a_call_that_was_chosen_at_a_pause_runs_again_after_the_turn() -> None:
    async with driven(notifications=True) as it:
        await it.turn("add(a=1, b=2)")
        it.agent.breakpoints.add(Breakpoint("arithmetic.mean"))
        await it.send("mean(numbers=[4, 6])")
        await paused(it, "before", "mean")
        await chosen(it)
        await it.until(lambda: "1 runs again after the turn" in it.shown())
        await it.until(lambda: "arithmetic.add runs again once the turn is over" in it.shown())
        assert reruns(it) == []
        await it.press("enter")
        await ended(it)
        await it.until(lambda: reruns(it) == ["3"])
        await it.until(lambda: "arithmetic.add ran again: the same" in it.shown())
        assert [entry["type"] for entry in it.trace if "by_hand" in entry][-1] == "tool_execution"
        assert it.app.desks.lab.waiting() == 0


async def test_a_pause_further_on_in_the_turn_says_how_many_wait() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=2)")
        it.agent.breakpoints.add(Breakpoint("arithmetic.mean"))
        it.agent.breakpoints.add(Breakpoint("arithmetic.mean", "after"))
        await it.send("mean(numbers=[4, 6])")
        await paused(it, "before", "mean")
        await chosen(it)
        await chosen(it)
        await it.until(lambda: "2 run again after the turn" in it.shown())
        await it.press("enter")
        await paused(it, "after", "mean")
        assert "2 run again after the turn" in it.shown()
        await it.press("enter")
        await ended(it)
        await it.until(lambda: reruns(it) == ["3", "3"])


async def test_the_calls_are_found_by_their_words_and_escape_takes_none() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=2)")
        await it.turn("mean(numbers=[1, 2, 3])")
        it.agent.breakpoints.add(Breakpoint("arithmetic.add"))
        await it.send("add(a=5, b=5)")
        await paused(it, "before", "add")
        await chosen(it, "mean")
        await it.press("R")
        await it.until(lambda: isinstance(it.app.screen, EarlierCallsScreen))
        await it.write("nothing like it")
        await it.until(lambda: "No call that fits." in it.shown())
        await it.press("escape")
        await it.until(lambda: isinstance(it.app.screen, PauseScreen))
        await it.press("enter")
        await ended(it)
        await it.until(lambda: reruns(it) == ["2.0"])


async def test_a_person_is_asked_about_a_call_that_runs_later_as_about_any_other() -> None:
    async with driven() as it:
        await it.send("write_file(path='a.txt', text='x')")
        await it.asked()
        await it.press("y", "enter")
        await it.until(lambda: it.idle and len(it.trace) > 0)
        it.agent.breakpoints.add(Breakpoint("arithmetic.add"))
        await it.send("add(a=5, b=5)")
        await paused(it, "before", "add")
        await chosen(it)
        await it.press("enter")
        await it.until(lambda: isinstance(it.app.screen, ApprovalScreen))
        assert "by you" in it.shown()
        await it.asked()
        await it.press("escape")
        await it.until(lambda: it.idle)
        assert reruns(it) != []
