"""From what ``Agent(tools=…)`` was given to a registry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from workbench.registry import ToolRegistry

if TYPE_CHECKING:
    from workbench.engine.agent import Agent

_BEHIND: Final = "__workbench_agent__"
"""The attribute of a function that knows its agent; a name that no tool of a person's own has."""


def build_registry(tools: object) -> ToolRegistry:
    """The registry itself if one was given, otherwise a new one with everything in ``tools``.

    ``tools`` is one tool source or lists of them: a function, a module, an instance, another agent.
    Raises ToolRegistrationError for what cannot become a tool.
    """
    if isinstance(tools, ToolRegistry):
        return tools
    registry = ToolRegistry()
    _register_all(registry, tools)
    return registry


def _register_all(registry: ToolRegistry, source: object) -> None:
    from workbench.engine.agent import Agent

    if source is None:
        return
    if isinstance(source, list | tuple | set | frozenset):
        for item in source:
            _register_all(registry, item)
    elif isinstance(source, ToolRegistry):
        for tool in source:
            registry.register(tool)
    elif isinstance(source, Agent):
        registry.register(agent_as_tool(source), name=tool_name_of(source))
    else:
        registry.register(source)


def agent_as_tool(agent: Agent) -> Any:
    """A function that hands its task to ``agent`` and returns the answer.

    The agent keeps its conversation from call to call, and works on one call at a time.
    """

    def ask(task: str) -> str:
        with agent.turn_lock:
            return agent.input(task)

    vars(ask)[_BEHIND] = agent
    ask.__name__ = ask.__qualname__ = tool_name_of(agent)
    ask.__doc__ = (
        f"Hand a task to the agent {agent.name} and get its answer.\n\n{_role_of(agent)}\n\n"
        "Args:\n    task: What it shall do, with everything it needs to know."
    )
    return ask


def agent_behind(func: object) -> Agent | None:
    """The agent that a function of ``agent_as_tool`` hands its task to; None for any other function."""
    from workbench.engine.agent import Agent

    behind = getattr(func, _BEHIND, None)
    return behind if isinstance(behind, Agent) else None


def agents_within(agent: Any) -> Iterator[Any]:
    """The agent, then each one that is a tool of it or of another one of these; every one once."""
    known, waiting = {id(agent)}, [agent]
    while waiting:
        each = waiting.pop()
        yield each
        for tool in each.tools:
            behind = agent_behind(getattr(tool, "func", None))
            if behind is not None and id(behind) not in known:
                known.add(id(behind))
                waiting.append(behind)


def tool_name_of(agent: Agent) -> str:
    """The agent's name as an identifier."""
    name = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in agent.name).strip("_")
    return name or "agent"


def _role_of(agent: Agent) -> str:
    """The first line of its system prompt, which says what it is for."""
    lines = [line.strip() for line in agent.system_prompt.splitlines() if line.strip()]
    return lines[0] if lines else ""
