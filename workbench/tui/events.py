"""What the screen is told about a running agent: frozen plain data, in the order it happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from workbench.providers.catalog import Snapshot

Permission = Literal["allow", "ask", "deny"]


@dataclass(frozen=True, slots=True)
class CallInfo:
    """One pending call of a batch. ``name`` is dotted; ``asks_because`` is a short phrase for ``ask``.

    ``change`` counts the lines that the call adds to a file and removes from it, where that is known.
    """

    id: str
    name: str
    arguments: Mapping[str, Any]
    permission: Permission = "allow"
    asks_because: str = ""
    decision: Literal["approve", "reject"] | None = None
    reason: str | None = None
    change: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class AgentEvent:
    """Base. ``agent`` is the agent's name; ``at`` is in Unix seconds.

    ``inner`` is set for an agent that runs inside a tool of the one that the person talks to.
    """

    agent: str
    at: float
    inner: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class TurnStarted(AgentEvent):
    """The user's message was added. ``note`` is what was added for the model (tools switched on or off).

    ``parent_call_id`` is the call of another agent that an inner one runs within, where it is known.
    """

    turn: int
    prompt: str
    note: str = ""
    parent_call_id: str = ""


@dataclass(frozen=True, slots=True)
class ModelStarted(AgentEvent):
    """A request goes to the model."""

    turn: int
    iteration: int
    model: str


@dataclass(frozen=True, slots=True)
class ModelDelta(AgentEvent):
    """A piece of the answer; kinds and fields as in ``engine.llm.Delta``."""

    kind: Literal["text", "reasoning", "tool_call", "status"]
    text: str
    index: int = 0
    name: str | None = None


@dataclass(frozen=True, slots=True)
class ModelFinished(AgentEvent):
    """The whole answer. ``entry`` is the ``llm_call`` trace entry (a copy); ``content`` the assistant's text.

    ``entry["status"]`` is ``success``, ``error`` or ``cancelled``; on error ``entry["error"]`` says why.
    """

    entry: Mapping[str, Any]
    content: str
    calls: int


@dataclass(frozen=True, slots=True)
class BatchStarted(AgentEvent):
    """The model asked for calls; nothing has run yet."""

    turn: int
    iteration: int
    calls: tuple[CallInfo, ...]


@dataclass(frozen=True, slots=True)
class WaitStarted(AgentEvent):
    """A person is asked to decide about ``calls`` of the batch."""

    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WaitFinished(AgentEvent):
    """The person decided. ``calls`` are the batch's calls with their decisions (and edited arguments)."""

    duration_ms: float
    calls: tuple[CallInfo, ...]


@dataclass(frozen=True, slots=True)
class ToolStarted(AgentEvent):
    """A call begins to run."""

    call_id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolFinished(AgentEvent):
    """A call ended, however. ``entry`` is its ``tool_execution`` trace entry (a copy).

    ``entry["status"]``: success, error, not_found, rejected, cancelled, disabled, denied. ``timing`` in ms.
    """

    entry: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TurnFinished(AgentEvent):
    """The turn ended, however. ``error`` and ``hint`` are for people, empty unless it failed."""

    turn: int
    status: Literal["success", "incomplete", "stopped", "error"]
    duration_ms: float
    waited_ms: float
    result: str = ""
    error: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class ToolRow:
    """What the tools panel shows of one tool. ``tags`` are words for people.

    ``tokens`` is about what its schema costs in each request.
    """

    name: str
    enabled: bool
    reason: str = ""
    tags: tuple[str, ...] = ()
    permission: Permission = "allow"
    asks_because: str = ""
    description: str = ""
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class GrantRow:
    """One standing answer to the question whether a tool may run: what it covers, and since when.

    ``tool`` and the values of ``arguments`` are globs; no arguments means any. ``since`` is in Unix seconds.
    """

    id: str
    tool: str
    arguments: Mapping[str, str]
    scope: Literal["once", "session", "project"]
    since: float


@dataclass(frozen=True, slots=True)
class ToolsChanged(AgentEvent):
    """The registry reported a change; fields as in ``registry.ChangeEvent``.

    ``row`` is the tool as it is now; None when it is gone or the change names no single tool.
    """

    change: str
    tool: str | None
    reason: str | None = None
    row: ToolRow | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SessionReset(AgentEvent):
    """The conversation was cleared; the next turn starts a new session."""


@dataclass(frozen=True, slots=True)
class LoadProgress(AgentEvent):
    """Tools are being loaded: ``done`` of ``total`` sources; ``at_work`` is being imported now."""

    done: int
    total: int
    at_work: str = ""


@dataclass(frozen=True, slots=True)
class LoadFailed(AgentEvent):
    """One source of tools could not be loaded; the others are."""

    source: str
    reason: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class LoadMended(AgentEvent):
    """A source that had failed is loaded now."""

    source: str


@dataclass(frozen=True, slots=True)
class AgentReady(AgentEvent):
    """The agent is built and takes messages. ``tools`` are all its tools as they are now."""

    model: str
    approval: str
    tools: tuple[ToolRow, ...]


@dataclass(frozen=True, slots=True)
class AgentFailed(AgentEvent):
    """The agent could not be built."""

    error: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Notice(AgentEvent):
    """Something that a person should know: what, more about it, and what to do. ``tone`` is a style key."""

    title: str
    text: str = ""
    hint: str = ""
    tone: str = "warning"


@dataclass(frozen=True, slots=True)
class ModelsFound(AgentEvent):
    """Models to choose from, as far as they are known now."""

    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class ModelChanged(AgentEvent):
    """From the next request on another model answers."""

    model: str


@dataclass(frozen=True, slots=True)
class UsageChanged(AgentEvent):
    """Totals of the conversation. None means not known: the context window, the price."""

    context_percent: float | None
    tokens: int
    cost: float | None
