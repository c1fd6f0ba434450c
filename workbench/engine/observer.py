"""What may be told about a running agent. Observers are informed; they decide nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from workbench.engine.llm import Delta, Message, TokenUsage, ToolSchema

if TYPE_CHECKING:
    from workbench.engine.agent import Agent
    from workbench.engine.by_hand import HandCall

TraceEntry = dict[str, Any]
"""One entry of ``current_session["trace"]``; see ``engine/trace.py`` for the shapes."""

TurnStatus = Literal["success", "incomplete", "stopped", "error"]
"""How a turn ended.

``incomplete``: ``max_iterations`` reached. ``stopped``: by the user or a hook. ``error``: an exception
left ``input()``.
"""


@dataclass(frozen=True, slots=True)
class TurnSummary:
    """A finished turn, however it ended.

    ``messages`` and ``trace`` hold only what this turn added, unless ``replaces`` is set: then messages
    that were reported before are no longer what they were, and ``messages`` is the whole history in
    their place. ``duration_ms`` is wall time in milliseconds including ``waited_ms``, the time spent
    waiting for a person. ``started`` is in Unix seconds.
    """

    turn: int
    input: str
    model: str
    started: float
    duration_ms: float
    waited_ms: float
    status: TurnStatus
    result: str
    usage: TokenUsage
    iterations: int
    tools_called: tuple[str, ...]
    messages: tuple[Message, ...]
    trace: tuple[TraceEntry, ...]
    error: BaseException | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    replaces: bool = False


class Observer:
    """Base of everything that watches: console, logs, the screen. Override what you need.

    Called on the agent's thread, except ``stream``, which a provider may call from a thread of its own,
    and ``call_started``: parallel calls begin on theirs. An exception is logged with its traceback and goes
    no further. Keep each call short.
    """

    nested: bool = False
    """True: entries, ``model_asked`` and ``stream`` are also told of agents inside this agent's tools."""

    def turn_started(self, agent: Agent, prompt: str) -> None:
        """A user message was added; ``agent.current_session`` is up to date."""

    def model_asked(self, agent: Agent, tools: Sequence[ToolSchema]) -> None:
        """A request goes to the model with these schemas, which are shared and stay as they are."""

    def stream(self, agent: Agent, delta: Delta) -> None:
        """A piece of the model's answer arrived."""

    def batch_started(self, agent: Agent) -> None:
        """The model asked for calls: its message is in the transcript, and none of them has run yet."""

    def call_started(self, agent: Agent, call_id: str) -> None:
        """A call was let pass and its tool's code comes next; on the thread that runs the call."""

    def entry_added(self, agent: Agent, entry: TraceEntry) -> None:
        """An entry was appended to the trace."""

    def entry_changed(self, agent: Agent, entry: TraceEntry) -> None:
        """An entry that was added before has more to say: ``hooks_ms`` or ``hook_output``."""

    def turn_finished(self, agent: Agent, summary: TurnSummary) -> None:
        """The turn ended; called before ``on_complete`` handlers, and also for turns that failed."""

    def hand_started(self, agent: Agent, calls: Sequence[HandCall]) -> None:
        """Calls begin that a person runs without the model; a batch of them, outside of any turn."""

    def hand_finished(self, agent: Agent, entries: Sequence[TraceEntry]) -> None:
        """They have ended, however; ``entries`` are those of the calls."""

    def session_reset(self, agent: Agent) -> None:
        """``reset_conversation()`` was called; the next turn starts a new session."""

    def close(self) -> None:
        """Let go of files; called when the agent is closed."""
