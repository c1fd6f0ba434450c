"""Litellm's stream chunks as plain data, sent in batches."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

Chunk = dict[str, Any]

_BATCH_SECONDS = 0.05
"""Each message wakes the screen's process, which costs it far more than what is in it."""


class Flow:
    """Collects chunks: the first goes out at once, then whatever came within 50 ms goes together.

    Must be used on a running loop. A timer alone would starve under a stream that never yields, so the
    loop that adds asks ``due`` as well.
    """

    def __init__(self, send: Callable[[list[Chunk]], None]) -> None:
        self._send = send
        self._chunks: list[Chunk] = []
        self._flushed = float("-inf")
        self._timer: asyncio.TimerHandle | None = None

    def add(self, chunk: Chunk) -> None:
        """Take a chunk; text that follows text becomes one piece."""
        last = self._chunks[-1] if self._chunks else None
        for key in ("text", "reasoning"):
            if last is not None and last.keys() == chunk.keys() == {key}:
                last[key] += chunk[key]
                return
        self._chunks.append(chunk)
        if self._timer is None and not self.due():
            self._timer = asyncio.get_running_loop().call_later(_BATCH_SECONDS, self.flush)

    def due(self) -> bool:
        """Whether the batch has waited long enough."""
        return time.monotonic() - self._flushed >= _BATCH_SECONDS

    def flush(self) -> None:
        """Send what has come."""
        chunks = self._take()
        if chunks:
            self._flushed = time.monotonic()
            self._send(chunks)

    def drop(self) -> None:
        """Forget what has come."""
        self._take()

    def _take(self) -> list[Chunk]:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        chunks, self._chunks = self._chunks, []
        return chunks


def plain_chunk(chunk: Any) -> Chunk:
    """One ``ModelResponseStream`` as the chunk of ``assembly.py``; empty if it says nothing."""
    choices = getattr(chunk, "choices", None)
    if not choices:
        return {}
    choice = choices[0]
    delta = getattr(choice, "delta", None)
    plain: Chunk = {}
    _put(plain, "text", getattr(delta, "content", None))
    _put(plain, "reasoning", getattr(delta, "reasoning_content", None))
    _put(plain, "finish", getattr(choice, "finish_reason", None))
    _put(plain, "thinking", [_plain(block) for block in getattr(delta, "thinking_blocks", None) or ()])
    _put(plain, "fields", _plain(getattr(delta, "provider_specific_fields", None)))
    _put(plain, "calls", [_plain_call(call) for call in getattr(delta, "tool_calls", None) or ()])
    return plain


def _put(plain: Chunk, key: str, value: Any) -> None:
    if value:
        plain[key] = value


def _plain_call(call: Any) -> Chunk:
    function = getattr(call, "function", None)
    plain: Chunk = {"index": getattr(call, "index", None)}
    _put(plain, "id", getattr(call, "id", None))
    _put(plain, "name", getattr(function, "name", None))
    _put(plain, "arguments", _plain(getattr(function, "arguments", None)))
    _put(plain, "fields", _plain(getattr(call, "provider_specific_fields", None)))
    return plain


def _plain(value: Any) -> Any:
    """``value`` as what JSON can hold."""
    dump = getattr(value, "model_dump", None)
    if dump is not None:
        return dump(mode="json", exclude_none=True)
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
