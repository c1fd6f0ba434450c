"""An agent's own tools are followed on disk; the agent, its handlers and its conversation stay."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import workbench
from tests.toolbox.conftest import Write
from workbench.compose import build_agent
from workbench.registry import ChangeEvent, ChangeEventType, Grant, PermissionPolicy
from workbench.toolbox.agent_source import AgentSource
from workbench.toolbox.reload import ReloadReport
from workbench.toolbox.tool_source import ToolSource
from workbench.toolbox.watcher import ToolWatcher

AGENT = """
from workbench import Agent, before_tools, ToolRegistry
from helper import factor
from kit.measures import metres

seen = []

@before_tools
def guard(agent):
    seen.append(len(agent.current_session["pending_tools"]))

def scale(n: int) -> int:
    '''Scale a number.'''
    return n * factor()

def whoami() -> str:
    '''Tell the name.'''
    return f"{agent.name} {len(agent.current_session['messages'])}"

agent = Agent("counter", [scale, whoami, metres], model="offline", on_events=[guard], quiet=True, log=False)
"""


class Open:
    """An agent file that is open in the app, so to speak."""

    def __init__(self, target: str) -> None:
        self.sources: list[ToolSource] = []
        self.agent = build_agent(target, trust="open", loaded=self.sources.append)
        self.watcher = ToolWatcher(self.agent.tools, self.sources)
        self.events: list[ChangeEvent] = []
        self.agent.tools.on_change(self.events.append)

    def check(self) -> ReloadReport:
        report = self.watcher.check()
        assert report is not None
        return report

    def call(self, name: str, **arguments: Any) -> Any:
        return self.agent.tools.call(name, arguments)

    @property
    def names(self) -> list[str]:
        return [tool.name for tool in self.agent.tools]


@pytest.fixture
def opened(tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Open]]:
    monkeypatch.chdir(tmp_path)
    for name in ("agent", "helper", "kit", "kit.measures"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    write("helper.py", "def factor() -> int: return 2\n")
    write("kit/__init__.py", "")
    write("kit/measures.py", "def metres(feet: float) -> float:\n    '''Convert.'''\n    return feet * 0.3\n")
    agents: list[Open] = []

    def open_it(target: str = "agent.py", source: str = AGENT) -> Open:
        write("agent.py", source)
        agents.append(Open(target))
        return agents[-1]

    yield open_it
    for each in agents:
        each.agent.close()


def test_a_saved_tool_of_the_agent_is_in_use_and_everything_else_stays(
    opened: Callable[..., Open], write: Write
) -> None:
    it = opened()
    agent = it.agent
    agent.input("scale(n=4)")
    assert agent.current_session is not None
    messages = list(agent.current_session["messages"])
    handlers = list(agent.hooks)
    agent.tools.disable("whoami", "for now")
    agent.tools.grant(Grant("scale"))
    policy = agent.tools.policy
    it.events.clear()

    write("agent.py", AGENT.replace("n * factor()", "n * factor() + 1"))
    report = it.check()

    assert report.changed == ("scale",)
    assert [(each.event_type, each.tool_name) for each in it.events] == [(ChangeEventType.REFRESH, "scale")]
    assert it.call("scale", n=4) == 9
    assert (it.agent, list(agent.hooks)) == (agent, handlers)
    assert agent.current_session["messages"] == messages
    assert agent.tools.get_disable_reason("whoami") == "for now"
    assert (len(agent.tools.grants), agent.tools.policy) == (1, policy)
    assert agent.tools.statistics("scale").calls == 2
    assert report.left_behind == ()


@pytest.mark.parametrize("target", ["agent.py", "agent.py:agent", "agent:agent", "agent"])
@pytest.mark.parametrize(
    ("file", "text", "changed"),
    [
        ("helper.py", "def factor() -> int: return 5\n", ("scale",)),
        ("kit/measures.py", "def metres(feet: float) -> float:\n    return feet * 0.5\n", ("metres",)),
    ],
)
def test_a_module_that_the_agent_imports_is_followed_wherever_it_lies(
    target: str, file: str, text: str, changed: tuple[str, ...], opened: Callable[..., Open], write: Write
) -> None:
    it = opened(target)
    write(file, text)
    assert it.check().changed == changed
    assert it.call("scale", n=4) == (20 if file == "helper.py" else 8)
    assert it.call("metres", feet=10) == (5.0 if "kit" in file else 3.0)


def test_tools_are_added_removed_and_renamed_with_the_agents_list(
    opened: Callable[..., Open], write: Write
) -> None:
    it = opened()
    it.agent.tools.disable("scale", "for now")
    more = "def half(n: int) -> float: return n / 2\n\nagent ="
    write(
        "agent.py",
        AGENT.replace("agent =", more)
        .replace("[scale, whoami, metres]", "[resize, half, metres]")
        .replace("def scale", "def resize"),
    )
    report = it.check()
    assert (report.added, report.removed, report.moved) == (("half",), ("whoami",), (("scale", "resize"),))
    assert it.call("half", n=3) == 1.5
    assert it.agent.tools.get_disable_reason("resize") == "for now"
    assert report.left_behind == ()


def test_a_tool_that_names_its_agent_means_the_one_in_use(opened: Callable[..., Open], write: Write) -> None:
    it = opened()
    it.agent.input("whoami()")
    write("agent.py", AGENT.replace("{agent.name} ", "{agent.name} has "))
    it.check()
    assert it.agent.current_session is not None
    assert it.call("whoami") == f"counter has {len(it.agent.current_session['messages'])}"


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("def scale(", "def scale((", 12, "SyntaxError"),
        ("seen = []", "seen = [] + 1", 6, "TypeError"),
        ("agent = Agent", "somebody = Agent", None, "it holds no agent named agent any more"),
        ("[scale, whoami", "[scale, scale, whoami", 20, "ToolRegistrationError"),
    ],
)
def test_a_file_that_cannot_be_the_agent_any_more_keeps_the_last_good_version_and_says_why(
    old: str, new: str, line: int | None, reason: str, opened: Callable[..., Open], write: Write
) -> None:
    it = opened()
    names = it.names
    write("agent.py", AGENT.replace(old, new))
    report = it.check()
    (failure,) = report.failures
    assert reason in failure.reason
    assert failure.line == line
    assert (it.names, it.call("scale", n=4)) == (names, 8)
    write("agent.py", AGENT.replace("n * factor()", "n * 10"))
    report = it.check()
    assert (report.ok, report.changed, it.call("scale", n=4)) == (True, ("scale",), 40)


def test_a_deleted_agent_file_takes_no_tool_away(
    opened: Callable[..., Open], write: Write, tmp_path: Path
) -> None:
    it = opened()
    names = it.names
    (tmp_path / "agent.py").unlink()
    report = it.check()
    assert "No such file" in report.failures[0].reason
    assert (it.names, report.removed) == (names, ())
    write("agent.py", AGENT.replace("n * factor()", "n * 10"))
    assert it.check().changed == ("scale",)


def test_what_cannot_be_followed_is_said_once(opened: Callable[..., Open], write: Write) -> None:
    it = opened()
    handlers = list(it.agent.hooks)
    write("agent.py", AGENT.replace("seen.append(len(", "seen.append(1 + len("))
    assert it.check().left_behind == ("the handler guard",)
    write("agent.py", AGENT.replace("seen.append(len(", "seen.append(1 + len(") + "\n# a remark\n")
    assert it.check().left_behind == ()
    write("agent.py", AGENT.replace("seen.append(len(", "seen.append(1 + len(").replace("counter", "other"))
    assert it.check().left_behind == ("what agent was made with besides its tools",)
    assert list(it.agent.hooks) == handlers
    assert it.agent.name == "counter"


def test_a_tool_registered_while_the_app_runs_is_nobody_s_to_remove(
    opened: Callable[..., Open], write: Write
) -> None:
    it = opened()
    it.agent.tools.register(lambda: "x", name="late")
    write("agent.py", AGENT.replace("n * factor()", "n * 10"))
    it.check()
    assert it.call("late") == "x"


def test_the_policy_in_force_survives_a_registry_that_both_agents_share(
    opened: Callable[..., Open], write: Write
) -> None:
    write("shared.py", "from workbench import ToolRegistry\nregistry = ToolRegistry()\n")
    source = AGENT.replace("from helper", "from shared import registry\nfrom helper").replace(
        "[scale, whoami, metres]", "registry, trust='open'"
    )
    it = opened(source=source)
    it.agent.tools.policy = PermissionPolicy.strict()
    write("agent.py", source + "\nmore = 1\n")
    it.check()
    assert it.agent.tools.policy == PermissionPolicy.strict()


def test_workbench_itself_is_never_loaded_again_even_where_it_is_worked_on(
    opened: Callable[..., Open],
) -> None:
    it = opened()
    (source,) = it.sources
    assert isinstance(source, AgentSource)
    source.project = Path(workbench.__file__).parents[1]
    modules = {name: module for name, module in sys.modules.items() if name.startswith("workbench.")}
    assert it.watcher.reload(everything=True).ok
    assert {name: sys.modules.get(name) for name in modules} == modules


def test_reloading_everything_of_an_unchanged_agent_tells_of_nothing(opened: Callable[..., Open]) -> None:
    it = opened()
    report = it.watcher.reload(everything=True)
    assert (report.ok, report.changed, report.left_behind, it.events) == (True, (), (), [])
