"""The debugger that a person is: shows each pause, and waits for what shall become of the call."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping
from typing import Any

from workbench.engine.agent import Agent
from workbench.engine.breakpoints import Breakpoint, Pause, Resume
from workbench.engine.cancel import CancelToken
from workbench.engine.observer import TraceEntry
from workbench.tui import events
from workbench.tui.approver import check_arguments
from workbench.tui.call_path import path_text
from workbench.tui.companion import Tell
from workbench.tui.pause import PauseRequest


def because(point: Breakpoint | None) -> str:
    """Why a call paused, in words."""
    if point is None:
        return "step mode"
    words = "on error" if point.on_error else f"{point.when} each call"
    return f"{words} where {point.condition}" if point.condition is not None else words


class Pauser:
    """The debugger of one agent: asks, and tells the screen that it waits.

    ``ask`` blocks until a person has decided, and raises StopTurn at the stop that it is given. A result that
    it gives before the call, to go on with, is the answer in place of running it. ``stepping`` is told
    whether step mode is on from here.
    """

    def __init__(
        self,
        ask: Callable[[PauseRequest, CancelToken | None], Resume],
        tell: Tell,
        stepping: Callable[[bool], object],
    ) -> None:
        self._ask = ask
        self._tell = tell
        self._stepping = stepping

    def pause(self, pause: Pause) -> Resume:
        """On the agent's thread."""
        request = _request(pause)
        name, call_id, when = pause.tool_name, pause.call_id, pause.when
        began, action = time.monotonic(), "stop"
        self._tell(events.PauseStarted(pause.agent.name, request.opened, call_id, name, when))
        try:
            resume = self._ask(request, pause.agent.cancel)
            action = resume.action
            if action in ("continue", "step"):
                self._stepping(action == "step")
            if pause.when == "before" and resume.result is not None and action in ("continue", "step"):
                # the engine answers with a result only where it skips the call, and steps on as it did
                pause.agent.breakpoints.step = action == "step"
                resume = Resume("skip", resume.arguments, resume.result)
                action = resume.action
        finally:
            waited = (time.monotonic() - began) * 1000
            self._tell(events.PauseFinished(pause.agent.name, time.time(), call_id, waited, action))
        return resume


def _request(pause: Pause) -> PauseRequest:
    agent: Agent = pause.agent
    session = agent.current_session or {}
    requests = [entry for entry in session.get("trace", ()) if entry["type"] == "llm_call"]
    origin = next(
        (call.get("origin", ()) for call in session.get("pending_tools", ()) if call["id"] == pause.call_id),
        (),
    )
    return PauseRequest(
        agent=path_text(origin, agent.name),
        turn=session.get("turn", 0),
        iteration=pause.iteration,
        when=pause.when,
        tool=pause.tool_name,
        call_id=pause.call_id,
        arguments=pause.arguments,
        because=because(pause.breakpoint),
        task="" if agent.by_hand else pause.context.user_prompt or "",
        before=_calls_before(pause, session),
        messages=tuple(dict(message) for message in pause.context.messages),
        sent=next((asked["message_count"] for asked in reversed(requests)), 0),
        inner=bool(origin),
        by_hand=agent.by_hand,
        details=copy.deepcopy(dict(pause.details)),
        result=None if pause.error is not None else pause.result,
        error=pause.error,
        check=lambda arguments: check_arguments(agent.tools, pause.tool_name, arguments),
        parameters=tool.parameters if (tool := agent.tools.get(pause.tool_name)) is not None else {},
        opened=time.time(),
    )


def _calls_before(pause: Pause, session: Mapping[str, Any]) -> tuple[TraceEntry, ...]:
    """The entries of the calls that were made before it in its turn."""
    count = len(pause.context.previous_tools())
    calls = [dict(entry) for entry in session.get("trace", ()) if entry["type"] == "tool_execution"]
    return tuple(calls[-count:]) if count else ()
