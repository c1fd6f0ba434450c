"""Model servers on this machine."""

from __future__ import annotations

from tests.providers.loopback import Loopback
from workbench.providers.local_servers import LocalServer, Place, find_local_servers


def place(server: Loopback, path: str = "/v1/models") -> Place:
    return Place("some", "openai", int(server.base_url.split(":")[2].split("/")[0]), path, "/v1")


def test_a_running_server_is_found_with_its_models_and_a_silent_port_is_not(server: Loopback) -> None:
    with Loopback() as gone:
        silent = place(gone)
    found = find_local_servers([silent, place(server)])
    assert found == [LocalServer("some", server.base_url, ("openai/some-model",))]
