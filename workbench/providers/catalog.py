"""Which models there are to choose from: built in, on this machine, and in the tables of litellm."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from workbench.errors import ProviderError
from workbench.providers.host_client import ModelHost, shared_host
from workbench.providers.keys import seller_rank
from workbench.providers.local_servers import LocalServer, find_local_servers

State = Literal["built in", "running", "key set", "no key"]


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One model. ``window`` in tokens, prices in dollars per million tokens; None is not known.

    ``base_url`` is where a local server has it; others are reached by their name alone. ``takes_images``
    where the tables say that it looks at pictures.
    """

    name: str
    window: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    base_url: str | None = None
    takes_images: bool = False


@dataclass(frozen=True, slots=True)
class ModelGroup:
    """The models of one provider or server. ``variables`` would hold its key, any one of them."""

    title: str
    state: State
    models: tuple[ModelInfo, ...]
    variables: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether its models can be asked as things are."""
        return self.state != "no key"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is known at one moment, the usable groups first. ``looking`` says what is still awaited.

    ``problem`` says why the tables could not be had.
    """

    groups: tuple[ModelGroup, ...]
    looking: str = ""
    problem: str = ""


OFFLINE = ModelGroup("built in", "built in", (ModelInfo("offline", 32_000, 0.0, 0.0),))

_FREE = ("ollama_chat/", "lm_studio/")

# the tables name models of these that nobody may have; what a server has, it says itself
_LOCAL = frozenset({"ollama", "ollama_chat", "lm_studio", "llamafile", "docker_model_runner", "hosted_vllm"})


class Catalog:
    """Asks the model host and the local servers, and keeps what they said. Safe to use from threads."""

    def __init__(
        self,
        host: ModelHost | None = None,
        find_servers: Callable[[], Sequence[LocalServer]] = find_local_servers,
    ) -> None:
        self._host = host or shared_host()
        self._find_servers = find_servers
        self._lock = threading.Lock()
        self._servers: tuple[ModelGroup, ...] = ()
        self._providers: tuple[ModelGroup, ...] = ()

    def known(self) -> Snapshot:
        """What was found so far, at once and without asking anybody."""
        return Snapshot((OFFLINE, *self._servers, *self._providers))

    def look(self, found: Callable[[Snapshot], None]) -> None:
        """Ask again, and call ``found`` with each step; the last one has nothing more to look for.

        Takes as long as the model host needs to get ready: meant for a thread of its own.
        """
        found(self._snapshot("looking for models on this machine"))
        servers = tuple(_server_group(server) for server in self._find_servers())
        with self._lock:
            self._servers = servers
        found(self._snapshot("asking the model library" if self._host.ready else "loading the model library"))
        problem = ""
        try:
            tables = self._host.models()
        except ProviderError as error:
            problem = f"{error} {error.hint}".strip()
        else:
            groups = [_provider_group(title, entry) for title, entry in tables.items() if title not in _LOCAL]
            with self._lock:
                self._providers = tuple(sorted(groups, key=_order))
        found(self._snapshot("", problem))

    def _snapshot(self, looking: str, problem: str = "") -> Snapshot:
        known = self.known()
        return Snapshot(known.groups, looking, problem)


def _server_group(server: LocalServer) -> ModelGroup:
    def info(name: str) -> ModelInfo:
        price = 0.0 if name.startswith(_FREE) else None
        return ModelInfo(name, None, price, price, server.base_url)

    return ModelGroup(f"{server.server} on this machine", "running", tuple(map(info, server.models)))


def _provider_group(title: str, entry: Mapping[str, Any]) -> ModelGroup:
    models = tuple(
        ModelInfo(name, window, asked, answered, takes_images=images)
        for name, (window, asked, answered, images) in sorted(entry["models"].items())
    )
    state: State = "key set" if entry["key"] else "no key"
    return ModelGroup(title, state, models, tuple(entry.get("variables", ())))


def _order(group: ModelGroup) -> tuple[bool, int, str]:
    return not group.usable, seller_rank(group.title), group.title
