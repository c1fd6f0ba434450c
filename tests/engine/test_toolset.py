"""An agent among the tools is told apart from a tool that only has one."""

from __future__ import annotations

from tests.engine.strict_llm import StrictLLM
from workbench.engine.agent import Agent
from workbench.engine.toolset import agent_as_tool, agent_behind


class Researcher:
    """A tool of a person's own that asks an agent, and does more than that."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def __call__(self, question: str) -> str:
        return f"found: {self.agent.input(question)}"


def test_only_a_tool_that_is_an_agent_has_one_behind_it() -> None:
    agent = Agent("helper", llm=StrictLLM(), quiet=True, log=False)
    assert agent_behind(agent_as_tool(agent)) is agent
    assert agent_behind(Researcher(agent)) is None
    assert agent_behind(print) is None
