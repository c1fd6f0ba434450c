"""What changes on disk while the app runs reaches the registry and is told to the person."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.compose import build_agent
from workbench.registry import ToolRegistry
from workbench.toolbox.loader import load_tools
from workbench.toolbox.tool_source import ToolSource
from workbench.tui import events
from workbench.upkeep import ToolUpkeep

HELLO = "def greet(name: str) -> str:\n    '''Greet.'''\n    return f'hello {name}'\n"


class Kept:
    """A folder with one tool file, its registry, and what the screen was told."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "tools" / "greet.py"
        self.file.parent.mkdir()
        self.file.write_text(HELLO)
        self.tools = ToolRegistry()
        report = load_tools(self.file.parent, self.tools)
        self.told: list[events.AgentEvent] = []
        self.upkeep = ToolUpkeep(self.tools, [report.source], self.told.append)

    def notices(self) -> list[tuple[str, str]]:
        return [(event.title, event.text) for event in self.told if isinstance(event, events.Notice)]


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def test_a_saved_file_is_in_use_before_the_next_turn(kept: Kept) -> None:
    kept.file.write_text(HELLO.replace("hello", "goodbye"))
    kept.upkeep.check()
    assert kept.tools.call("greet.greet", {"name": "Ann"}) == "goodbye Ann"
    assert kept.notices() == [("Tools were reloaded", "changed greet.greet")]


def test_a_broken_file_is_told_once_keeps_the_old_version_and_is_told_when_mended(kept: Kept) -> None:
    kept.file.write_text("def greet(:\n")
    kept.upkeep.check()
    kept.upkeep.check()
    assert kept.tools.call("greet.greet", {"name": "Ann"}) == "hello Ann"
    (title, text) = kept.notices()[0]
    assert title == "greet.py was not loaded again"
    assert text.startswith("line 1: SyntaxError")
    assert len(kept.notices()) == 1
    failed = [event for event in kept.told if isinstance(event, events.LoadFailed)]
    assert (failed[0].path, failed[0].where) == (str(kept.file), "line 1")
    kept.file.write_text(HELLO)
    kept.upkeep.check()
    assert [event.source for event in kept.told if isinstance(event, events.LoadMended)] == ["greet.py"]


def test_a_reload_by_hand_imports_everything_and_says_so(kept: Kept) -> None:
    kept.upkeep.reload()
    assert kept.notices()[-1][0] == "The tools were loaded again"


def test_what_takes_effect_only_at_the_next_start_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = HELLO + "from workbench import Agent\nagent = Agent('one', [greet], model='offline', log=False)\n"
    (tmp_path / "agent.py").write_text(text)
    sources: list[ToolSource] = []
    told: list[events.AgentEvent] = []
    agent = build_agent("agent.py", loaded=sources.append)
    upkeep = ToolUpkeep(agent.tools, sources, told.append)
    (tmp_path / "agent.py").write_text(text.replace("hello", "goodbye").replace("'one'", "'two'"))
    upkeep.check()
    assert [(each.title, each.text) for each in told if isinstance(each, events.Notice)] == [
        ("Tools were reloaded", "changed greet"),
        ("Some changes wait", "what agent was made with besides its tools"),
    ]


def test_an_unchanged_folder_says_nothing(kept: Kept) -> None:
    kept.upkeep.check()
    assert kept.told == []
