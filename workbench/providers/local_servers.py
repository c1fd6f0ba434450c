"""Finds model servers that run on this machine."""

from __future__ import annotations

import http.client
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

_TIMEOUT_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Place:
    """Where a kind of server usually listens. ``path`` lists its models; ``api`` follows the port."""

    server: str
    provider: str
    port: int
    path: str
    api: str


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that answered: its models by their full names, and the ``base_url`` to give to them."""

    server: str
    base_url: str
    models: tuple[str, ...]


USUAL_PLACES = (
    Place("Ollama", "ollama_chat", 11434, "/api/tags", ""),
    Place("LM Studio", "lm_studio", 1234, "/v1/models", "/v1"),
    Place("llama.cpp", "openai", 8080, "/v1/models", "/v1"),
    Place("vLLM", "hosted_vllm", 8000, "/v1/models", "/v1"),
)


def find_local_servers(places: Sequence[Place] = USUAL_PLACES) -> list[LocalServer]:
    """The servers that answer on their usual ports of the loopback address, in the order of ``places``.

    Takes at most half a second; meant for a thread of its own.
    """
    with ThreadPoolExecutor(max_workers=len(places), thread_name_prefix="local-servers") as pool:
        return [server for server in pool.map(_look, places) if server is not None]


def _look(place: Place) -> LocalServer | None:
    connection = http.client.HTTPConnection("127.0.0.1", place.port, timeout=_TIMEOUT_SECONDS)
    try:
        connection.request("GET", place.path)
        response = connection.getresponse()
        listing = json.loads(response.read()) if response.status == 200 else None
    except (OSError, http.client.HTTPException, ValueError):
        return None  # nothing listens there, or something that is no model server
    finally:
        connection.close()
    names = _names(listing)
    if names is None:
        return None
    models = tuple(f"{place.provider}/{name}" for name in names)
    return LocalServer(place.server, f"http://127.0.0.1:{place.port}{place.api}", models)


def _names(listing: Any) -> list[str] | None:
    """The model names of a listing in OpenAI's or Ollama's shape, None if it is neither."""
    if not isinstance(listing, dict):
        return None
    for items, key in ((listing.get("data"), "id"), (listing.get("models"), "name")):
        if isinstance(items, list):
            return [item[key] for item in items if isinstance(item, dict) and isinstance(item.get(key), str)]
    return None
