"""The tools of MCP servers are there before anything begins, or it is said why not."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from workbench.errors import ConfigError
from workbench.registry import ToolRegistry
from workbench.toolbox.mcp_ready import ready_servers

SAMPLE = Path(__file__).with_name("mcp_sample_server.py")
BROKEN = "import sys; print('reading', file=sys.stderr); sys.exit('no DATABASE_URL')"


def servers_file(folder: Path, **servers: list[str]) -> Path:
    path = folder / "servers.json"
    entries = {name: {"command": sys.executable, "args": arguments} for name, arguments in servers.items()}
    path.write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")
    return path


def test_the_tools_can_be_called_at_once(tmp_path: Path) -> None:
    registry = ToolRegistry()
    with ready_servers(registry, [servers_file(tmp_path, sample=[str(SAMPLE)])]):
        assert registry.call("sample.add", {"a": 2, "b": 3}) == 5
    assert not registry.is_enabled("sample.add")


def test_a_server_that_does_not_start_is_an_error_with_what_it_wrote(tmp_path: Path) -> None:
    path = servers_file(tmp_path, broken=["-c", BROKEN])
    with pytest.raises(ConfigError) as caught, ready_servers(ToolRegistry(), [path]):
        pytest.fail("nothing may begin")
    said = str(caught.value)
    assert "the MCP server broken did not start: the connection ended" in said
    assert "reading\n" in said
    assert said.endswith("no DATABASE_URL")
    assert str(path) in caught.value.hint


def test_a_file_without_a_server_is_no_obstacle(tmp_path: Path) -> None:
    with ready_servers(ToolRegistry(), [servers_file(tmp_path)]):
        pass
