"""What changes on disk while the app runs reaches the registry and is told to the person."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.compose import build_agent
from workbench.registry import PermissionPolicy, ToolRegistry
from workbench.toolbox.loader import load_tools
from workbench.toolbox.mcp_connection import McpServerState
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
    assert [event.tone for event in kept.told if isinstance(event, events.Notice)] == ["error", "muted"]
    assert kept.notices()[-1][0] == "greet.py is loaded now"


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


def test_a_new_file_that_is_broken_is_not_said_to_be_in_use(kept: Kept) -> None:
    (kept.file.parent / "late.py").write_text("def late(:\n")
    kept.upkeep.check()
    (notice,) = [each for each in kept.told if isinstance(each, events.Notice)]
    assert notice.title == "late.py was not loaded"
    assert "last version" not in notice.hint
    kept.file.write_text("def greet(:\n")
    kept.upkeep.check()
    notice = [each for each in kept.told if isinstance(each, events.Notice)][-1]
    assert notice.title == "greet.py was not loaded again"
    assert "last version" in notice.hint


def test_a_broken_helper_leaves_the_last_version_in_use_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "greeting.py").write_text(HELLO)
    (tmp_path / "agent.py").write_text(
        "from workbench import Agent\nfrom greeting import greet\n"
        "agent = Agent('one', [greet], model='offline', log=False)\n"
    )
    sources: list[ToolSource] = []
    told: list[events.AgentEvent] = []
    agent = build_agent("agent.py", trust="open", loaded=sources.append)
    upkeep = ToolUpkeep(agent.tools, sources, told.append)
    (tmp_path / "greeting.py").write_text("WORD = 'hello'\ndef greet(name: str\n    return name\n")
    upkeep.check()
    (notice,) = [each for each in told if isinstance(each, events.Notice)]
    assert notice.title == "greeting.py was not loaded again"
    assert notice.text == "line 2: SyntaxError: '(' was never closed\n    def greet(name: str"
    assert notice.hint == "The last version that loaded stays in use: mend it and save."
    assert agent.tools.call("greet", {"name": "Ann"}) == "hello Ann"


def test_a_file_of_which_one_function_is_no_tool_was_loaded_in_part(kept: Kept) -> None:
    kept.file.write_text(HELLO + "def second(when: print) -> str:\n    return ''\n")
    kept.upkeep.check()
    titles = [title for title, _ in kept.notices()]
    assert titles[0] == "greet.py was loaded in part"


def test_a_rule_that_covers_no_tool_is_told_once_the_tools_are_there(kept: Kept) -> None:
    kept.tools.policy = PermissionPolicy.from_rules([{"deny": "gret"}, {"deny": "greet"}])
    kept.upkeep.start()
    kept.upkeep.close()
    (told,) = kept.notices()
    assert told == (
        "Some rules of the policy cover nothing",
        "deny gret: no tool has that name; near it: greet.greet",
    )


def test_a_server_that_fails_is_told_whole_and_once_and_rules_wait_for_it(tmp_path: Path) -> None:
    servers = tmp_path / "servers.json"
    servers.write_text('{"mcpServers": {"db": {"command": "db"}, "web": {"command": "web"}}}')
    tools = ToolRegistry(PermissionPolicy.from_rules([{"deny": "web.fetch"}]))
    told: list[events.AgentEvent] = []
    upkeep = ToolUpkeep(tools, [], told.append, mcp=[servers])
    failed = McpServerState("db", "failed", "the connection ended (no URL)", output=("reading", "no URL"))
    connected = McpServerState("web", "connected", tools=("web.get",))
    for state in (failed, connected, failed, McpServerState("db", "connecting"), failed):
        upkeep.server_changed(state)
    notices = [each for each in told if isinstance(each, events.Notice)]
    assert [each.title for each in notices] == [
        "The MCP server db is not connected",
        "web is connected",
        "Some rules of the policy cover nothing",
    ]
    assert notices[0].text == "the connection ended; it wrote:\n  reading\n  no URL"
    assert str(servers) in notices[0].hint
    assert notices[1].text == "1 tool"
    upkeep.server_changed(McpServerState("db", "connected"))
    upkeep.server_changed(failed)
    assert [each.title for each in told if isinstance(each, events.Notice)][-1] == notices[0].title


def test_a_file_that_is_broken_at_the_start_is_told_as_one_that_breaks_later(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def late(:\n")
    tools = ToolRegistry()
    report = load_tools(tmp_path, tools)
    told: list[events.AgentEvent] = []
    upkeep = ToolUpkeep(tools, [report.source], told.append)
    upkeep.start()
    upkeep.close()
    (notice,) = [each for each in told if isinstance(each, events.Notice)]
    assert notice.title == "bad.py was not loaded"
    assert notice.text.startswith("line 1: SyntaxError")
