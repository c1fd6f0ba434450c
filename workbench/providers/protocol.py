"""The lines that a parent process and its model host exchange: one JSON object each.

To the host (``op``):

=============  =====================================================================
``complete``   ``id, model, messages, tools, parameters``: answer, streamed
``facts``      ``id, model``: what the local tables know about a model
``models``     ``id``: the models of the local tables by provider
``cancel``     ``id``: stop that request
``environ``    ``set``: environment variables that changed; None takes one away
``ping``       answered with ``pong`` from the host's loop
=============  =====================================================================

From the host (``kind``; those with ``id`` belong to a request):

=============  =====================================================================
``ready``      the model library is loaded
``pong``       the loop is alive
``log``        ``level, name, text``: a record for the parent's log
``chunks``     ``id, chunks``: pieces of the answer, see ``assembly.py``
``done``       ``id, usage, cost, model, context_window, unread``: the answer is complete;
               ``unread`` if nothing of it could be read
``facts``      ``id, context_window, missing_keys, takes, images``: see ``host_facts.py``
``models``     ``id, providers``: a mapping of provider to ``models, key, variables``, see
               ``host_facts.py``
``failed``     ``id, error``: see ``failures.py``
``cancelled``  ``id``: the request was stopped
=============  =====================================================================
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.engine.llm import ToolSchema
from workbench.errors import InvalidRequestError, ModelHostError

Event = dict[str, Any]
"""One line from the host."""

PARENT_VARIABLE = "WORKBENCH_HOST_PARENT"
"""The environment variable with the process id of the parent, without which the host ends."""

UNFINISHED = frozenset({"chunks"})
"""The kinds that belong to a request and are not its last."""

_DECODER = json.JSONDecoder()

_REQUIRED: dict[str, dict[str, type]] = {
    "ready": {},
    "pong": {},
    "log": {"level": int, "name": str, "text": str},
    "chunks": {"id": int, "chunks": list},
    "done": {"id": int, "usage": dict},
    "facts": {"id": int},
    "models": {"id": int, "providers": dict},
    "failed": {"id": int, "error": dict},
    "cancelled": {"id": int},
}


def encode(message: Mapping[str, Any]) -> bytes:
    """One line, with its newline."""
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def encode_request(
    number: int,
    model: str,
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[ToolSchema] | None,
    parameters: Mapping[str, Any],
) -> list[bytes]:
    """The pieces of a ``complete`` line.

    Each message is encoded by itself, because encoding a long conversation in one go would hold the
    interpreter, and with it the screen, for tens of milliseconds. Keys that start with ``_`` stay here.
    Raises ``InvalidRequestError`` for a message that is not JSON.
    """
    head = {"op": "complete", "id": number, "model": model, "parameters": dict(parameters)}
    if tools:
        head["tools"] = list(tools)
    pieces = [_dumps(head, "the tools or parameters")[:-1] + b',"messages":[']
    for position, message in enumerate(messages):
        sent = {key: value for key, value in message.items() if not key.startswith("_")}
        if position:
            pieces.append(b",")
        pieces.append(_dumps(sent, f"message {position}"))
    pieces.append(b"]}\n")
    return pieces


def decode(line: bytes) -> Event:
    """The event in ``line``. Raises ``ModelHostError`` if it is not the protocol."""
    event: Any
    try:
        # ``json.loads`` takes bytes too, at twice the cost: it looks for their encoding first
        event, end = _DECODER.raw_decode(line.decode("ascii"))
    except ValueError:
        event, end = None, 0
    if not _is_whole(event) or line[end:].strip():
        raise ModelHostError(f"The model host wrote a line that is not the protocol: {line[:80]!r}.")
    whole: Event = event
    return whole


def _is_whole(event: Any) -> bool:
    if not isinstance(event, dict):
        return False
    required = _REQUIRED.get(str(event.get("kind")))
    if required is None:
        return False
    for key, kind in required.items():  # noqa: SIM110  an expression with a generator costs twice as much
        if not isinstance(event.get(key), kind):
            return False
    return True


def _dumps(value: Any, what: str) -> bytes:
    try:
        return json.dumps(value, separators=(",", ":")).encode("ascii")
    except (TypeError, ValueError) as error:
        raise InvalidRequestError(f"The request cannot be sent: {what} is not JSON ({error}).") from error
