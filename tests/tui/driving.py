"""Drives the whole app in tests: a real agent on its own thread, the offline model without pauses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widget import Widget

from workbench.compose import build_agent
from workbench.engine.agent import Agent
from workbench.providers.base import create_llm
from workbench.resources import resource_folder
from workbench.tui.app import WorkbenchApp
from workbench.tui.events import Post
from workbench.tui.panel_keys import BURST_SECONDS
from workbench.tui.screens.approval import ApprovalScreen
from workbench.tui.themes import load_themes

THEMES, _ = load_themes([resource_folder("themes")])


def sample_agent(post: Post) -> Agent:
    """The sample tools and the offline model, answering at once."""
    agent = build_agent(None, model="offline")
    agent.llm = create_llm("offline", pace=0)
    return agent


class Clock:
    """A clock that tests move by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Driven:
    """The app and its pilot, with the few things that tests ask of them."""

    def __init__(self, app: WorkbenchApp, pilot: Pilot[None], clock: Clock) -> None:
        self.app = app
        self.pilot = pilot
        self.clock = clock

    @property
    def agent(self) -> Agent:
        """The agent, once it is there."""
        agent = self.app.agent_thread.agent
        assert agent is not None
        return agent

    @property
    def trace(self) -> list[dict[str, Any]]:
        """The trace of the session."""
        session = self.agent.current_session
        return list(session["trace"]) if session is not None else []

    async def until(self, fact: Callable[[], object], seconds: float = 60) -> None:
        """Wait until it is so."""
        async with asyncio.timeout(seconds):
            while not fact():
                await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        """Press keys, a moment after those before."""
        self.clock.now += BURST_SECONDS
        await self.pilot.press(*keys)

    async def burst(self, text: str) -> None:
        """Send a text as a program does: every key is there before the first one is looked at."""
        for char in text:
            key = "enter" if char == "\n" else _character_to_key(char)
            self.app.post_message(events.Key(key, char))
        await self.pilot.pause()

    async def write(self, text: str) -> None:
        """Type text, key by key, a moment after the keys before."""
        self.clock.now += BURST_SECONDS
        await self.pilot.press(*keys_of(text))

    async def act(self, action: Callable[[], object]) -> None:
        """Do something as the app itself would, in its own context."""
        self.app.call_later(action)
        await self.pilot.pause()

    async def draft(self, text: str) -> None:
        """Put a text into the prompt without sending it."""
        await self.act(lambda: setattr(self.app.main.prompt, "draft", text))

    async def focus(self, panel: str) -> None:
        """Give a panel the focus."""
        await self.act(lambda: self.app.main.focus_panel(panel))
        await self.until(lambda: self.app.main.focused_panel == panel)

    async def send(self, text: str) -> None:
        """Put a message into the prompt and press Enter."""
        await self.draft(text)
        await self.focus("prompt")
        await self.pilot.press("enter")

    @property
    def idle(self) -> bool:
        """Nothing goes on: the turn is over and the screen knows it."""
        return not self.app.busy and not self.agent.running

    async def turn(self, text: str) -> None:
        """Send a message and wait for the end of its turn."""
        before = len(self.trace)
        await self.send(text)
        await self.until(lambda: self.idle and len(self.trace) > before)
        await self.pilot.pause()

    async def asked(self) -> ApprovalScreen:
        """Wait for the approval modal, past the time in which it takes no keys."""
        await self.until(lambda: isinstance(self.app.screen, ApprovalScreen))
        screen = self.app.screen
        assert isinstance(screen, ApprovalScreen)
        await self.pilot.pause()
        self.clock.now += 2
        return screen

    def shown(self, widget: Widget | None = None) -> str:
        """What a widget, or the whole screen, shows as text."""
        screen = self.app.screen
        region = widget.region if widget is not None else screen.region
        lines = [strip.text for strip in screen._compositor.render_strips()]
        return "\n".join(line[region.x : region.right] for line in lines[region.y : region.bottom])


def keys_of(text: str) -> Iterable[str]:
    """The key names of a text."""
    names = {" ": "space", "\n": "ctrl+j"}
    return [names.get(char, char) for char in text]


@asynccontextmanager
async def driven(
    start: Callable[[Post], Agent] = sample_agent,
    size: tuple[int, int] = (120, 40),
    *,
    notifications: bool = False,
    **options: Any,
) -> AsyncIterator[Driven]:
    """The running app, with the agent ready."""
    clock = Clock()
    options = {"themes": THEMES, **options}
    app = WorkbenchApp(start, theme="graphite", clock=clock, **options)
    async with app.run_test(size=size, notifications=notifications) as pilot:
        it = Driven(app, pilot, clock)
        await it.until(lambda: not app.busy)
        yield it
    assert app.agent_thread.finish(timeout=60)
