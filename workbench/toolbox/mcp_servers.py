"""All MCP servers of a registry, on one background event loop."""

from __future__ import annotations

import asyncio
import atexit
import importlib.util
import logging
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Final, Self

from workbench.errors import ConfigError, ToolServerError
from workbench.registry import ToolRegistry
from workbench.toolbox.mcp_config import McpServerConfig
from workbench.toolbox.mcp_connection import McpConnection, McpServerState, OnState

logger = logging.getLogger(__name__)

RETRY_DELAYS: Final = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds between attempts to connect; the last one is repeated."""

CONNECT_TIMEOUT: Final = 60.0
"""Seconds for a server to start and list its tools; some are downloaded first."""

_CLOSING: Final = 10.0
_WORKERS: Final = 4


class McpServers:
    """Starts MCP servers, or connects to them, and keeps their tools in a registry.

    Each server's tools are in a namespace of its name. A server that is lost is connected again, a tool
    of one that cannot be reached is off meanwhile. Servers over stdio end with `close`, at the latest
    when Python exits. The methods are safe on any thread.
    """

    def __init__(
        self,
        registry: ToolRegistry,
        servers: Iterable[McpServerConfig],
        on_state: OnState | None = None,
        *,
        retry_delays: Sequence[float] = RETRY_DELAYS,
        connect_timeout: float = CONNECT_TIMEOUT,
    ) -> None:
        """Nothing is started before `start`.

        Raises:
            ConfigError: when the ``mcp`` package is not installed.
        """
        if importlib.util.find_spec("mcp") is None:
            raise ConfigError(
                "MCP servers need the mcp package", hint="Install it: pip install 'agent-workbench[mcp]'."
            )
        # Not the loop's own: ending that one takes a new thread, which Python refuses when it exits.
        self._workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="mcp-servers")
        self._connections = {
            config.name: McpConnection(
                config, registry, on_state, self._call, self._workers, retry_delays, connect_timeout
            )
            for config in servers
        }
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closing: asyncio.Event | None = None
        self._thread: threading.Thread | None = None
        self._closed = False
        self._lock = threading.Lock()

    @property
    def states(self) -> tuple[McpServerState, ...]:
        """How it stands with each server, in the order given."""
        return tuple(each.state for each in self._connections.values())

    def start(self) -> None:
        """Begin to connect to all servers in the background; does nothing when that was begun.

        Raises:
            RuntimeError: after `close`; make a new object then.
        """
        with self._lock:
            if self._closed:
                raise RuntimeError("these MCP servers were closed")
            if self._thread is not None:
                return
            running = threading.Event()
            self._thread = threading.Thread(
                target=lambda: asyncio.run(self._run(running)), name="mcp-servers", daemon=True
            )
            self._thread.start()
            running.wait()
            atexit.register(self.close)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until each server is connected or has failed once; False when the time (s) is over."""
        if self._loop is None:
            return False
        future = asyncio.run_coroutine_threadsafe(self._all_settled(), self._loop)
        try:
            future.result(timeout)
        except TimeoutError:
            future.cancel()
            return False
        return True

    def reconnect(self, name: str) -> None:
        """Try a server that has failed again now; raises KeyError for an unknown one."""
        connection = self._connections[name]
        if self._loop is not None:
            self._loop.call_soon_threadsafe(connection.hurry)

    def close(self) -> None:
        """End all connections and the servers that were started; the tools stay, switched off.

        Not to be called by ``on_state``, which it waits for.
        """
        with self._lock:
            self._closed = True
            thread, loop, closing = self._thread, self._loop, self._closing
            self._thread = self._loop = self._closing = None
        atexit.unregister(self.close)
        if thread is None or loop is None or closing is None:
            return
        loop.call_soon_threadsafe(closing.set)
        thread.join(_CLOSING)
        self._workers.shutdown(wait=False)
        for each in self._connections.values():
            if not each.config.disabled:
                each.enter("closed")

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def _run(self, running: threading.Event) -> None:
        self._loop, self._closing = asyncio.get_running_loop(), asyncio.Event()
        closing = self._closing
        running.set()
        from anyio import create_task_group

        async with create_task_group() as group:
            for each in self._connections.values():
                if not each.config.disabled:
                    group.start_soon(_serve, each)
            await closing.wait()
            # A task's own cancel() would also cut short the ending of a process that is under way.
            group.cancel_scope.cancel()

    async def _all_settled(self) -> None:
        for each in self._connections.values():
            if not each.config.disabled:
                await each.settled()

    async def _call(self, connection: McpConnection, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool from whatever loop the caller is on; a cancelled call is cancelled on the server."""
        loop = self._loop
        closed = ToolServerError(f"the MCP server {connection.config.name} is closed")
        if loop is None:
            raise closed
        call = connection.call(name, arguments)
        try:
            future = asyncio.run_coroutine_threadsafe(call, loop)
        except RuntimeError as error:  # the loop ended at this moment
            call.close()
            raise closed from error
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise ToolServerError(
                f"the MCP server {connection.config.name} was closed during the call",
                hint="It may or may not have run.",
            ) from None


async def _serve(connection: McpConnection) -> None:
    try:
        await connection.serve()
    except Exception:
        logger.exception("the MCP server %s is not followed any more", connection.config.name)
