"""The trace of real agents, through the bridge."""

from __future__ import annotations

from collections.abc import Iterable

from tests.tui.driving import driven
from workbench import Agent
from workbench.tui import events
from workbench.tui.events import Post


async def test_the_start_of_an_inner_turn_names_the_call_that_it_runs_within() -> None:
    seen: list[events.AgentEvent] = []

    def start(post: Post) -> Agent:
        scribe = Agent("scribe", [], model="offline")

        def ask(text: str) -> str:
            """Ask the scribe."""
            return scribe.input(text)

        return Agent("chief", [ask], model="offline", quiet=True, trust="open")

    async with driven(start) as it:
        take_in = it.app.main.trace.apply

        def watch(batch: Iterable[events.AgentEvent]) -> None:
            told = list(batch)
            seen.extend(told)
            take_in(told)

        it.app.main.trace.apply = watch  # type: ignore[method-assign]  # to see what the panel is told
        await it.turn("ask(text='hello')")
        started = [event for event in seen if isinstance(event, events.TurnStarted)]
        calls = [event.call_id for event in seen if isinstance(event, events.ToolStarted)]
        assert [event.parent_call_id for event in started] == ["", *calls]
        assert "▾ scribe" in it.shown(it.app.main.trace)


async def test_a_new_conversation_is_marked_and_what_came_before_is_folded() -> None:
    async with driven() as it:
        await it.turn("add(a=2, b=3)")
        await it.send("/new")
        await it.until(lambda: "new conversation" in it.shown(it.app.main.trace))
        title = it.shown(it.app.main.trace).splitlines()[0]
        assert "turn" not in title
        await it.turn("add(a=5, b=3)")
        shown = it.shown(it.app.main.trace)
        assert shown.index("▸ turn 1") < shown.index("new conversation") < shown.index("▾ turn 1")


async def test_escape_takes_a_notice_away_that_covers_the_trace() -> None:
    async with driven(notifications=True) as it:
        await it.turn("add(a=2, b=3)")
        await it.focus("trace")
        await it.press("home", "w")
        await it.until(lambda: it.app._notifications and "w is for a tool call" in it.shown())
        await it.press("escape")
        await it.pilot.pause()
        assert "w is for a tool call" not in it.shown()
        assert it.app.main.focused_panel == "trace"
