"""At a pause a call of the trace is chosen; it runs again once the turn is over, which is shown and told."""

from __future__ import annotations

from tests.tui.driving import Driven, driven
from tests.tui.test_breakpoints import ended, paused
from workbench.engine import Breakpoint
from workbench.tui.screens.approval import ApprovalScreen
from workbench.tui.screens.earlier_calls import EarlierCallsScreen
from workbench.tui.screens.pause import PauseScreen
from workbench.tui.screens.rerun import RerunScreen


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


async def left_to_wait(it: Driven) -> None:
    """A call of the trace is to run again while a turn runs, and is left to wait for its end."""
    await it.turn("add(a=1, b=2)")
    await it.send("slow_countdown(seconds=60)")
    await it.until(lambda: "running" in it.shown(it.app.main.activity_line))
    call = next(call for call in it.app.main.trace.calls() if call.data.get("tool_name") == "arithmetic.add")
    it.app.main.trace.go_to(call)
    await it.focus("trace")
    await it.press("R")
    await it.until(lambda: isinstance(it.app.screen, RerunScreen))
    await it.press("escape")
    await it.until(lambda: "queued run again arithmetic.add" in it.shown(it.app.main.queue))


async def test_a_call_that_waits_to_run_again_is_taken_back_from_the_empty_prompt() -> None:
    async with driven() as it:
        await left_to_wait(it)
        await it.focus("prompt")
        await it.press("up")
        await it.until(lambda: not it.app.main.queue.display)
        assert it.app.main.prompt.draft == ""
        await it.press("escape")
        await it.until(lambda: it.idle)
        await it.turn("add(a=5, b=5)")
        assert reruns(it) == []
        assert it.app.desks.lab.waiting() == 0


async def test_a_click_takes_back_the_call_that_waits_and_not_the_message_below() -> None:
    async with driven() as it:
        await left_to_wait(it)
        await it.send("a message")
        await it.until(lambda: "queued a message" in it.shown(it.app.main.queue))
        await it.pilot.click(it.app.main.queue, offset=(10, 0))
        await it.until(lambda: "run again" not in it.shown(it.app.main.queue))
        assert "queued a message" in it.shown(it.app.main.queue)
        await it.pilot.click(it.app.main.queue, offset=(10, 0))
        await it.until(lambda: it.app.main.prompt.draft == "a message")
        await it.press("ctrl+c")
        await it.press("escape")
        await it.until(lambda: it.idle)
        assert reruns(it) == []


async def test_a_call_that_nobody_took_back_runs_again_once_and_leaves_the_queue() -> None:
    async with driven() as it:
        await left_to_wait(it)
        await it.focus("prompt")
        await it.press("escape")
        await it.until(lambda: reruns(it) == ["3"])
        await it.until(lambda: not it.app.main.queue.display)


async def test_an_edited_message_keeps_its_place_and_a_thrown_away_one_leaves_none() -> None:
    async with driven() as it:
        await it.send("slow_countdown(seconds=60)")
        for text in ("one", "two", "three"):
            await it.send(text)
        queue = it.app.main.queue
        await it.until(lambda: queue.count == 3)
        await it.pilot.click(queue, offset=(10, 0))
        await it.until(lambda: it.app.main.prompt.draft == "one")
        await it.write(" more")
        await it.press("enter")
        await it.until(lambda: "queued one more\n" in "\n".join(map(str.rstrip, it.shown(queue).split("\n"))))
        assert it.shown(queue).index("one more") < it.shown(queue).index("two")
        await it.pilot.click(queue, offset=(10, 0))
        await it.until(lambda: it.app.main.prompt.draft == "one more")
        await it.press("ctrl+c")
        await it.send("four")
        await it.until(lambda: "four" in it.shown(queue))
        assert it.shown(queue).index("three") < it.shown(queue).index("four")
        await it.press("escape")
        await it.until(lambda: it.idle)
