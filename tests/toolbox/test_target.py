"""What the command line's TARGET may be, and what is said when it is nothing of the kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.toolbox.conftest import Write
from workbench.errors import AgentChoiceError, ConfigError
from workbench.registry import ToolRegistry
from workbench.toolbox.loader import load_tools
from workbench.toolbox.target import ResolvedTarget, resolve_target

AGENT = """
class Likeness:
    def __init__(self, name):
        self.name, self.tools = name, ()
    def input(self, prompt):
        return prompt
first = Likeness("first")
"""


def name_of(resolved: ResolvedTarget) -> str:
    assert resolved.agent is not None
    return resolved.agent.name


def test_a_folder_and_a_file_of_tools_are_handed_to_the_loader(tmp_path: Path, write: Write) -> None:
    path = write("a.py", "def one() -> int: return 1\n")
    assert resolve_target(str(tmp_path)) == ResolvedTarget(None, (str(tmp_path),))
    assert resolve_target(str(path)) == ResolvedTarget(None, (str(path),))


def test_a_file_with_one_agent_is_that_agent(write: Write) -> None:
    path = write("a.py", AGENT + "same = first\n")
    assert name_of(resolve_target(str(path))) == "first"


def test_a_name_chooses_among_several_agents(write: Write) -> None:
    path = write("a.py", AGENT + "second = Likeness('second')\nbox = {'x': 1}\n")
    assert name_of(resolve_target(f"{path}:second")) == "second"
    with pytest.raises(ConfigError, match="holds 2 agents") as raised:
        resolve_target(str(path))
    assert raised.value.hint == f"Choose one: {path}:first or {path}:second."


MADE = """
from workbench import Agent
def made(name, *tools):
    return Agent(name, list(tools), model="offline", log=False)
"""


def test_of_several_agents_the_one_that_has_all_others_as_tools_is_meant(write: Write) -> None:
    deep = "helper = made('helper')\nmiddle = made('middle', helper)\nagent = made('main', middle, abs)\n"
    resolved = resolve_target(str(write("a.py", f"{MADE}{deep}same = agent\n")))
    assert name_of(resolved) == "main"
    assert resolved.source is not None


@pytest.mark.parametrize(
    "agents",
    [
        "helper = made('helper')\nagent = made('main', helper)\nother = made('other')\n",
        "helper = made('helper')\nagent = made('main', helper)\nother = made('other', helper)\n",
        (
            "agent = made('main')\nother = made('other', agent)\n"
            "agent.tools.register(next(iter(made('x', other).tools)))\n"
        ),
    ],
)
def test_several_agents_of_which_none_alone_has_all_others_are_to_be_chosen_from(
    write: Write, agents: str
) -> None:
    path = write("a.py", MADE + agents)
    with pytest.raises(AgentChoiceError, match="agents") as raised:
        resolve_target(str(path))
    assert f"{path}:agent" in raised.value.choices


def test_a_caret_in_a_long_line_that_is_no_python_stands_below_its_place(write: Write) -> None:
    path = write("a.py", f"if True:\n    x = [{'1, ' * 60}2 3, {'4, ' * 60}]\n")
    with pytest.raises(ConfigError) as raised:
        resolve_target(str(path))
    _, line, carets = raised.value.message.split("\n")
    assert len(line) <= 44
    assert line[carets.index("^") : len(carets)] == "2 3"


def test_a_module_works_like_a_file(tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("agents_of_this_test.py", AGENT)
    monkeypatch.chdir(tmp_path)
    assert name_of(resolve_target("agents_of_this_test")) == "first"
    assert name_of(resolve_target("agents_of_this_test:first")) == "first"


def test_a_name_may_be_a_tool_or_a_list_of_tools(write: Write) -> None:
    path = write(
        "a.py", "def one() -> int: return 1\nkit = [one]\nclass Shelf:\n    def put(self): ...\ns = Shelf()\n"
    )
    for name in ("one", "kit", "s"):
        assert resolve_target(f"{path}:{name}") == ResolvedTarget(None, (f"{path}:{name}",))


def test_loading_what_was_resolved_does_not_run_the_file_twice(tmp_path: Path, write: Write) -> None:
    count = tmp_path / "count"
    path = write(
        "a.py",
        f"from pathlib import Path\nwith Path({str(count)!r}).open('a') as f: f.write('x')\ndef one(): ...\n",
    )
    (target,) = resolve_target(str(path)).tools
    load_tools(target, ToolRegistry())
    assert count.read_text() == "x"


@pytest.mark.parametrize(
    ("target", "message", "hint"),
    [
        ("{}/gone.py", "there is no {}/gone.py", ""),
        ("{}/agnet.py", "there is no {}/agnet.py", "Did you mean {}/agent.py?"),
        ("{}/no/where.py", "there is no {}/no/where.py", "The folder {}/no does not exist either."),
        ("{}/agent.py:frist", "{}/agent.py has no frist", "Did you mean first?"),
        (
            "{}/agent.py:number",
            "{}/agent.py:number is neither an agent nor a tool, but an int",
            "Name an Agent",
        ),
        ("{}:first", "{} is a folder, so it has no first", "Name a file in it"),
        ("{}/broken.py", "cannot import {}/broken.py:2: ZeroDivisionError", "Correct it"),
        ("no_such_module_here:x", "there is no file, folder or module no_such_module_here", "TARGET is"),
    ],
)
def test_each_mistake_has_its_own_words(
    tmp_path: Path, write: Write, target: str, message: str, hint: str
) -> None:
    write("agent.py", AGENT + "number = 5\n")
    write("broken.py", "x = 1\ny = x / 0\n")
    with pytest.raises(ConfigError) as raised:
        resolve_target(target.format(tmp_path))
    assert message.format(tmp_path) in str(raised.value)
    assert hint.format(tmp_path) in raised.value.hint


def test_a_module_that_misses_another_module_is_not_called_missing_itself(write: Write) -> None:
    path = write("a.py", "import not_there_at_all\n")
    with pytest.raises(ConfigError, match="No module named 'not_there_at_all'"):
        resolve_target(str(path))
