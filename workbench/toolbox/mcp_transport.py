"""The way to one MCP server: a child process with its pipes, or HTTP; and when it ends."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, Self

from workbench.engine.results import sendable
from workbench.toolbox.mcp_config import McpServerConfig

if TYPE_CHECKING:
    from mcp.client import Transport

logger = logging.getLogger(__name__)

_KEPT_LINES: Final = 20
_LONGEST_LINE: Final = 500
_HTTP_TIMEOUT: Final = 30.0
_HTTP_SILENCE: Final = 300.0


class ErrorTail(asyncio.Protocol):
    """The last lines that a server wrote to its standard error; all of them go to the log."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self._open = ""

    def data_received(self, data: bytes) -> None:
        """Take what came through the pipe."""
        *lines, self._open = (self._open + data.decode("utf-8", "replace")).split("\n")
        for line in lines:
            self._take(line)
        self._open = self._open[:_LONGEST_LINE]

    def connection_lost(self, exc: Exception | None) -> None:
        """Take what stands behind the last line break."""
        self._take(self._open)
        self._open = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """The last lines that say something, the newest at the end."""
        return tuple(self._lines)

    def _take(self, line: str) -> None:
        if line.strip():
            self._lines.append(line.rstrip()[:_LONGEST_LINE])
            logger.info("%s: %s", self._server, self._lines[-1])


class _Listened:
    """A stream of messages that tells when it has ended."""

    def __init__(self, stream: Any, ended: Callable[[], None]) -> None:
        self._stream = stream
        self._ended = ended

    @property
    def last_context(self) -> Any:
        """What the stream says about the sender of the last message."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> Any:
        return read_anyway(await self._stream.receive())

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            return read_anyway(await self._stream.__anext__())
        except BaseException:
            self._ended()
            raise

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *how: object) -> Any:
        return await self._stream.__aexit__(*how)


def read_anyway(item: Any) -> Any:
    """A message of a server as it is; one that the SDK could not read is read with more patience.

    Lone surrogates, which programs write that cut texts apart, are replaced. What is no message even so is an
    error answer to the request whose id it has, since nobody else would ever answer that; else it stays the
    exception that it came as.
    """
    from mcp.shared.message import SessionMessage
    from mcp.types import INVALID_REQUEST, ErrorData, JSONRPCError, jsonrpc_message_adapter
    from pydantic import ValidationError

    if not isinstance(item, ValidationError):
        return item
    given = [each["input"] for each in item.errors(include_url=False)]
    whole = (each for each in given if isinstance(each, dict) and "jsonrpc" in each)
    try:
        data = next(whole, None) or json.loads(given[0])
    except (TypeError, ValueError, RecursionError):
        return item
    text = sendable(json.dumps(data, ensure_ascii=False))
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(text, by_name=False))
    except ValidationError:
        request = data.get("id") if isinstance(data, dict) else None
    if not isinstance(request, int | str) or isinstance(request, bool):
        return item
    fault = ErrorData(code=INVALID_REQUEST, message="the server's answer is no message of the protocol")
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=request, error=fault))


def transport_to(config: McpServerConfig, tail: ErrorTail, ended: Callable[[], None]) -> Transport:
    """The SDK's transport for a server; ``ended`` is called when no message can come any more."""
    return _over_stdio(config, tail, ended) if config.command else _over_http(config, ended)


@asynccontextmanager
async def _over_stdio(
    config: McpServerConfig, tail: ErrorTail, ended: Callable[[], None]
) -> AsyncIterator[Any]:
    from mcp.client.stdio import StdioServerParameters, stdio_client

    parameters = StdioServerParameters(
        command=config.command, args=list(config.args), env=dict(config.env), cwd=config.cwd
    )
    reading, writing = os.pipe()
    pipe, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: tail, os.fdopen(reading, "rb", 0))
    # The screen belongs to the app, so what the server says there must go elsewhere.
    errors = os.fdopen(writing, "w", encoding="utf-8")
    try:
        async with stdio_client(parameters, errors) as (read, write):
            errors.close()
            yield _Listened(read, ended), write
    finally:
        errors.close()
        pipe.close()


@asynccontextmanager
async def _over_http(config: McpServerConfig, ended: Callable[[], None]) -> AsyncIterator[Any]:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    timeout = httpx2.Timeout(_HTTP_TIMEOUT, read=_HTTP_SILENCE)
    async with (
        httpx2.AsyncClient(headers=dict(config.headers), timeout=timeout) as client,
        streamable_http_client(config.url, http_client=client) as (read, write),
    ):
        yield _Listened(read, ended), write
