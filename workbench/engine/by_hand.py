"""Calls that a person runs without the model: the whole pipeline, and nothing of it in the conversation."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.engine.batch import Batch
from workbench.engine.llm import LLMResponse, Message, ToolCall
from workbench.engine.observer import TraceEntry
from workbench.engine.recorder import Recorder
from workbench.engine.turn import Turn
from workbench.engine.verified import MessageList
from workbench.errors import StopTurn

if TYPE_CHECKING:
    from workbench.engine.agent import Agent


@dataclass(frozen=True, slots=True)
class HandCall:
    """One call to run. ``rerun_of`` is the id of the traced call that it runs again, None for a new one."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    rerun_of: str | None = None
    id: str = field(default_factory=lambda: f"hand_{uuid.uuid4().hex[:24]}")


class HandTurn(Turn):
    """Runs calls as one batch, on the tools as they are now.

    Handlers, permissions, breakpoints and stops are those of a batch that a model asked for. The handlers
    see the conversation's messages with the batch at their end; whatever becomes of those, the
    conversation is as it was afterwards. ``entries`` are the calls' trace entries, in the order given;
    each says ``by_hand``, and ``rerun_of`` where that applies.
    """

    def __init__(self, agent: Agent, calls: Iterable[HandCall]) -> None:
        super().__init__(agent, "", 1)
        self.calls = tuple(calls)
        self.entries: list[TraceEntry] = []
        again = {call.id: call.rerun_of for call in self.calls if call.rerun_of is not None}
        self.recorder = _HandRecorder(agent, self, again)

    def _live(self) -> str:
        """Run all calls, or those before a stop; the others end as cancelled. Returns ``""``.

        Raises what handlers raise; every call has its entry by then.
        """
        agent = self.agent
        self.session = session = agent.open_session()
        self.prompt = session["user_prompt"]
        self.recorder.begin(session)
        self.llm_entry = {}
        messages = session["messages"]
        session["messages"] = _apart(messages)
        agent.observers.tell("hand_started", agent, self.calls)
        try:
            Batch(self, self._response()).run()
        except StopTurn:
            return ""
        finally:
            session["messages"] = messages
            agent.transcript.doubted = True
            self.recorder.release_all()
            self._settle_hooks()
            agent.observers.tell("hand_finished", agent, tuple(self.entries))
        return ""

    def _response(self) -> LLMResponse:
        calls = [ToolCall(call.name, copy.deepcopy(dict(call.arguments)), call.id) for call in self.calls]
        return LLMResponse(tool_calls=calls)

    def _settle_hooks(self) -> None:
        """What the batch's own handlers took and printed stands on the last call: no model asked for it."""
        if self.entries and self.llm_entry:
            last = self.entries[-1]
            for kind, by_event in self.llm_entry.items():
                last[kind] = {**by_event, **last.get(kind, {})}
            self.recorder.tell("entry_changed", last)


class _HandRecorder(Recorder):
    """Marks what it writes as a person's doing."""

    def __init__(self, agent: Agent, turn: HandTurn, again: Mapping[str, str]) -> None:
        super().__init__(agent, turn.parent)
        self._turn = turn
        self._again = again

    def record(self, entry: TraceEntry) -> None:
        """Append a marked entry to the trace and tell the observers."""
        entry["by_hand"] = True
        if entry["type"] == "tool_execution":
            first = self._again.get(entry["call_id"])
            if first is not None:
                entry["rerun_of"] = first
            self._turn.entries.append(entry)
        super().record(entry)


def _apart(messages: list[Message]) -> MessageList:
    """The messages again, so that no change reaches the conversation's own, as far as they can be copied."""
    try:
        return MessageList(copy.deepcopy(list(messages)))
    except Exception:  # noqa: BLE001 - a handler may have put anything there, with a __deepcopy__ of its own
        return MessageList(messages)
