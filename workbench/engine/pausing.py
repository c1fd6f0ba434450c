"""Running one call with a debugger attached: pause before it, pause after it, do what was said."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from workbench.engine.arguments import copy_arguments
from workbench.engine.breakpoints import Pause, Resume, When
from workbench.engine.calls import Execution, Outcome
from workbench.engine.scope import STOPPED
from workbench.engine.xray_context import XrayContext, xray_mark
from workbench.errors import StopTurn

if TYPE_CHECKING:
    from workbench.engine.open_call import OpenCall
    from workbench.engine.turn import Turn


def run_with_pauses(turn: Turn, call: OpenCall, prepare: Callable[[OpenCall], Execution]) -> Outcome:
    """The outcome of the call that the person at the debugger let stand."""
    resume = _pause(turn, call, "before", None)
    if resume.action == "skip":
        return Outcome("success", resume.result or "", extra={"made_up": True})
    while True:
        execution = prepare(call)
        call.running = True
        outcome = execution.run(call.verdict())
        if outcome.leaving is not None:
            return outcome
        try:
            resume = _pause(turn, call, "after", outcome)
        except BaseException as error:  # noqa: BLE001 - the call has run: it is recorded first, then this is raised
            outcome.leaving = error
            return outcome
        if resume.action == "again":
            continue
        if resume.result is not None and resume.result != outcome.text:
            outcome.extra["result_edited_from"] = outcome.text
            outcome.text = resume.result
        return outcome


def _pause(turn: Turn, call: OpenCall, when: When, outcome: Outcome | None) -> Resume:
    """Ask the debugger if a breakpoint or step mode wants it; otherwise just go on.

    Arguments that were changed before the call, or for running it again, are noted as the user's edit.
    """
    agent = turn.agent
    if agent.debugger is None:
        return Resume()
    failed = outcome is not None and outcome.status != "success"
    iteration = turn.session["iteration"]
    end = len(turn.session["trace"])
    pause = Pause(
        agent,
        when,
        call.name,
        call.call.id,
        copy_arguments(call.arguments()),
        iteration,
        XrayContext(agent, turn.prompt, turn.messages, iteration, lambda: turn.recorder.tools_before(end)),
        marked=call.tool is not None and xray_mark(call.tool.func) is not None,
        result=outcome.text if outcome is not None else None,
        error=outcome.text if outcome is not None and failed else None,
        details=_details(call, outcome),
    )
    if not agent.breakpoints.wants(pause):
        return Resume()
    with turn.human_wait(f"breakpoint {when} {call.name}"):
        resume = agent.debugger.pause(pause)
    if resume.action == "stop":
        agent.stop(around=True)
        raise StopTurn(STOPPED)
    if resume.action in ("continue", "step"):
        agent.breakpoints.step = resume.action == "step"
    wanted = dict(pause.arguments if resume.arguments is None else resume.arguments)
    if (when == "before" or resume.action == "again") and wanted != call.pending["arguments"]:
        call.pending.update(arguments=wanted, edited_by="user")
    return resume


def _details(call: OpenCall, outcome: Outcome | None) -> dict[str, Any]:
    """What its trace entry is going to say besides, as far as it is known."""
    details = {**call.pending.get("marks", {}), **call.notes}
    if outcome is not None:
        facts = {"status": outcome.status, "timing": outcome.timing, "timestamp": outcome.timestamp}
        details.update({**facts, **outcome.extra})
    return details
