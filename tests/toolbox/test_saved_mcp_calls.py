"""A traced call of an MCP server's tool as a test file: really run, with the server as it is and changed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.toolbox.test_pytest_writer import Silent, run_pytest, saved
from workbench.engine.agent import Agent
from workbench.errors import ConfigError, ToolServerError
from workbench.registry import ToolRegistry
from workbench.toolbox.mcp_config import McpServerConfig, load_mcp_config
from workbench.toolbox.mcp_servers import McpServers
from workbench.toolbox.pytest_writer import callee
from workbench.toolbox.recorded import call_mcp_tool

SAMPLE = Path(__file__).with_name("mcp_sample_server.py")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A project's MCP file, with a server of its own to be changed."""
    (tmp_path / "server.py").write_text(SAMPLE.read_text())
    file = tmp_path / "mcp.json"
    entry = {"command": sys.executable, "args": [str(tmp_path / "server.py")]}
    file.write_text(json.dumps({"mcpServers": {"sample": entry, "off": {"disabled": True}}}))
    return file


@pytest.fixture
def agent(config: Path) -> Iterator[Agent]:
    registry = ToolRegistry()
    with McpServers(registry, load_mcp_config(config)) as servers:
        assert servers.wait(60)
        yield Agent("a", registry, llm=Silent(), quiet=True, log=False, trust="open")


def test_saved_calls_pass_today_and_fail_once_the_server_gives_something_else(
    agent: Agent, config: Path
) -> None:
    paths = [
        saved(agent, config.parent, "sample.add", a=2),
        saved(agent, config.parent, "sample.fail", why="it's\nso"),
    ]
    before = run_pytest(*paths)
    assert before.returncode == 0, before.stdout
    assert "2 passed" in before.stdout
    server = config.with_name("server.py")
    text = server.read_text()
    for old, new in (
        ("return a + b", "return a - b"),
        ("raise ToolError(why)", "raise ToolError(why + '!')"),
    ):
        assert old in text
        text = text.replace(old, new)
    server.write_text(text)
    after = run_pytest(*paths)
    assert after.returncode == 1, after.stdout
    assert "2 failed" in after.stdout


def test_the_file_names_the_mcp_file_and_nothing_of_what_stands_in_it(agent: Agent, config: Path) -> None:
    text = saved(agent, config.parent, "sample.add", a=2).read_text()
    assert "FILE = Path(__file__).resolve().parents[1] / 'mcp.json'" in text
    assert "assert as_json(call_mcp_tool(FILE, 'sample', 'add', ARGUMENTS)) == as_json(RESULT)" in text
    assert "# The test starts the MCP server sample anew: what it knew then it may not know." in text
    assert "server.py" not in text


def test_a_server_that_no_file_tells_of_is_refused_and_it_says_why() -> None:
    registry = ToolRegistry()
    made = McpServerConfig("sample", command=sys.executable, args=(str(SAMPLE),))
    with McpServers(registry, [made]) as servers:
        assert servers.wait(60)
        tool = registry.get("sample.add")
        assert tool is not None
        with pytest.raises(ConfigError, match="server sample, which no file says how to reach") as raised:
            callee(tool)
    assert "--mcp" in raised.value.hint


@pytest.mark.parametrize("server", ["other", "off"])
def test_a_server_that_is_not_in_the_file_or_is_off_is_named(config: Path, server: str) -> None:
    with pytest.raises(ConfigError, match=f"has no MCP server {server} that is on"):
        call_mcp_tool(config, server, "add", {})


def test_a_tool_that_the_server_does_not_have_is_named(config: Path) -> None:
    with pytest.raises(ConfigError, match="the MCP server sample has no tool nope"):
        call_mcp_tool(config, "sample", "nope", {})


def test_a_server_that_does_not_start_is_an_error_with_the_reason(config: Path) -> None:
    config.with_name("server.py").write_text("raise SystemExit('no such day')")
    with pytest.raises(ToolServerError, match=r"sample cannot be reached: (?s:.)*no such day"):
        call_mcp_tool(config, "sample", "add", {"a": 1})
