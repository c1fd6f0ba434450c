"""Arguments of a megabyte: edited key by key, judged when the keys pause, taken only when they fit."""

from __future__ import annotations

import pytest
from textual.widgets import TextArea

from tests.tui.approval_app import call, trial
from workbench.tui.screens.approval_fields import ArgumentsArea


async def test_a_huge_argument_is_judged_when_the_keys_pause() -> None:
    async with trial() as it:
        agent = await it.ask(call("a", text="x" * 60_000))
        await it.press("e")
        await it.until(lambda: "fits the schema" in it.shown("#fault"))
        area = it.screen.query_one(ArgumentsArea)
        area.move_cursor((1, 11))
        await it.press('"')
        await it.until(lambda: "not JSON" in it.shown("#fault"))
        await it.press("backspace", "y")
        await it.until(lambda: "fits the schema" in it.shown("#fault"))
        await it.press("ctrl+s", "y", "enter")
        await it.answered(agent)
        assert agent.ran == [("a", {"text": "y" + "x" * 60_000})]


async def test_what_was_not_judged_yet_is_judged_before_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.tui.screens.approval_fields._PAUSE", 3_600)
    async with trial() as it:
        await it.ask(call("a", text="x" * 60_000))
        await it.press("e")
        await it.until(lambda: isinstance(it.app.focused, TextArea))
        await it.press("y")
        await it.until(lambda: "being read" in it.shown("#fault"))
        await it.press("ctrl+s")
        assert it.screen.sheet.mode == "edit"
        assert "not JSON" in it.shown("#fault")


@pytest.mark.parametrize(("size", "looks"), [(100, True), (60_000, False)])
async def test_only_in_a_short_text_the_other_half_of_a_bracket_is_looked_for(size: int, looks: bool) -> None:
    area = ArgumentsArea("[" + "1" * size + "]")
    assert (area.find_matching_bracket("[", (0, 0)) is not None) == looks
