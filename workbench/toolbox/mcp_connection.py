"""One MCP server: connects, keeps its tools in the registry, and connects again when it was lost."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from workbench.errors import ToolRegistrationError, ToolServerError
from workbench.registry import Tool, ToolRegistry
from workbench.toolbox.mcp_config import McpServerConfig
from workbench.toolbox.mcp_tools import tool_from, value_of
from workbench.toolbox.mcp_transport import ErrorTail, transport_to
from workbench.toolbox.tool_keeper import ToolKeeper

if TYPE_CHECKING:
    from anyio import CancelScope
    from mcp import Client, types

logger = logging.getLogger(__name__)

LASTING: Final = 5.0
"""Seconds after which a connection that is lost is made again without waiting."""

ENDED: Final = "the connection ended"

Phase: TypeAlias = Literal["off", "connecting", "connected", "failed", "closed"]


@dataclass(frozen=True, slots=True)
class McpServerState:
    """How it stands with one server.

    Attributes:
        name: The server.
        phase: ``off`` when it is not to be started; ``failed`` between two attempts to connect.
        reason: Why it failed, in words for people; else empty.
        tools: Dotted names of its tools in the registry.
        problems: Tools of it that could not be registered, and why.
        output: The last lines that it wrote to its standard error before it failed.
    """

    name: str
    phase: Phase
    reason: str = ""
    tools: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    output: tuple[str, ...] = ()

    @property
    def why(self) -> str:
        """All there is to say of a failure: the reason, and below it what the server wrote, line by line."""
        if len(self.output) < 2:
            return self.reason
        reason = self.reason.removesuffix(f" ({self.output[-1]})")
        return "\n".join((f"{reason}; it wrote:", *(f"  {line}" for line in self.output)))

    def __str__(self) -> str:
        return f"{self.phase}: {self.reason}" if self.reason else self.phase


OnState: TypeAlias = Callable[[McpServerState], None]
"""Told of each change, on a thread of the servers; what it raises is logged."""


class McpConnection:
    """Everything about one server; all coroutines run on the servers' loop."""

    def __init__(
        self,
        config: McpServerConfig,
        registry: ToolRegistry,
        on_state: OnState | None,
        call: Callable[[McpConnection, str, dict[str, Any]], Any],
        workers: Executor,
        retry_delays: Sequence[float],
        connect_timeout: float,
    ) -> None:
        """``call`` makes an awaitable for any loop from a tool's name and arguments.

        ``workers`` run what may take its time: changes of the registry, whose callbacks are not ours.
        """
        self.config = config
        self.state = McpServerState(config.name, "off" if config.disabled else "connecting")
        self._registry = registry
        self._on_state = on_state
        self._call = call
        self._workers = workers
        self._delays = retry_delays
        self._connect_timeout = connect_timeout
        self._keeper = ToolKeeper(registry)
        self._client: Client | None = None
        self._tools: dict[str, str] = {}  # the server's names to ours
        self._problems: tuple[str, ...] = ()
        self._connected_at: float | None = None
        self._settled = asyncio.Event()
        self._changed = asyncio.Event()
        self._hurry = asyncio.Event()

    async def serve(self) -> None:
        """Be connected until the cancel scope around it is cancelled; after a loss, and after each failure,
        try again.
        """
        from anyio.lowlevel import checkpoint

        failures = 0
        while True:
            tail = ErrorTail(self.config.name)
            self._connected_at = None
            try:
                await self._enter("connecting")
                reason = await self._stay_connected(tail)
            except Exception as error:  # the top of a worker: whatever failed is told, and tried again
                logger.debug("MCP server %s", self.config.name, exc_info=error)
                reason = _in_words(error)
            await checkpoint()  # what broke while it was being ended may have hidden the cancellation
            self._client = None
            if self._has_lasted():
                failures = 0
                continue
            failures += 1
            self._hurry.clear()  # first, as whoever is told of the failure may want to hurry
            lines = tail.lines
            await self._enter("failed", f"{reason} ({lines[-1]})" if lines else reason, lines)
            self._settled.set()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._hurry.wait(), self._delays[min(failures, len(self._delays)) - 1])
            self._settled.clear()

    def _has_lasted(self) -> bool:
        """Whether there was a connection for a while, so that a new one can be had at once."""
        now = asyncio.get_running_loop().time()
        return self._connected_at is not None and now - self._connected_at >= LASTING

    def hurry(self) -> None:
        """Make the next attempt now."""
        self._hurry.set()

    async def settled(self) -> None:
        """Wait until the server is connected, or an attempt has failed."""
        await self._settled.wait()

    async def call(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool by the server's name for it; waits while a connection is being made.

        Raises:
            ToolServerError: when there is no connection, it is lost, or the server answers with an error.
        """
        from mcp import MCPError
        from mcp.types import CONNECTION_CLOSED

        await self._settled.wait()
        if self._client is None:
            raise ToolServerError(
                f"the MCP server {self.config.name} is not connected ({self.state})",
                hint="It is tried again by itself; another tool may do.",
            )
        try:
            return value_of(await self._client.call_tool(name, arguments))
        except MCPError as error:
            if error.code == CONNECTION_CLOSED:
                raise ToolServerError(
                    f"the connection to the MCP server {self.config.name} was lost during the call",
                    hint="It may or may not have run.",
                ) from error
            raise ToolServerError(error.message) from error

    async def _stay_connected(self, tail: ErrorTail) -> str:
        """Connect, follow the list of tools, and say why it ended once the connection is lost."""
        from anyio import fail_after
        from mcp import Client
        from mcp.types import Implementation

        lost = asyncio.Event()
        client = Client(
            transport_to(self.config, tail, lost.set),
            message_handler=self._on_message,
            client_info=Implementation(name="workbench", version="1"),
            cache=None,
        )
        with fail_after(self._connect_timeout) as limit:
            await self._follow(client, lost, limit)
        return ENDED

    async def _follow(self, client: Client, lost: asyncio.Event, limit: CancelScope) -> None:
        """Follow the list of tools until the connection is lost; the ``limit`` ends once it is made."""
        from anyio import CancelScope

        async with client:
            self._changed.clear()
            await self._take_tools(client)
            limit.deadline = math.inf
            self._client = client
            self._connected_at = asyncio.get_running_loop().time()
            await self._enter("connected")
            self._settled.set()
            listener = asyncio.create_task(self._listen(client, lost))
            try:
                while await self._next_change(lost):
                    await self._take_tools(client)
                    await self._enter("connected")
            finally:
                self._client = None
                self._settled.clear()
                listener.cancel()
                with CancelScope(shield=True):
                    await asyncio.gather(listener, return_exceptions=True)
            # Said at once: to end what is left of it may take seconds.
            await self._enter("connecting")

    async def _next_change(self, lost: asyncio.Event) -> bool:
        """Wait for a changed list of tools; False when the connection is lost instead."""
        waits = [asyncio.create_task(each.wait()) for each in (lost, self._changed)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()
        self._changed.clear()
        return not lost.is_set()

    async def _on_message(self, message: object) -> None:
        from mcp.types import ToolListChangedNotification

        if isinstance(message, ToolListChangedNotification):
            self._changed.set()

    async def _listen(self, client: Client, lost: asyncio.Event) -> None:
        """Ask to be told of changes, where the protocol wants to be asked."""
        from mcp import MCPError
        from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost

        offered = client.server_capabilities.tools
        if offered is None or not offered.list_changed:
            return
        try:
            async with client.listen(tools_list_changed=True) as subscription:
                self._changed.set()  # for what changed before the server began to tell
                async for _ in subscription:
                    self._changed.set()
        except ListenNotSupportedError:
            return  # an older protocol: the server tells without being asked
        except MCPError as error:
            logger.info("MCP server %s will not tell of changed tools: %s", self.config.name, error)
            return
        except SubscriptionLost as error:
            logger.info("MCP server %s: %s", self.config.name, error)
        # A server ends the subscription when it goes down.
        lost.set()

    async def _take_tools(self, client: Client) -> None:
        listed: list[types.Tool] = []
        cursor: str | None = None
        while True:
            page = await client.list_tools(cursor=cursor)
            listed.extend(page.tools)
            if not (cursor := page.next_cursor):
                break
        # Callbacks and hooks of the registry may take their time, so not on the loop.
        await self._in_worker(self._update, listed)

    def _update(self, listed: Sequence[types.Tool]) -> None:
        """Bring the registry to the server's list."""
        problems: list[str] = []
        known, self._tools = self._tools, {}
        fresh: dict[str, Tool] = {}
        for each in listed:
            try:
                fresh[each.name] = tool_from(
                    each, self.config.name, self._caller(each.name), self.config.file
                )
            except ToolRegistrationError as error:
                problems.append(f"{each.name}: {error}")
        for name in known.keys() - fresh.keys():
            self._keeper.take_out(known[name])
        for name, tool in fresh.items():
            try:
                if name in known and tool.name in self._registry:
                    self._registry.refresh(tool.name, tool)
                else:
                    self._keeper.add(tool)
            except ToolRegistrationError as error:
                problems.append(f"{name}: {error}")
            else:
                self._tools[name] = tool.name
        self._problems = tuple(problems)

    def _caller(self, name: str) -> Callable[..., Any]:
        async def call(**arguments: Any) -> Any:
            return await self._call(self, name, arguments)

        return call

    async def _enter(self, phase: Phase, reason: str = "", output: tuple[str, ...] = ()) -> None:
        await self._in_worker(self.enter, phase, reason, output)

    async def _in_worker(self, function: Callable[..., None], *arguments: object) -> None:
        from anyio import CancelScope, sleep_forever

        try:
            work = asyncio.get_running_loop().run_in_executor(self._workers, function, *arguments)
        except RuntimeError as error:
            logger.debug("MCP server %s waits for its end", self.config.name, exc_info=error)
            await sleep_forever()  # Python takes no more work because it exits: all is closed next
            return
        with CancelScope(shield=True):  # what is said when closing comes after it, not in between
            await work

    def enter(self, phase: Phase, reason: str = "", output: tuple[str, ...] = ()) -> None:
        """Be in another phase: switch the tools accordingly, and tell."""
        state = McpServerState(
            self.config.name, phase, reason, tuple(sorted(self._tools.values())), self._problems, output
        )
        if state == self.state or self.state.phase == "closed":
            return
        self.state = state
        self._switch_tools(phase)
        if self._on_state is not None:
            try:
                self._on_state(state)
            except Exception:
                logger.exception("a callback for MCP server states failed: %r", self._on_state)

    def _switch_tools(self, phase: Phase) -> None:
        """Tools of a server that cannot be reached are off, and on again once it can."""
        away = f"the MCP server {self.config.name} is not connected"
        for name in self._tools.values():
            if name not in self._registry:
                continue
            if phase in ("failed", "closed") and self._registry.is_enabled(name):
                self._registry.disable(name, away)
            elif phase == "connected" and self._registry.get_disable_reason(name) == away:
                self._registry.enable(name)


def _in_words(error: BaseException) -> str:
    """Why there is no connection: the innermost cause."""
    from mcp import MCPError
    from mcp.types import CONNECTION_CLOSED

    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
        return ENDED
    if isinstance(error, FileNotFoundError) and error.filename is not None:
        return f"there is no {error.filename}"
    text = "it did not answer in time" if isinstance(error, TimeoutError) else str(error)
    return text or type(error).__name__
