"""Hooks and tools written for a script ask inside the app: print, input() and getpass() unchanged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.tui.driving import Driven, driven
from workbench import Agent, before_tools
from workbench.engine.agent import Agent as EngineAgent
from workbench.tui.events import Post
from workbench.tui.screens.question import QuestionScreen

DELETED: list[str] = []


def delete_file(path: str) -> str:
    """Delete a file."""
    DELETED.append(path)
    return f"deleted {path}"


def log_in(user: str) -> str:
    """Log in."""
    import getpass

    password = getpass.getpass("Password: ")
    return f"{user} with {len(password)} letters"


def short() -> Callable[[Any], None]:
    """A hook that asks in one line."""

    @before_tools
    def require_approval(agent):  # type: ignore[no-untyped-def]  # as people write it
        """Ask for approval before executing any tools."""
        pending = agent.current_session.get("pending_tools", [])
        print(f"\nAbout to execute {len(pending)} tool(s)")
        if input("Proceed? [y/n]: ").lower() != "y":
            raise Exception("User cancelled")

    return require_approval


def listing() -> Callable[[Any], None]:
    """A hook that lists what it asks about."""

    @before_tools
    def require_approval(agent):  # type: ignore[no-untyped-def]  # as people write it
        """Ask for approval before tool execution."""
        pending = agent.current_session.get("pending_tools", [])
        print(f"\nAbout to execute {len(pending)} tool(s):")
        for t in pending:
            print(f"  - {t['name']}({t['arguments']})")

        response = input("Proceed? [y/n]: ")
        if response.lower() != "y":
            raise Exception("User rejected tool execution")

    return require_approval


def careful(hook: Callable[[Any], None]) -> Callable[[Post], EngineAgent]:
    def start(post: Post) -> EngineAgent:
        return Agent(
            "careful", [delete_file, log_in], model="offline", on_events=[hook], trust="open", quiet=True
        )

    return start


async def question(it: Driven) -> str:
    """What is asked, once it may be answered."""
    await it.until(lambda: isinstance(it.app.screen, QuestionScreen))
    await it.pilot.pause()
    it.clock.now += 2
    return it.shown()


@pytest.mark.parametrize("hook", [short, listing])
async def test_a_hook_that_asks_lets_the_batch_run_on_y(hook: Callable[[], Callable[[Any], None]]) -> None:
    DELETED.clear()
    async with driven(careful(hook())) as it:
        await it.send('delete_file(path="a.txt") and delete_file(path="b.txt")')
        shown = await question(it)
        assert "About to execute 2 tool(s)" in shown
        assert "Proceed? [y/n]:" in shown
        assert ("- delete_file({'path': 'a.txt'})" in shown) is (hook is listing)
        assert DELETED == []
        await it.press("y", "enter")
        await it.until(lambda: it.idle and len(DELETED) == 2)


@pytest.mark.parametrize("hook", [short, listing])
async def test_a_hook_that_asks_runs_nothing_on_n_and_the_next_message_works(
    hook: Callable[[], Callable[[Any], None]],
) -> None:
    DELETED.clear()
    async with driven(careful(hook())) as it:
        await it.send('delete_file(path="a.txt")')
        await question(it)
        await it.press("n", "enter")
        await it.until(lambda: it.idle and it.trace)
        assert DELETED == []
        await it.until(lambda: "User" in it.shown(it.app.main.conversation))
        await it.send('delete_file(path="b.txt")')
        await question(it)
        await it.press("y", "enter")
        await it.until(lambda: it.idle and DELETED == ["b.txt"])


async def test_a_tool_asks_for_a_password_and_the_screen_never_shows_it() -> None:
    async with driven(careful(before_tools(lambda agent: None))) as it:
        await it.send('log_in(user="ada")')
        assert "Password:" in await question(it)
        await it.write("secret")
        await it.pilot.pause()
        assert "secret" not in it.shown()
        await it.press("enter")
        await it.until(lambda: it.idle and it.trace)
        await it.until(lambda: "ada with 6 letters" in it.shown())
        assert "secret" not in it.shown()
