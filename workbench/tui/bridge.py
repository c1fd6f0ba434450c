"""The plugin that carries an agent's life to the screen: hooks and ``on_change`` in, plain events out."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

from workbench.engine.agent import Agent
from workbench.engine.hooks import (
    after_each_tool,
    after_llm,
    after_user_input,
    before_each_tool,
    before_llm,
    before_tools,
)
from workbench.engine.llm import Delta
from workbench.engine.observer import Observer, TraceEntry, TurnSummary
from workbench.errors import StopTurn, WorkbenchError
from workbench.registry import ChangeEvent, ChangeEventType, PermissionPolicy, Tool, ToolRegistry, ToolTag
from workbench.tui import events
from workbench.tui.approver import Approver

Post = Callable[[events.AgentEvent], None]
"""Takes an event from any thread and returns at once."""

_TOGGLES = (ChangeEventType.ENABLE, ChangeEventType.DISABLE)


class Bridge(Observer):
    """Attach it to an agent and every step arrives at ``post``; batches that ask go to the approver.

    ``on_stop`` is called when a turn is stopped, by whomever, while it may be waiting for a person.
    Agents that run inside tools are watched too, from their first turn on; those that state no trust of
    their own ask as the outer agent does.
    """

    nested = True

    def __init__(self, post: Post, approver: Approver, on_stop: Callable[[], None]) -> None:
        self._post = post
        self._approver = approver
        self._on_stop = on_stop
        self._started: set[str] = set()
        self._toggled: dict[str, str] = {}
        self._agents: list[Agent] = []
        self._detach: list[Callable[[], object]] = []

    def attach(self, agent: Agent) -> None:
        """Watch the agent from now on. Its own handlers stay where they are; approval comes after them."""
        self._watch(agent, self)
        self._detach.append(agent.tools.on_change(lambda change: self._tools_changed(agent, change)))

    def detach(self) -> None:
        """Stop watching; every agent is as it was before."""
        while self._detach:
            self._detach.pop()()
        self._agents.clear()

    def _adopt(self, agent: Agent) -> None:
        """Watch an agent that runs inside a tool of the outer one."""
        outer, quiet, output, policy = self._agents[0], agent.quiet, agent.output, agent.tools.policy
        agent.quiet, agent.output = True, agent.output or outer.output
        if agent.trust is None:
            agent.tools.policy = outer.tools.policy
        self._watch(agent, _TurnEnd(self))

        def restore() -> None:
            agent.quiet, agent.output, agent.tools.policy = quiet, output, policy

        self._detach.append(restore)

    def _watch(self, agent: Agent, observer: Observer) -> None:
        self._agents.append(agent)
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

        self._detach.append(forget)

    # hooks, on the agent's thread

    def _turn_starts(self, agent: Agent) -> None:
        session = _session(agent)
        if agent.cancel is not None:
            agent.cancel.on_cancel(self._on_stop)
        note = ""
        if self._is_outer(agent):
            note = self._tell_of_toggles(session) if session["turn"] > 1 else ""
            self._toggled.clear()
        self._post(events.TurnStarted(agent.name, time.time(), session["turn"], session["user_prompt"], note))

    def _tell_of_toggles(self, session: dict[str, Any]) -> str:
        """Say in the user's message which tools were switched since the model last saw them."""
        if not self._toggled:
            return ""
        changes = "; ".join(f"{name} is {state}" for name, state in sorted(self._toggled.items()))
        note = f"[Tools changed: {changes}.]"
        for message in reversed(session["messages"]):
            if message["role"] == "user":
                message["content"] = f"{message['content']}\n\n{note}"
                return note
        return ""

    def _model_starts(self, agent: Agent) -> None:
        session = _session(agent)
        self._post(
            events.ModelStarted(
                agent.name, time.time(), session["turn"], session["iteration"], agent.model or ""
            )
        )

    def _is_outer(self, agent: Agent) -> bool:
        return agent is self._agents[0]

    def _model_answered(self, agent: Agent) -> None:
        if not self._is_outer(agent):
            return
        self._post(
            events.UsageChanged(
                agent.name,
                time.time(),
                agent.context_percent if agent.context_window else None,
                agent.total_usage.total_tokens,
                agent.total_usage.cost,
            )
        )

    def _batch_starts(self, agent: Agent) -> None:
        session = _session(agent)
        self._post(
            events.BatchStarted(
                agent.name, time.time(), session["turn"], session["iteration"], _calls(session)
            )
        )

    def _approve(self, agent: Agent) -> None:
        session = _session(agent)
        pending = session["pending_tools"]
        asking = [call for call in pending if call["permission"] == "ask" and call["decision"] is None]
        if not asking:
            return
        self._post(events.WaitStarted(agent.name, time.time(), tuple(call["id"] for call in asking)))
        began = time.monotonic()
        try:
            with agent.human_wait("approval"):
                stop = self._approver.decide(agent, session, _calls(session))
        finally:
            waited = (time.monotonic() - began) * 1000
            self._post(events.WaitFinished(agent.name, time.time(), waited, _calls(session)))
        if stop:
            raise StopTurn("stopped by the user")

    def _tool_starts(self, agent: Agent) -> None:
        call = _session(agent)["pending_tool"]
        self._started.add(call["id"])
        self._post(
            events.ToolStarted(
                agent.name, time.time(), call["id"], call["name"], copy.deepcopy(call["arguments"])
            )
        )

    def _tool_ended(self, agent: Agent) -> None:
        entry = _session(agent)["trace"][-1]
        if entry["type"] == "tool_execution" and entry["call_id"] in self._started:
            self._finish(agent, entry)

    # observer

    def stream(self, agent: Agent, delta: Delta) -> None:
        """Pass a piece of the answer on."""
        self._post(
            events.ModelDelta(agent.name, time.time(), delta.kind, delta.text, delta.index, delta.name)
        )

    def entry_added(self, agent: Agent, entry: TraceEntry) -> None:
        """Pass on model answers, and calls that end without having run."""
        if entry["type"] == "user_input" and not any(agent is watched for watched in self._agents):
            self._adopt(agent)
        elif entry["type"] == "llm_call":
            content, calls = _last_answer(_session(agent), entry)
            self._post(events.ModelFinished(agent.name, time.time(), dict(entry), content, calls))
        elif entry["type"] == "note":
            self._post(events.Notice(agent.name, time.time(), entry["text"], hint=entry.get("hint") or ""))
        elif entry["type"] == "tool_execution" and (
            entry["call_id"] not in self._started or entry["status"] == "cancelled"
        ):
            self._finish(agent, entry)

    def turn_finished(self, agent: Agent, summary: TurnSummary) -> None:
        """Pass the end of the turn on, with what a person should know of an error."""
        error, hint = error_texts(summary.error) if summary.error is not None else ("", "")
        self._started.clear()
        self._post(
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
            )
        )

    def session_reset(self, agent: Agent) -> None:
        """Pass the reset on."""
        self._toggled.clear()
        self._post(events.SessionReset(agent.name, time.time()))

    def _finish(self, agent: Agent, entry: TraceEntry) -> None:
        self._started.discard(entry["call_id"])
        self._post(events.ToolFinished(agent.name, time.time(), dict(entry)))

    # registry

    def _tools_changed(self, agent: Agent, change: ChangeEvent) -> None:
        tool = agent.tools.get(change.tool_name) if change.tool_name else None
        if tool is not None and change.event_type in _TOGGLES:
            self._remember_toggle(tool, change)
        self._post(
            events.ToolsChanged(
                agent.name,
                time.time(),
                change.event_type.value,
                change.tool_name,
                change.reason,
                tool_row(agent.tools, tool) if tool is not None else None,
                dict(change.metadata),
            )
        )

    def _remember_toggle(self, tool: Tool, change: ChangeEvent) -> None:
        off = change.event_type is ChangeEventType.DISABLE
        state = (f"off ({change.reason})" if change.reason else "off") if off else "on"
        if self._toggled.pop(tool.safe_name, state) == state:
            self._toggled[tool.safe_name] = state


class _TurnEnd(Observer):
    """What the bridge has to be told of an inner agent itself: that its turn ended."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge

    def turn_finished(self, agent: Agent, summary: TurnSummary) -> None:
        self._bridge.turn_finished(agent, summary)


def tool_row(registry: ToolRegistry, tool: Tool) -> events.ToolRow:
    """What the tools panel shows of a tool, as it is now."""
    decision = registry.evaluate(tool, {})
    return events.ToolRow(
        tool.name,
        registry.is_enabled(tool.name),
        registry.get_disable_reason(tool.name) or "",
        tag_words(tool.metadata.tags),
        decision.result.value,
        decision.reason,
        tool.description,
    )


def tag_words(tags: Collection[ToolTag | str]) -> tuple[str, ...]:
    """Tags as words for the panel, the one that matters most first: what it does, where, the rest."""
    words = [
        word
        for word, holds in (
            ("read-only", ToolTag.READ_ONLY in tags),
            ("destructive", ToolTag.DESTRUCTIVE in tags),
            (
                "writes",
                ToolTag.FILE_SYSTEM in tags and not {ToolTag.READ_ONLY, ToolTag.DESTRUCTIVE} & set(tags),
            ),
            ("network", ToolTag.NETWORK in tags),
            ("privileged", ToolTag.PRIVILEGED in tags),
            ("slow", ToolTag.SLOW in tags),
        )
        if holds
    ]
    return (*words, *sorted(tag for tag in tags if not isinstance(tag, ToolTag)))


def approval_word(policy: PermissionPolicy) -> str:
    """The policy in one word: ``open``, ``careful``, ``strict`` or ``custom``."""
    words = {
        "open": PermissionPolicy.open,
        "careful": PermissionPolicy.careful,
        "strict": PermissionPolicy.strict,
    }
    return next((word for word, preset in words.items() if policy == preset()), "custom")


def error_texts(error: BaseException) -> tuple[str, str]:
    """What happened and what to do about it, for people."""
    hint = error.hint if isinstance(error, WorkbenchError) else ""
    notes = " ".join(getattr(error, "__notes__", ()))
    text = str(error) if isinstance(error, WorkbenchError) else f"{type(error).__name__}: {error}"
    return (f"{text} {notes}".strip(), hint)


def _session(agent: Agent) -> dict[str, Any]:
    session = agent.current_session
    if session is None:
        raise RuntimeError("a hook ran without a session")
    return session


def _calls(session: Mapping[str, Any]) -> tuple[events.CallInfo, ...]:
    return tuple(
        events.CallInfo(
            call["id"],
            call["name"],
            copy.deepcopy(call["arguments"]),
            call["permission"],
            call.get("asks_because") or "",
            call["decision"],
            call["reason"],
        )
        for call in session["pending_tools"]
    )


def _last_answer(session: Mapping[str, Any], entry: TraceEntry) -> tuple[str, int]:
    """The text and the number of calls of the answer that the entry records."""
    response = session.get("llm_response")
    if response is None:
        return str(entry.get("content") or ""), int(entry.get("tool_calls_count") or 0)
    return response.content or "", len(response.tool_calls)
