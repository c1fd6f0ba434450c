"""MCP servers for a program that needs their tools from its first step on: all of them are there, or none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.errors import ConfigError
from workbench.registry import ToolRegistry
from workbench.toolbox.mcp_config import load_mcp_configs
from workbench.toolbox.mcp_servers import CONNECT_TIMEOUT, McpServers


@contextmanager
def ready_servers(
    registry: ToolRegistry, files: Iterable[Path], *, connect_timeout: float = CONNECT_TIMEOUT
) -> Iterator[None]:
    """The tools of the servers in these files are in the registry inside of the ``with``.

    Raises:
        ConfigError: when a file cannot be read, two files have a server of one name, or a server does not
            start; names the server, why it did not, and what it wrote last.
    """
    found = load_mcp_configs(files)
    configs = [config for config, _ in found]
    places = {config.name: path for config, path in found}
    if not configs:
        yield
        return
    with McpServers(registry, configs, connect_timeout=connect_timeout) as servers:
        servers.wait()
        failed = [state for state in servers.states if state.phase == "failed"]
        if failed:
            said = [f"the MCP server {state.name} did not start: {state.why}" for state in failed]
            where = ", ".join(dict.fromkeys(str(places[state.name]) for state in failed))
            raise ConfigError("\n".join(said), hint=f"Look at its command and settings in {where}.")
        yield
