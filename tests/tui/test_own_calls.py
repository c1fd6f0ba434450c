"""A single call that a person runs without the model: one key is the answer, and prose is none."""

from __future__ import annotations

from tests.tui.driving import Driven, driven
from workbench.tui.screens.approval import ApprovalScreen
from workbench.tui.screens.call_form import CallForm


async def asked(it: Driven, name: str) -> ApprovalScreen:
    """The question about a file that a person writes by hand."""
    await it.send("/call files.write_file")
    await it.until(lambda: isinstance(it.app.screen, CallForm))
    await it.write(name)
    await it.press("tab")
    await it.write("text")
    await it.press("ctrl+s")
    return await it.asked()


def written(it: Driven) -> list[str]:
    """How the calls by hand ended."""
    return [entry["status"] for entry in it.trace if entry["type"] == "tool_execution"]


async def test_one_key_runs_the_one_call_of_a_person() -> None:
    async with driven() as it:
        screen = await asked(it, "a.txt")
        assert "Schema" in it.shown(screen.sheet)
        assert "Model's reason" not in it.shown(screen.sheet)
        await it.press("y")
        await it.until(lambda: written(it) == ["success"] and it.idle)


async def test_a_word_that_begins_with_the_key_runs_nothing() -> None:
    async with driven() as it:
        await asked(it, "a.txt")
        await it.burst("yes")
        await it.pilot.pause()
        assert isinstance(it.app.screen, ApprovalScreen)
        assert written(it) == []
        it.clock.now += 5
        await it.press("x")
        await it.until(lambda: it.idle)
        assert "success" not in written(it)


async def test_the_key_that_comes_before_the_question_can_be_read_runs_nothing() -> None:
    async with driven() as it:
        await it.send("/call files.write_file")
        await it.until(lambda: isinstance(it.app.screen, CallForm))
        await it.write("a.txt")
        await it.press("tab")
        await it.write("text")
        await it.press("ctrl+s")
        await it.until(lambda: isinstance(it.app.screen, ApprovalScreen))
        await it.press("y")
        await it.pilot.pause()
        assert isinstance(it.app.screen, ApprovalScreen)
        await it.asked()
        await it.press("x")
        await it.until(lambda: it.idle)
        assert "success" not in written(it)
