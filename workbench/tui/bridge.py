"""The plugin that carries an agent's life to the screen: hooks and ``on_change`` in, plain events out."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from workbench.engine.agent import Agent
from workbench.engine.begun import REPLAYED
from workbench.engine.by_hand import HandCall
from workbench.engine.hooks import (
    after_each_tool,
    after_llm,
    after_user_input,
    before_each_tool,
    before_llm,
    before_tools,
)
from workbench.engine.images import images_of_turn
from workbench.engine.llm import Delta
from workbench.engine.observer import Observer, TraceEntry, TurnSummary
from workbench.engine.scope import STOPPED
from workbench.errors import StopTurn, WorkbenchError
from workbench.registry import ChangeEvent, Tool, ToolRegistry
from workbench.tui import events
from workbench.tui.actors import Actors
from workbench.tui.approval import NO_SUCH_TOOL, SWITCHED_OFF, UNFIT
from workbench.tui.approver import Approver, check_arguments
from workbench.tui.companion import Companion
from workbench.tui.error_texts import error_texts, traceback_of
from workbench.tui.events import Post
from workbench.tui.facts import tool_row, usage_event
from workbench.tui.forecasts import Forecasts
from workbench.tui.guests import Guests
from workbench.tui.remarks import REMARKS, printed_by_hooks, remark
from workbench.tui.retelling import answers, calls_of, retold_answer, retold_call, wait_inside
from workbench.tui.toggles import Toggles


class Bridge(Observer):
    """Attach it to an agent and every step arrives at ``post``; batches that ask go to the approver.

    ``companions`` are set up on every agent that is watched; ``guests`` knows the inner ones. ``on_stop`` is
    called when a turn of the outer agent is stopped, by whomever, while it may be waiting for a person.
    Agents that run inside tools are watched too, from their first turn on; those that state no trust of
    their own ask as the outer agent does.
    """

    nested = True

    def __init__(
        self,
        post: Post,
        approver: Approver,
        on_stop: Callable[[], None],
        companions: Sequence[Companion] = (),
        guests: Guests | None = None,
    ) -> None:
        self._post = post
        self._companions = companions
        self._approver = approver
        self._on_stop = on_stop
        self._started: set[tuple[int, str]] = set()
        self._toggles = Toggles()
        self._actors = Actors()
        self._outer: Agent | None = None
        self.guests = guests or Guests()
        self._detach: list[Callable[[], object]] = []
        self._hand_began: float | None = None
        self._hand_waited = 0.0
        self.turns_ended = 0

    def attach(self, agent: Agent) -> None:
        """Watch the agent from now on. Its own handlers stay where they are; approval comes after them."""
        self._outer = agent
        self._watch(agent, self, self._detach)
        self._detach.append(agent.tools.on_change(lambda change: self._tools_changed(agent, change)))

    def detach(self) -> None:
        """Stop watching; the agent is as it was before."""
        while self._detach:
            self._detach.pop()()
        self._outer = None

    @contextmanager
    def watching(self, agent: Agent) -> Iterator[None]:
        """Watch an agent that ran inside a tool while a person runs calls of it, between the turns.

        Raises WorkbenchError while it is at work for a call that nobody waits for any more.
        """
        if agent in self.guests:
            raise WorkbenchError(f"{agent.name} is still at work", hint="Try again once it has ended.")
        self._adopt(agent, self)
        output, outer = agent.output, self._outer
        agent.output = outer.output if outer is not None else output
        try:
            yield
        finally:
            agent.output = output
            self.release(agent)

    def _adopt(self, agent: Agent, observer: Observer) -> None:
        """Watch an agent that runs inside a tool of the outer one, until it is released."""
        outer = self._outer
        assert outer is not None
        self._watch(agent, observer, self.guests.admit(agent, outer))

    def release(self, agent: Agent) -> None:
        """An inner agent's turn has ended: it is as it was before, and nothing here keeps it alive."""
        self.guests.release(agent)

    def _watch(self, agent: Agent, observer: Observer, undo: list[Callable[[], object]]) -> None:
        watchers = (
            before_llm(self._model_starts),
            before_tools(self._batch_starts),
            before_each_tool(self._tool_starts),
        )
        agent.hooks.add(*watchers, first=True)
        later = (
            after_user_input(self._turn_starts),
            after_llm(self._model_answered),
            before_tools(self._approve),
            after_each_tool(self._tool_ended),
        )
        agent.hooks.add(*later)
        agent.observers.append(observer)

        def forget() -> None:
            agent.hooks.remove(*watchers, *later)
            agent.observers.remove(observer)

        undo.append(forget)
        outer, tell = self._outer or agent, partial(self._tell, agent)
        undo.extend([companion.join(agent, outer, tell) for companion in self._companions])

    def _tell(self, agent: Agent, event: events.AgentEvent) -> None:
        """Post an event; one of an inner agent says so, under a name that no other watched agent has."""
        if not self._is_outer(agent):
            # no call is around what a person runs
            inner = not isinstance(event, events.ByHandStarted | events.ByHandFinished)
            event = replace(event, agent=self.guests.label(agent), inner=inner)
        if isinstance(event, events.PauseFinished):
            self._hand_waited += event.duration_ms
        if self._hand_began is not None and not isinstance(event, events.Notice):
            event = replace(event, by_hand=True)
        self._post(event)

    # hooks, on the agent's thread

    def _turn_starts(self, agent: Agent) -> None:
        session = _session(agent)
        note = ""
        if self._is_outer(agent):
            if agent.cancel is not None:
                agent.cancel.on_cancel(self._on_stop)
            note = self._toggles.tell(session) if session["turn"] > 1 else ""
            self._toggles.clear()
        within = str(session["trace"][-1].get("parent_call_id", ""))
        self._tell(
            agent,
            events.TurnStarted(
                agent.name,
                time.time(),
                session["turn"],
                session["user_prompt"],
                note,
                within,
                images_of_turn(session),
                self._number(agent),
            ),
        )

    def _model_starts(self, agent: Agent) -> None:
        session = _session(agent)
        if self._is_outer(agent) and session["iteration"] == 1:
            said = next(entry for entry in reversed(session["trace"]) if entry["type"] == "user_input")
            if (printed := printed_by_hooks(said)) is not None:
                self._tell(agent, events.Notice(agent.name, time.time(), *printed))
        self._tell(
            agent,
            events.ModelStarted(
                agent.name, time.time(), session["turn"], session["iteration"], agent.model or ""
            ),
        )

    def _number(self, agent: Agent) -> int:
        return 0 if self._is_outer(agent) else self.guests.number(agent)

    def _is_outer(self, agent: Agent) -> bool:
        return agent is self._outer

    def _model_answered(self, agent: Agent) -> None:
        if not self._is_outer(agent):
            return
        self._tell(agent, usage_event(agent))

    def _batch_starts(self, agent: Agent) -> None:
        session = _session(agent)
        self._approver.forecasts.forget(agent.tools)
        calls = _calls(agent, session, self._approver.forecasts)
        self._tell(
            agent,
            events.BatchStarted(agent.name, time.time(), session["turn"], session["iteration"], calls),
        )

    def _approve(self, agent: Agent) -> None:
        session = _session(agent)
        calls = _calls(agent, session, self._approver.forecasts, checked=True)
        asking = tuple(call.id for call in calls if call.permission == "ask" and call.decision is None)
        if not asking:
            return
        self._tell(agent, events.WaitStarted(agent.name, time.time(), asking))
        began = time.monotonic()
        try:
            with agent.human_wait("approval"):
                stop = self._approver.decide(agent, session, calls, self._outer or agent)
        finally:
            waited = (time.monotonic() - began) * 1000
            self._hand_waited += waited
            calls = _calls(agent, session, self._approver.forecasts, checked=True)
            self._tell(agent, events.WaitFinished(agent.name, time.time(), waited, calls))
        if stop:
            agent.stop(around=True)
            raise StopTurn(STOPPED)

    def _tool_starts(self, agent: Agent) -> None:
        call = _session(agent)["pending_tool"]
        self._started.add((id(agent), call["id"]))
        self._tell(
            agent,
            events.ToolStarted(
                agent.name, time.time(), call["id"], call["name"], copy.deepcopy(call["arguments"])
            ),
        )

    def _tool_ended(self, agent: Agent) -> None:
        entry = _session(agent)["trace"][-1]
        if entry["type"] == "tool_execution" and (id(agent), entry["call_id"]) in self._started:
            self._finish(agent, entry)

    # observer

    def stream(self, agent: Agent, delta: Delta) -> None:
        """Pass a piece of the answer on."""
        self._tell(
            agent, events.ModelDelta(agent.name, time.time(), delta.kind, delta.text, delta.index, delta.name)
        )

    def entry_added(self, agent: Agent, entry: TraceEntry) -> None:
        """Pass on model answers, and calls that end without having run."""
        kind = entry["type"]
        if kind == "user_input" and not self._is_outer(agent) and agent not in self.guests:
            self._adopt(agent, _TurnEnd(self))
        elif entry.get(REPLAYED):
            self._retell(agent, entry)
        elif kind == "human_wait":
            self._tell_of_wait(agent, entry)
        elif kind in REMARKS:
            self._tell(agent, events.Notice(agent.name, time.time(), *remark(entry)))
            if kind == "compaction":
                self._tell(agent, events.Compacted(agent.name, time.time(), entry["replaced"]))
        elif kind == "llm_call":
            content, calls = _last_answer(_session(agent), entry)
            self._tell(agent, events.ModelFinished(agent.name, time.time(), _copy_of(entry), content, calls))
        elif kind == "tool_execution" and (
            (id(agent), entry["call_id"]) not in self._started or entry["status"] == "cancelled"
        ):
            self._finish(agent, entry)

    def _tell_of_wait(self, agent: Agent, entry: TraceEntry) -> None:
        waited = wait_inside(entry)
        if waited is not None:
            self._hand_waited += waited.duration_ms
            self._tell(agent, replace(waited, agent=agent.name))

    def entry_changed(self, agent: Agent, entry: TraceEntry) -> None:
        """Pass on what was noted on an answer or a call after it was told of."""
        if entry["type"] in ("llm_call", "tool_execution"):
            self._tell(agent, events.EntryChanged(agent.name, time.time(), _copy_of(entry)))

    def _retell(self, agent: Agent, entry: TraceEntry) -> None:
        """Pass on what the turn took from a record, as if it had just happened."""
        session, now = _session(agent), time.time()
        if entry["type"] == "llm_call":
            message = next(iter(answers(session["messages"])[entry["iteration"] - 1 :]), None)
            tools = agent.tools
            calls = calls_of(message, (), lambda name: tool.name if (tool := tools.meant(name)) else name)
            told = retold_answer(agent.name, session["turn"], entry, message, calls, now)
        else:
            told = retold_call(agent.name, entry, now)
        for event in told:
            self._tell(agent, replace(event, replayed=True))

    def turn_finished(self, agent: Agent, summary: TurnSummary) -> None:
        """Pass the end of the turn on, with what a person should know of an error."""
        self.turns_ended += self._is_outer(agent)
        error, hint = error_texts(summary.error) if summary.error is not None else ("", "")
        self._finish_rest(agent, summary.trace)
        self._started = {started for started in self._started if started[0] != id(agent)}
        for left in agent.left_running:
            text = "Nobody waits for it any more. Its result will be dropped."
            self._tell(agent, events.Notice(agent.name, time.time(), f"{left.label} is still running", text))
        self._tell(
            agent,
            events.TurnFinished(
                agent.name,
                time.time(),
                summary.turn,
                summary.status,
                summary.duration_ms,
                summary.waited_ms,
                summary.result,
                error,
                hint,
                traceback_of(summary.error) if summary.error is not None else "",
            ),
        )

    def hand_started(self, agent: Agent, calls: Sequence[HandCall]) -> None:
        """Pass on that a person runs calls; whoever is asked about them is let go at a stop."""
        if agent.cancel is not None:
            agent.cancel.on_cancel(self._on_stop)
        self._hand_began, self._hand_waited = time.time(), 0.0
        again = {call.id: call.rerun_of for call in calls if call.rerun_of is not None}
        names = [tool.name if (tool := agent.tools.meant(call.name)) else call.name for call in calls]
        title = f"{names[0]}{' again' if again else ''}" if len(names) == 1 else f"{len(names)} calls again"
        turn = _session(agent)["turn"]
        guest = self._number(agent)
        self._tell(agent, events.ByHandStarted(agent.name, self._hand_began, turn, title, again, guest))

    def hand_finished(self, agent: Agent, entries: Sequence[TraceEntry]) -> None:
        """Pass on that they have ended."""
        now, began = time.time(), self._hand_began or time.time()
        self._finish_rest(agent, entries)
        stopped = any(entry["status"] == "cancelled" for entry in entries)
        spent = (now - began) * 1000, self._hand_waited
        status: Literal["success", "stopped"] = "stopped" if stopped else "success"
        self._tell(agent, events.ByHandFinished(agent.name, now, status, *spent))
        self._hand_began = None

    def session_reset(self, agent: Agent) -> None:
        """Pass the reset on, with the context empty again."""
        self._toggles.clear()
        self._tell(agent, events.SessionReset(agent.name, time.time()))
        if self._is_outer(agent):
            self._tell(agent, usage_event(agent))

    def _finish(self, agent: Agent, entry: TraceEntry) -> None:
        self._started.discard((id(agent), entry["call_id"]))
        tool = agent.tools.meant(entry["tool_name"]) if self._is_outer(agent) else None
        counts = agent.tools.statistics(tool.name) if tool is not None else None
        self._tell(agent, events.ToolFinished(agent.name, time.time(), _copy_of(entry), counts))

    def _finish_rest(self, agent: Agent, entries: Sequence[TraceEntry]) -> None:
        """Tell of calls that ended and behind which a hook raised, so that those after it were not called."""
        for entry in entries:
            if entry["type"] == "tool_execution" and (id(agent), entry["call_id"]) in self._started:
                self._finish(agent, entry)

    # registry

    def _tools_changed(self, agent: Agent, change: ChangeEvent) -> None:
        tool = agent.tools.get(change.tool_name) if change.tool_name else None
        if tool is not None:
            self._toggles.note(tool, change)
        self._tell_of_tool(agent, change, change.tool_name, tool)
        if change.tool_name is None:
            # the policy or a grant changed, or everything was loaded again: each tool may look different
            for each in agent.tools:
                self._tell_of_tool(agent, change, each.name, each)

    def _tell_of_tool(self, agent: Agent, change: ChangeEvent, name: str | None, tool: Tool | None) -> None:
        row = tool_row(agent.tools, tool) if tool is not None else None
        kind, metadata = change.event_type.value, dict(change.metadata)
        now, by = time.time(), self._actors.of(change)
        self._tell(agent, events.ToolsChanged(agent.name, now, kind, name, change.reason, row, metadata, by))


class _TurnEnd(Observer):
    """What the bridge has to be told of an inner agent itself: that its turn ended."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge

    def turn_finished(self, agent: Agent, summary: TurnSummary) -> None:
        self._bridge.turn_finished(agent, summary)
        self._bridge.release(agent)


def _copy_of(entry: TraceEntry) -> TraceEntry:
    """A copy that the screen may read while the agent's hooks go on being noted."""
    noted: TraceEntry = {key: dict(entry[key]) for key in ("hooks_ms", "hook_output") if key in entry}
    return {**entry, **noted}


def _session(agent: Agent) -> dict[str, Any]:
    session = agent.current_session
    if session is None:
        raise RuntimeError("a hook ran without a session")
    return session


def _calls(
    agent: Agent, session: Mapping[str, Any], forecasts: Forecasts, *, checked: bool = False
) -> tuple[events.CallInfo, ...]:
    """The pending calls; ``checked``: what asks and cannot run with its arguments is told apart."""
    made = forecasts.of(agent.tools, session["pending_tools"])
    return tuple(
        events.CallInfo(
            call["id"],
            call["name"],
            copy.deepcopy(call["arguments"]),
            *_standing(agent.tools, call, checked),
            call["decision"],
            call["reason"],
            made[call["id"]].counts if call["id"] in made else None,
        )
        for call in session["pending_tools"]
    )


def _standing(tools: ToolRegistry, call: Mapping[str, Any], checked: bool) -> tuple[events.Permission, str]:
    """Whether a pending call may run, and why it asks or cannot."""
    name = call["name"]
    if tools.get(name) is None:
        return "deny", NO_SUCH_TOOL
    if not tools.is_enabled(name):
        return "deny", SWITCHED_OFF
    asks = checked and call["permission"] == "ask" and call["decision"] is None
    if asks and check_arguments(tools, name, call["arguments"]) is not None:
        return "deny", UNFIT  # nobody is asked: it fails before it runs, and the model reads why
    return call["permission"], call.get("asks_because") or ""


def _last_answer(session: Mapping[str, Any], entry: TraceEntry) -> tuple[str, int]:
    """The text and the number of calls of the answer that the entry records."""
    response = session.get("llm_response")
    if response is None:
        return str(entry.get("content") or ""), int(entry.get("tool_calls_count") or 0)
    return response.content or "", len(response.tool_calls)
