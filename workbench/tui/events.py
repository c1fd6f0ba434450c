"""What the screen is told about a running agent: frozen plain data, in the order it happened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from workbench.engine.images import ImageFacts
    from workbench.providers.catalog import Snapshot
    from workbench.registry import ToolStatistics
    from workbench.storage.session_index import SessionHead
    from workbench.tui.branches import Pair, TurnHead
    from workbench.tui.palette import Palette
    from workbench.tui.session_keeper import Instead

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


@dataclass(frozen=True, slots=True, eq=False)
class AgentEvent:
    """Base. ``agent`` is the agent's name; ``at`` is in Unix seconds. An event equals itself alone.

    ``inner`` is set for an agent that runs inside a tool of the one that the person talks to, ``by_hand``
    for what belongs to calls that a person runs without the model, ``replayed`` for what was not lived here
    but comes from a record.
    """

    agent: str
    at: float
    inner: bool = field(default=False, kw_only=True)
    by_hand: bool = field(default=False, kw_only=True)
    replayed: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True, eq=False)
class TurnStarted(AgentEvent):
    """The user's message was added. ``note`` is what was added for the model (tools switched on or off).

    ``parent_call_id`` is the call of another agent that an inner one runs within, where it is known;
    ``images`` are what there is to say about the pictures that came with the prompt. ``guest`` is an inner
    agent's number among the ``Guests``, 0 where that is not known.
    """

    turn: int
    prompt: str
    note: str = ""
    parent_call_id: str = ""
    images: tuple[ImageFacts, ...] = ()
    guest: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class ModelStarted(AgentEvent):
    """A request goes to the model."""

    turn: int
    iteration: int
    model: str


@dataclass(frozen=True, slots=True, eq=False)
class ModelDelta(AgentEvent):
    """A piece of the answer; kinds and fields as in ``engine.llm.Delta``."""

    kind: Literal["text", "reasoning", "tool_call", "status"]
    text: str
    index: int = 0
    name: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ModelFinished(AgentEvent):
    """The whole answer. ``entry`` is the ``llm_call`` trace entry (a copy); ``content`` the assistant's text.

    ``entry["status"]`` is ``success``, ``error`` or ``cancelled``; on error ``entry["error"]`` says why.
    """

    entry: Mapping[str, Any]
    content: str
    calls: int


@dataclass(frozen=True, slots=True, eq=False)
class BatchStarted(AgentEvent):
    """The model asked for calls; nothing has run yet."""

    turn: int
    iteration: int
    calls: tuple[CallInfo, ...]


@dataclass(frozen=True, slots=True, eq=False)
class WaitStarted(AgentEvent):
    """A person is asked to decide about ``calls`` of the batch."""

    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class WaitFinished(AgentEvent):
    """The person decided. ``calls`` are the batch's calls with their decisions (and edited arguments)."""

    duration_ms: float
    calls: tuple[CallInfo, ...]


@dataclass(frozen=True, slots=True, eq=False)
class PauseStarted(AgentEvent):
    """A call stands still at a breakpoint: a person looks at it."""

    call_id: str
    name: str
    when: Literal["before", "after"]


@dataclass(frozen=True, slots=True, eq=False)
class PauseFinished(AgentEvent):
    """The person said how to go on; ``action`` as in ``engine.Resume``, ``stop`` also when the turn was."""

    call_id: str
    duration_ms: float
    action: str


@dataclass(frozen=True, slots=True, eq=False)
class Waited(AgentEvent):
    """Something that runs has waited for a person for so long, such as a tool that asked a question."""

    duration_ms: float


@dataclass(frozen=True, slots=True, eq=False)
class ToolStarted(AgentEvent):
    """A call begins to run."""

    call_id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class ToolFinished(AgentEvent):
    """A call ended, however. ``entry`` is its ``tool_execution`` trace entry (a copy).

    ``entry["status"]``: success, error, not_found, rejected, cancelled, disabled, denied. ``timing`` in ms.
    ``statistics`` are what its tool's calls came to with it; None where the person's own agent has no such
    tool.
    """

    entry: Mapping[str, Any]
    statistics: ToolStatistics | None = None


@dataclass(frozen=True, slots=True, eq=False)
class EntryChanged(AgentEvent):
    """A model call or tool call that has finished has more to say: what its hooks took and printed.

    ``entry`` is the whole trace entry (a copy), as in ``ModelFinished`` and ``ToolFinished``.
    """

    entry: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class TurnFinished(AgentEvent):
    """The turn ended, however. ``error``, ``hint`` and ``traceback`` are for people, empty unless it
    failed.
    """

    turn: int
    status: Literal["success", "incomplete", "stopped", "error"]
    duration_ms: float
    waited_ms: float
    result: str = ""
    error: str = ""
    hint: str = ""
    traceback: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class ByHandStarted(AgentEvent):
    """A person runs calls without the model, outside of any turn; ``turn`` is the last one.

    ``title`` says which in a few words. ``again`` maps the id of a call to that of the one it runs again.
    ``guest`` as in ``TurnStarted``, where they are calls of an inner agent.
    """

    turn: int
    title: str
    again: Mapping[str, str] = field(default_factory=dict)
    guest: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class ByHandFinished(AgentEvent):
    """They have ended, however; a call that a stop kept from running is ``cancelled``.

    ``duration_ms`` is None where only the times of the calls themselves are known.
    """

    status: Literal["success", "stopped"]
    duration_ms: float | None
    waited_ms: float
    error: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class HandRunsOver(AgentEvent):
    """Nothing more comes of these calls by hand (their ids), whether they ran or not."""

    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToolRow:
    """What the tools panel shows of one tool. ``tags`` are words for people.

    ``tokens`` is about what its schema costs in each request, ``findings`` what that leaves open to the
    model, a sentence each; ``grants`` are those that cover calls of the tool. ``statistics`` are what its
    calls came to so far.
    """

    name: str
    enabled: bool
    reason: str = ""
    tags: tuple[str, ...] = ()
    permission: Permission = "allow"
    asks_because: str = ""
    description: str = ""
    tokens: int = 0
    findings: tuple[str, ...] = ()
    grants: tuple[GrantRow, ...] = ()
    statistics: ToolStatistics | None = field(default=None, compare=False)


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
class BreakRow:
    """One breakpoint: ``when`` is ``before``, ``after`` or ``on error``; ``tool`` is a name or a glob.

    ``xray_only``: only tools that are marked with ``@xray``. ``failure`` is what its condition raised, empty
    as long as it never did. ``idle``: it fits no tool that is known here.
    """

    tool: str
    when: str
    condition: str = ""
    enabled: bool = True
    xray_only: bool = False
    failure: str = field(default="", compare=False)
    idle: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True, eq=False)
class BreakpointsChanged(AgentEvent):
    """All breakpoints as they are now; ``step`` pauses at the next call, wherever it is."""

    points: tuple[BreakRow, ...]
    step: bool = False


@dataclass(frozen=True, slots=True)
class FaultRow:
    """A fault that is on: ``phrase`` says which, ``times`` in how many more calls, None in all."""

    tool: str
    phrase: str
    times: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class FaultsChanged(AgentEvent):
    """All faults that are on now."""

    faults: tuple[FaultRow, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ToolsChanged(AgentEvent):
    """The registry reported a change; fields as in ``registry.ChangeEvent``.

    ``row`` is the tool as it is now; None when it is gone or the change names no single tool. ``by`` says
    who switched it: ``user``, ``code``, ``reload``, or ``policy`` for what is off from the moment it is
    registered; empty for other changes.
    """

    change: str
    tool: str | None
    reason: str | None = None
    row: ToolRow | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    by: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class SessionReset(AgentEvent):
    """The conversation was cleared; the next turn starts a new session.

    ``retold``: another one takes its place, and is told next.
    """

    retold: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class LoadProgress(AgentEvent):
    """Tools are being loaded: ``done`` of ``total`` sources; ``at_work`` is being imported now."""

    done: int
    total: int
    at_work: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class LoadFailed(AgentEvent):
    """One source of tools could not be loaded; the others are. ``path`` is its file, where it is one."""

    source: str
    reason: str
    where: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class LoadMended(AgentEvent):
    """A source that had failed is loaded now."""

    source: str


@dataclass(frozen=True, slots=True, eq=False)
class AgentReady(AgentEvent):
    """The agent is built and takes messages. ``tools`` are all its tools as they are now.

    ``missing_key`` names the environment variables one of which the model needs and none of which is set;
    ``trial`` is a call of one of the tools to begin with, or empty.
    """

    model: str
    approval: str
    tools: tuple[ToolRow, ...]
    missing_key: tuple[str, ...] = ()
    trial: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class AgentFailed(AgentEvent):
    """The agent could not be built. ``choices`` are targets to start with instead, where only that helps."""

    error: str
    hint: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class AgentAwaited(AgentEvent):
    """The agent is being built anew, after that failed; ``asked``: because a person wants it now."""

    asked: bool


@dataclass(frozen=True, slots=True, eq=False)
class Notice(AgentEvent):
    """Something that a person should know: what, more about it, and what to do. ``tone`` is a style key.

    In a row of those that may be ``counted`` and have one title, the last one stands for all.
    """

    title: str
    text: str = ""
    hint: str = ""
    tone: str = "warning"
    counted: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class CompactStarted(AgentEvent):
    """The older turns are being summed up, in the place of a turn; a ``TurnFinished`` ends it."""


@dataclass(frozen=True, slots=True, eq=False)
class Compacted(AgentEvent):
    """A summary stands in the place of so many messages, 0 if nobody knows any more how many they were."""

    replaced: int


@dataclass(frozen=True, slots=True, eq=False)
class Forked(AgentEvent):
    """From here on the conversation is one of its own; up to here it is that of another session.

    ``session`` is the name of that one, ``why`` what is tried in the fork, ``""`` if nothing special is.
    """

    session: str
    why: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class ModelsFound(AgentEvent):
    """Models to choose from, as far as they are known now."""

    snapshot: Snapshot


@dataclass(frozen=True, slots=True, eq=False)
class ModelChanged(AgentEvent):
    """From the next request on another model answers. ``missing_key`` as in ``AgentReady``."""

    model: str
    missing_key: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ThemeSaved(AgentEvent):
    """A theme file is new or was changed; this is what it says now."""

    palette: Palette


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session, or one place in it where the searched text is: ``turn`` and the words around it.

    ``hit`` is where that text stands in the excerpt: its first character, and the one behind its last.
    """

    head: SessionHead
    current: bool = False
    turn: int = 0
    excerpt: str = ""
    hit: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True, eq=False)
class SessionsRead(AgentEvent):
    """The sessions of the project, or where a text is in them; ``note`` says what is left out.

    Until it is ``over`` more may come, together with these.
    """

    rows: tuple[SessionRow, ...]
    note: str = ""
    over: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class WhatIfRefused(AgentEvent):
    """The conversation could not go on from a past call; what was written for it comes back."""

    instead: Instead
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class BranchesRead(AgentEvent):
    """Two sessions were compared; ``rows`` as from ``branches.compare``, the names are those of the files."""

    left: str
    right: str
    rows: tuple[TurnHead | Pair, ...]


@dataclass(frozen=True, slots=True, eq=False)
class UsageChanged(AgentEvent):
    """Totals of the conversation. None means not known: the context window, the price."""

    context_percent: float | None
    tokens: int
    cost: float | None


Post = Callable[[AgentEvent], None]
"""Takes an event from any thread and returns at once."""
