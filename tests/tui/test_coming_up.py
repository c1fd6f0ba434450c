"""The app comes up in steps: what fails in one is seen, and what is typed meanwhile is kept."""

from __future__ import annotations

import asyncio
import sys

import pytest
from textual import events
from textual.keys import _character_to_key

from tests.tui.driving import THEMES, sample_agent
from workbench.tui.app import WorkbenchApp


async def test_what_is_typed_while_the_app_comes_up_is_in_the_prompt() -> None:
    app = WorkbenchApp(sample_agent, themes=THEMES, theme="graphite")
    # as a terminal sends it that is not the app's yet: all of it before the first widget is there
    for char in "add 1\nthen 2":
        app.post_message(events.Key("ctrl+j" if char == "\n" else _character_to_key(char), char))
    app.post_message(events.Key("enter", "\r"))
    async with app.run_test() as pilot, asyncio.timeout(10):
        while app.busy or app.main.prompt.draft != "add 1\nthen 2\n":
            await pilot.pause()
        assert not app.outbox
        await pilot.press("3")
        assert app.main.prompt.draft == "add 1\nthen 2\n3"
    assert app.agent_thread.finish(timeout=10)


async def test_an_app_of_which_a_part_cannot_be_imported_ends_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "workbench.tui.desks", None)
    app = WorkbenchApp(sample_agent, themes=THEMES, theme="graphite")
    with pytest.raises(ModuleNotFoundError, match=r"workbench\.tui\.desks"):
        async with app.run_test() as pilot, asyncio.timeout(10):
            while app.is_running:
                await pilot.pause()
    assert app.return_code == 1
