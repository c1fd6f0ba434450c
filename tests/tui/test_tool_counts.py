"""What the tools panel counts is what the registry counts: runs that began, and what never ran apart."""

from __future__ import annotations

from tests.tui.driving import Driven, driven
from tests.tui.panel_app import line_with
from tests.tui.test_breakpoints import ended, fields, paused
from workbench.engine import Breakpoint


def row(it: Driven, tool: str) -> list[str]:
    return line_with(it.app.main.tools.focus_target, tool).split()


async def test_only_calls_that_ran_are_counted_and_wrong_ones_apart() -> None:
    async with driven(size=(140, 50)) as it:
        await it.turn("add(a=1, b=2)")
        await it.turn("add(a='x', b=2)")
        await it.turn("add(a=3, b=2)")
        told = it.agent.tools.statistics("arithmetic.add")
        assert (told.calls, told.errors, told.validation_failures) == (2, 0, 1)
        tool = it.app.main.tools._tree.tools["arithmetic.add"]
        assert tool.statistics == told
        assert "wrong" in row(it, "■ add")


async def test_a_result_made_up_at_a_pause_is_no_call_of_the_tool() -> None:
    async with driven(size=(140, 50)) as it:
        it.agent.breakpoints.add(Breakpoint("arithmetic.add"))
        await it.send("add(a=1, b=2)")
        await paused(it)
        await it.press("k")
        await fields(it)
        await it.write("42")
        await it.press("ctrl+s", "enter")
        (entry,) = await ended(it)
        assert entry["made_up"]
        await it.until(lambda: "0" in row(it, "■ add"))
        assert it.agent.tools.statistics("arithmetic.add").calls == 0
