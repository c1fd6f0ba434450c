"""A model host and a loopback server for the tests of the providers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.providers.loopback import Loopback
from workbench.providers.host_client import ModelHost, shared_host


@pytest.fixture(scope="session")
def host() -> Iterator[ModelHost]:
    """A real model host with real litellm, started once: loading it takes seconds."""
    host = shared_host()
    host.warm()
    yield host
    host.close()


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as loopback:
        yield loopback
