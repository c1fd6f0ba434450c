"""Saving a file while the app runs: the tool is a newer one, and everything else is as it was."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.tui.driving import Driven, driven
from workbench.compose import build_agent
from workbench.engine.agent import Agent
from workbench.providers.base import create_llm
from workbench.toolbox.tool_source import ToolSource
from workbench.tui.events import Post
from workbench.upkeep import ToolUpkeep

TOOLS = "def greet(name: str) -> str:\n    '''Greet.'''\n    return f'hello {name}'\n"
AGENT = TOOLS + "\nfrom workbench import Agent\nagent = Agent('host', [greet], model='offline', log=False)\n"


@asynccontextmanager
async def app_on(target: Path) -> AsyncIterator[Driven]:
    """The app as it is launched on a target: its files are followed on a thread of their own."""
    upkeeps: list[ToolUpkeep] = []

    def start(post: Post) -> Agent:
        sources: list[ToolSource] = []
        agent = build_agent(str(target), trust="open", loaded=sources.append)
        agent.llm = create_llm("offline", pace=0)
        upkeeps.append(ToolUpkeep(agent.tools, sources, post))
        upkeeps[0].start()
        return agent

    try:
        async with driven(start) as it:
            yield it
    finally:
        upkeeps[0].close()


@pytest.mark.parametrize("source", [TOOLS, AGENT], ids=["tools", "agent"])
async def test_a_saved_tool_is_in_use_without_a_key_pressed_and_the_conversation_is_untouched(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "here.py"
    file.write_text(source)
    async with app_on(file) as it:
        agent = it.agent
        await it.turn('greet(name="Ann")')
        await it.draft("half a thought")
        assert agent.current_session is not None
        session, messages = agent.current_session, list(agent.current_session["messages"])
        conversation = it.shown(it.app.main.conversation)
        (tool,) = agent.tools

        file.write_text(source.replace("hello", "goodbye"))
        await it.until(lambda: agent.tools.resolve(tool.name) is not tool)
        await it.until(lambda: "now v2" in it.shown(it.app.main.tools))

        assert (it.agent, agent.current_session, session["messages"]) == (agent, session, messages)
        assert it.app.main.prompt.draft == "half a thought"
        await it.turn('greet(name="Bob")')
        assert session["messages"][: len(messages)] == messages
        results = [message["content"] for message in session["messages"] if message["role"] == "tool"]
        assert results == ["hello Ann", "goodbye Bob"]
        (first,) = [line for line in conversation.splitlines() if 'greet(name="Ann")' in line]
        assert first in it.shown(it.app.main.conversation)


async def test_a_tool_that_is_switched_off_stays_off_when_its_file_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "here.py"
    file.write_text(TOOLS)
    async with app_on(file) as it:
        (tool,) = it.agent.tools
        await it.focus("tools")
        await it.press("down", "space")
        await it.until(lambda: not it.agent.tools.is_enabled(tool.name))
        file.write_text(TOOLS.replace("hello", "goodbye"))
        await it.until(lambda: it.agent.tools.resolve(tool.name) is not tool)
        assert it.agent.tools.get_disable_reason(tool.name) == "by the user"
