"""What a paused call has to say: the inspector's pages and facts, as far as they are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workbench.engine.request_log import Sent
from workbench.tui.clock import Clock
from workbench.tui.inspector_about import About
from workbench.tui.inspector_context import context_lines, context_text, labelled
from workbench.tui.inspector_pages import Page, facts, line_page, pages
from workbench.tui.pause import PauseRequest
from workbench.tui.trace_records import Entry, Iteration, State, Turn
from workbench.tui.wrapped import Line
from workbench.visible import visible_line

_STATES: dict[str, State] = {"success": "success", "rejected": "rejected", "not_found": "not_found"}


def paused_entry(request: PauseRequest, arguments: Mapping[str, Any], result: str | None = None) -> Entry:
    """The call as the trace would hold it, with these arguments, below the calls before it in its turn.

    ``result`` is what a person put in the place of its own.
    """
    agent, prompt = visible_line(request.agent), visible_line(request.task)
    clock = Clock(request.opened)
    turn = Turn(0, request.turn, agent, prompt, clock, guest=request.inner, by_hand=request.by_hand)
    iterations: dict[int, Iteration] = {}
    for serial, entry in enumerate((*request.before, _data(request, arguments, result)), 1):
        number = int(entry.get("iteration", request.iteration))
        if number not in iterations:
            iterations[number] = Iteration(serial, number, turn, 0.0, 0.0)
            turn.iterations.append(iterations[number])
        iterations[number].entries.append(_entry(serial, iterations[number], entry, request))
    last = iterations[request.iteration].entries[-1]
    assert isinstance(last, Entry)
    return last


def _data(request: PauseRequest, arguments: Mapping[str, Any], result: str | None) -> dict[str, Any]:
    data: dict[str, Any] = {
        "type": "tool_execution",
        "tool_name": request.tool,
        "arguments": dict(arguments),
        "call_id": request.call_id,
        "iteration": request.iteration,
        **request.details,
    }
    if request.when == "after":
        data["result"] = request.result if request.error is None else request.error
    if request.error is not None:
        data.setdefault("error", request.error)
    if arguments != request.arguments:
        data.update(edited_from=dict(request.arguments), edited_by="user")
    if result is not None:
        data.update(_put_in(request, result))
    return data


def _put_in(request: PauseRequest, result: str) -> dict[str, Any]:
    """What a result that is not the call's own changes."""
    if request.when == "before":
        return {"status": "success", "result": result, "made_up": True}
    gave = request.result if request.error is None else request.error
    return {"result": result, "result_edited_from": gave}


def _entry(serial: int, iteration: Iteration, data: Mapping[str, Any], request: PauseRequest) -> Entry:
    ended = "result" in data
    state: State = _STATES.get(str(data.get("status", "success")), "error") if ended else "pending"
    if data.get("error"):
        state = "error"
    return Entry(
        serial,
        "tool",
        iteration,
        visible_line(str(data["tool_name"])),
        state,
        request.opened,
        str(data.get("call_id", "")),
        start=0.0 if data.get("timing") is not None else None,  # it ran
        ms=data.get("timing"),
        arguments=data["arguments"],
        data=data,
    )


def pause_pages(request: PauseRequest, entry: Entry, about: About) -> list[Page]:
    """The pages of the paused call; its context says first why it paused."""
    if request.messages:
        about = replace(about, sent=Sent(request.messages, {}, request.sent, 0))
    return [_context(request, entry) if page.name == "Context" else page for page in pages(entry, about)]


def _context(request: PauseRequest, entry: Entry) -> Page:
    because = visible_line(request.because)

    def lines(width: int) -> list[Line]:
        return [*labelled("paused", because, width), *context_lines(entry, width)]

    return line_page("Context", "", lines, lambda: f"paused: {because}\n{context_text(entry)}")


def pause_facts(request: PauseRequest, entry: Entry) -> list[tuple[str, list[tuple[str, str]]]]:
    """Why it paused, then what the inspector tells of any call."""
    because, _, condition = visible_line(request.because).partition(" where ")
    after = "failed" if request.error is not None else "ran"
    before = "will not run" if "result" in (entry.data or {}) else "has not run yet"
    pause = [("state", before if request.when == "before" else after), ("because", because)]
    if condition:
        pause.append(("where", condition))
    told = [(title, [row for row in rows if row != ("status", "pending")]) for title, rows in facts(entry)]
    return [("Pause", pause), *((title, rows) for title, rows in told if rows)]
