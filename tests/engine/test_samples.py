"""The code that people know from the documentation of the events and the lifecycle runs as written.

Only the import line differs: it takes the names from a module whose models answer from a list.
"""

from __future__ import annotations

import functools
import logging
import sys
import types
from typing import Any

import pytest

import workbench
import workbench.engine as engine
from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import hooks

APPROVAL = """
from samples import Agent, before_tools

@before_tools
def require_approval(agent):
    \"\"\"Ask for approval before executing any tools.\"\"\"
    pending = agent.current_session.get('pending_tools', [])
    print(f"\\nAbout to execute {len(pending)} tool(s)")
    if input("Proceed? [y/n]: ").lower() != 'y':
        raise Exception("User cancelled")

agent = Agent("careful", tools=[delete_file], on_events=[require_approval])
"""

APPROVAL_WITH_LIST = """
from samples import Agent, before_tools

@before_tools
def require_approval(agent):
    \"\"\"Ask for approval before tool execution.\"\"\"
    pending = agent.current_session.get('pending_tools', [])
    print(f"\\nAbout to execute {len(pending)} tool(s):")
    for t in pending:
        print(f"  - {t['name']}({t['arguments']})")

    response = input("Proceed? [y/n]: ")
    if response.lower() != 'y':
        raise Exception("User rejected tool execution")

agent = Agent("careful", tools=[delete_file], on_events=[require_approval])
"""

REFLECTION = """
from samples import Agent, after_tools

@after_tools
def reflect(agent):
    \"\"\"Add a reflection message after all tools complete.\"\"\"
    # Safe to add messages here - all tool results are recorded
    agent.current_session['messages'].append({
        'role': 'assistant',
        'content': "Let me analyze these results..."
    })

agent = Agent("thinking", tools=[search], on_events=[reflect])
"""

REFLECTION_BY_MODEL = """
from samples import Agent, after_tools, llm_do

@after_tools
def reflect(agent):
    \"\"\"Generate reflection after tool execution.\"\"\"
    trace = agent.current_session['trace']
    last_tools = [t for t in trace if t['type'] == 'tool_execution'][-3:]

    reflection = llm_do(
        f"What did we learn from: {last_tools}? One sentence.",
        model="co/gemini-2.5-flash"
    )

    agent.current_session['messages'].append({
        'role': 'assistant',
        'content': f"Observation: {reflection}"
    })

agent = Agent("researcher", tools=[search], on_events=[reflect])
"""

LOGGING = """
from samples import Agent, before_each_tool, after_each_tool

@before_each_tool
def log_start(agent):
    tool = agent.current_session['pending_tool']
    print(f"Starting: {tool['name']}")

@after_each_tool
def log_end(agent):
    trace = agent.current_session['trace'][-1]
    print(f"Completed: {trace['tool_name']} in {trace['timing']:.0f}ms")

agent = Agent("logged", tools=[search], on_events=[log_start, log_end])
"""

LOGGING_MODULE = """
from samples import Agent, before_each_tool, after_each_tool
import logging

logger = logging.getLogger('tools')

@before_each_tool
def log_start(agent):
    tool = agent.current_session['pending_tool']
    logger.info(f"START: {tool['name']}({tool['arguments']})")

@after_each_tool
def log_end(agent):
    trace = agent.current_session['trace'][-1]
    logger.info(f"END: {trace['tool_name']} ({trace['timing']:.1f}ms) -> {trace['status']}")

agent = Agent("logged", tools=[search], on_events=[log_start, log_end])
"""

CONTEXT = """
from samples import Agent, before_llm

@before_llm
def check_context(agent):
    \"\"\"Warn if context is getting full.\"\"\"
    if agent.context_percent > 80:
        print(f"WARNING: Context {agent.context_percent:.1f}% full")
        # Could summarize old messages here

agent = Agent("context-aware", on_events=[check_context])
"""

VALIDATION = """
from samples import before_llm

@before_llm
def validate(agent):
    if not agent.current_session['messages']:
        raise ValueError("No messages!")  # Propagates to caller
"""

XRAY = """
from samples import xray

@xray  # Decorator enables context access
def my_tool(query: str):
    # Access runtime context
    print(f"Agent: {xray.agent.name}")
    print(f"Task: {xray.task}")  # User's original prompt
    print(f"Iteration: {xray.iteration}")
    print(f"Previous tools: {xray.previous_tools}")

    # View execution history
    xray.trace()  # Prints Rich-formatted trace

    return "result"
"""


class Samples:
    """Runs a sample in a namespace whose agents talk to ``llm``."""

    def __init__(self, source: types.ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
        self.llm = StrictLLM()
        self.ran: list[str] = []
        module = types.ModuleType("samples")
        module.__dict__.update({event: getattr(source, event) for event in hooks.EVENTS})
        agent: dict[str, Any] = {"model": "any"}
        do: dict[str, Any] = {}
        if source is engine:
            agent["llm_factory"] = lambda model: self.llm
            do["llm_factory"] = lambda model: StrictLLM("much")
        else:
            monkeypatch.setattr(
                "workbench.compose.make_llm",
                lambda model: StrictLLM("much") if model.startswith("co/") else self.llm,
            )
        module.__dict__.update(
            Agent=functools.partial(source.Agent, **agent),
            llm_do=functools.partial(source.llm_do, **do),
            xray=source.xray,
        )
        monkeypatch.setitem(sys.modules, "samples", module)
        self.monkeypatch = monkeypatch

    def delete_file(self, path: str) -> str:
        """Delete a file."""
        self.ran.append(path)
        return f"deleted {path}"

    def search(self, query: str) -> str:
        """Search."""
        self.ran.append(query)
        return f"found {query}"

    def run(self, code: str) -> Any:
        names: dict[str, Any] = {"delete_file": self.delete_file, "search": self.search}
        exec(code, names)
        return types.SimpleNamespace(**names)

    def type_in(self, answer: str) -> None:
        self.monkeypatch.setattr("builtins.input", lambda prompt: answer)


@pytest.fixture(params=[engine, workbench], ids=lambda source: source.__name__)
def samples(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Samples:
    return Samples(request.param, monkeypatch)


@pytest.mark.parametrize("code", [APPROVAL, APPROVAL_WITH_LIST])
def test_approval_asks_about_the_whole_batch(
    samples: Samples, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = samples.run(code).agent
    batch = calls(call("delete_file", path="a"), call("delete_file", path="b"))
    samples.type_in("n")
    samples.llm.add(batch)
    with pytest.raises(Exception, match=r"User (cancelled|rejected tool execution)"):
        agent.input("clean up")
    assert samples.ran == []
    assert "About to execute 2 tool(s)" in capsys.readouterr().out
    samples.type_in("y")
    samples.llm.add(calls(call("delete_file", path="a")), "clean")
    assert agent.input("clean up") == "clean"
    assert samples.ran == ["a"]
    assert not samples.llm.refusals


def test_reflection_is_added_after_all_results(samples: Samples) -> None:
    agent = samples.run(REFLECTION).agent
    samples.llm.add(calls(call("search", query="a"), call("search", query="b")), "done")
    agent.input("look")
    assert [m["role"] for m in samples.llm.requests[-1]][-4:] == ["assistant", "tool", "tool", "assistant"]
    assert samples.llm.requests[-1][-1]["content"] == "Let me analyze these results..."


def test_a_model_can_be_asked_for_the_reflection(samples: Samples) -> None:
    agent = samples.run(REFLECTION_BY_MODEL).agent
    samples.llm.add(calls(call("search", query="a")), "done")
    agent.input("look")
    assert samples.llm.requests[-1][-1]["content"] == "Observation: much"


def test_each_tool_is_logged(samples: Samples, capsys: pytest.CaptureFixture[str]) -> None:
    agent = samples.run(LOGGING).agent
    samples.llm.add(calls(call("search", query="a")), "done")
    agent.input("look")
    assert "Starting: search\nCompleted: search in 0ms" in capsys.readouterr().out


def test_each_tool_is_logged_with_its_status(samples: Samples, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "tools")
    agent = samples.run(LOGGING_MODULE).agent
    samples.llm.add(calls(call("search", query="a")), "done")
    agent.input("look")
    assert "START: search({'query': 'a'})" in caplog.text
    assert "-> success" in caplog.text


def test_a_full_context_is_noticed(samples: Samples, capsys: pytest.CaptureFixture[str]) -> None:
    agent = samples.run(CONTEXT).agent
    agent.input("one")
    samples.llm.context_window = 17
    agent.input("two")
    assert "WARNING: Context 88.2% full" in capsys.readouterr().out


def test_a_validation_error_reaches_the_caller(samples: Samples) -> None:
    validate = samples.run(VALIDATION).validate
    agent = engine.Agent("a", llm=samples.llm, on_events=[validate])
    agent.hooks.add(hooks.before_llm(lambda agent: agent.current_session["messages"].clear()), first=True)
    with pytest.raises(ValueError, match="No messages!"):
        agent.input("go")


def test_a_tool_shows_what_xray_sees(samples: Samples, capsys: pytest.CaptureFixture[str]) -> None:
    tool = samples.run(XRAY).my_tool
    samples.llm.add(calls(call("my_tool", query="x")), "done")
    engine.Agent("seer", tool, llm=samples.llm).input("the task")
    printed = capsys.readouterr().out
    assert "Agent: seer\nTask: the task\nIteration: 1\nPrevious tools: []" in printed
    assert "my_tool  running" in printed
