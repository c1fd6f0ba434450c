"""Running one call with a debugger attached: pause before it, pause after it, do what was said."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.engine.breakpoints import Debugger, Pause, Resume, When
from workbench.engine.calls import Execution, Outcome
from workbench.engine.scope import STOPPED
from workbench.engine.xray_context import XrayContext, xray_mark
from workbench.errors import StopTurn

if TYPE_CHECKING:
    from workbench.engine.batch import OpenCall
    from workbench.engine.turn import Turn


def run_with_pauses(
    turn: Turn, call: OpenCall, execution: Execution, renew: Callable[[OpenCall], Execution]
) -> Outcome:
    """The outcome of the call that the person at the debugger let stand."""
    while True:
        resume = _pause(turn, call, "before", None)
        if resume.arguments is not None:
            call.pending["arguments"] = dict(resume.arguments)
            call.pending["edited_by"] = "user"
            execution = renew(call)
        if resume.action == "skip":
            text = resume.result or ""
            return Outcome("success", text, timestamp=execution.timestamp, extra={"made_up": True})
        outcome = execution.run(call.verdict())
        if outcome.leaving is not None:
            return outcome
        resume = _pause(turn, call, "after", outcome)
        if resume.action == "again":
            if resume.arguments is not None:
                call.pending["arguments"] = dict(resume.arguments)
                call.pending["edited_by"] = "user"
            execution = renew(call)
            continue
        if resume.result is not None and resume.result != outcome.text:
            outcome.extra["result_edited_from"] = outcome.text
            outcome.text = resume.result
        return outcome


def _pause(turn: Turn, call: OpenCall, when: When, outcome: Outcome | None) -> Resume:
    """Ask the debugger if a breakpoint or step mode wants it; otherwise just go on."""
    agent = turn.agent
    debugger: Debugger | None = agent.debugger
    if debugger is None:
        return Resume()
    failed = outcome is not None and outcome.status != "success"
    pause = Pause(
        agent,
        when,
        call.name,
        call.call.id,
        call.pending["arguments"],
        turn.session["iteration"],
        XrayContext(
            agent,
            turn.prompt,
            turn.messages,
            turn.session["iteration"],
            lambda: turn.tools_before(len(turn.session["trace"])),
        ),
        marked=call.tool is not None and xray_mark(call.tool.func) is not None,
        result=outcome.text if outcome is not None else None,
        error=outcome.text if outcome is not None and failed else None,
    )
    if not agent.breakpoints.wants(pause):
        return Resume()
    before = dict(call.pending["arguments"])
    with turn.human_wait(f"breakpoint {when} {call.name}"):
        resume = debugger.pause(pause)
    if resume.action == "stop":
        raise StopTurn(STOPPED)
    agent.breakpoints.step = resume.action == "step"
    if call.pending["arguments"] != before:
        call.pending["edited_by"] = "user"
    return resume
