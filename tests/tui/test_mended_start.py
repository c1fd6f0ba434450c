"""An app whose agent could not be built says why, keeps what is sent, and goes on once it is mended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM
from tests.tui.driving import Driven, driven
from workbench.engine.agent import Agent
from workbench.errors import AgentChoiceError, ConfigError
from workbench.tui import events
from workbench.tui.tool_news import ToolNews
from workbench.tui.tool_tree import ToolTree


def several(_: Any) -> Agent:
    """A start that cannot know which agent is meant."""
    raise AgentChoiceError("agent.py holds 2 agents", ("agent.py:helper", "agent.py:agent"))


class Start:
    """Builds the agent, unless it is broken."""

    def __init__(self) -> None:
        self.broken = "agent.py:3: NameError: name 'ad' is not defined"
        self.builds = 0

    def __call__(self, _: Any) -> Agent:
        self.builds += 1
        if self.broken:
            raise ConfigError(self.broken, hint="Correct it.")
        return Agent("ann", llm=StrictLLM(), quiet=True)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(it: Driven) -> str:
    return " ".join(it.shown(it.app.main.conversation).split())


async def test_mended_and_f5_builds_the_agent_and_sends_what_was_written_meanwhile() -> None:
    start = Start()
    async with driven(start) as it:
        assert "The agent could not be built agent.py:3: NameError" in said(it)
        assert "or with f5; what you send waits until then" in said(it)
        await it.send("hello there")
        await it.until(lambda: "queued hello there" in it.shown())
        assert it.app.main.prompt.draft == ""
        await it.press("f5")
        await it.until(lambda: start.builds == 2 and not it.app.busy)
        assert said(it).count("could not be built") == 2
        assert "f5 tries again" in it.shown(it.app.main.prompt)
        start.broken = ""
        await it.press("f5")
        await it.until(lambda: it.app.agent_thread.agent is not None and it.idle and len(it.trace) > 1)
        assert "queued" not in it.shown()
        assert it.trace[0]["prompt"] == "hello there"
        assert said(it).count("The agent is built now") == 1


async def test_where_an_agent_is_to_be_chosen_it_says_how_to_start_again() -> None:
    async with driven(several) as it:
        await it.until(lambda: "agent.py holds 2 agents" in said(it))
        start = "start one of them: workbench agent.py:helper or workbench agent.py:agent."
        assert f"Quit with ^q and {start}" in said(it)
        assert "when you save" not in said(it)


async def test_an_agent_that_is_there_at_once_is_not_said_to_be_built_now() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=1)")
        assert "built now" not in said(it)


async def test_saving_a_file_of_the_project_builds_the_agent_and_the_same_error_is_said_once(
    project: Path,
) -> None:
    start = Start()
    async with driven(start) as it:
        (project / "agent.py").write_text("still wrong")
        await it.until(lambda: start.builds == 2 and not it.app.busy)
        assert said(it).count("could not be built") == 1
        start.broken = ""
        (project / "agent.py").write_text("right again")
        await it.until(lambda: it.app.agent_thread.agent is not None and not it.app.busy)
        await it.turn("hello")
        assert it.trace[0]["prompt"] == "hello"


async def test_a_command_that_wants_an_agent_holds_no_message_back() -> None:
    start = Start()
    async with driven(start) as it:
        await it.send("first")
        await it.act(it.app.action_reset)
        await it.until(lambda: "There is no agent" in said(it))
        start.broken = ""
        await it.press("f5")
        await it.until(lambda: it.app.agent_thread.agent is not None and it.idle and len(it.trace) > 1)
        assert it.trace[0]["prompt"] == "first"


def test_what_was_being_loaded_is_not_once_the_agent_failed() -> None:
    tree = ToolTree()
    news = ToolNews(tree)
    news.take([events.LoadProgress("", 1.0, 0, 2, "files.py"), events.LoadFailed("", 1.0, "web.py", "no")])
    assert len(tree.rows()) == 2
    news.take([events.AgentFailed("", 2.0, "broken")])
    assert tree.rows() == [tree.problems["web.py"]]
    news.take([events.AgentAwaited("", 3.0, asked=True)])
    assert not tree.problems
