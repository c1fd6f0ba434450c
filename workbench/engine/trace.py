"""The shapes of the trace: plain dicts, times in milliseconds, timestamps in Unix seconds.

``user_input``      turn prompt timestamp, and ``images`` where pictures came with the prompt: of each name,
                    mime and bytes, and where known width and height (pixels), or the host that has it
``llm_call``        model timestamp duration_ms tool_calls_count iteration usage status message_count,
                    and where known first_token_ms finish_reason content reasoning error error_type
``tool_execution``  tool_name arguments call_id result status timing iteration timestamp,
                    and where they apply error error_type traceback failing_frame frames (see
                    ``describe_fault``) edited_from edited_by output human_ms decided_by left_running nested,
                    ``fault``: what was put in the tool's place on purpose, ``result_file``: where a result
                    is whole that was too long for the model, or in its stead ``result_file_error``
``human_wait``      what duration_ms iteration timestamp
``transcript_repair``  repairs iteration timestamp
``late_result``     tool_name call_id status result or error, duration_ms timestamp
``stop``            reason iteration timestamp
``note``            text hint iteration timestamp: what a person should know, and what to do about it
``compaction``      model summary replaced kept (numbers of messages) tokens_before tokens_after (about) usage
                    duration_ms timestamp: older turns were put into one message

``timestamp`` is when the thing began; ``timing`` is execution alone, without hooks and without waiting
for a person. ``hooks_ms`` holds the time spent in handlers and ``hook_output`` what they printed (where
output is captured), both by event: on the ``tool_execution`` for the events of one call, on the
``user_input`` for ``after_user_input``, and for all others on the ``llm_call``: for a batch the one that
asked for it, for ``on_complete`` the last one. Entries of an agent that runs inside
another agent's tool carry ``parent_call_id``. Results are whole; only views shorten.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final, Literal

from workbench.engine.images import ImageFacts
from workbench.engine.jobs import LateOutcome
from workbench.engine.llm import TokenUsage
from workbench.engine.observer import TraceEntry
from workbench.engine.results import to_text
from workbench.registry.texts import message_of

ToolStatus = Literal["success", "error", "not_found", "disabled", "rejected", "cancelled"]

CALLED: Final = frozenset({"success", "error"})
"""How the calls ended that reached their tool; one that was cancelled may have."""


def user_input(turn: int, prompt: str, timestamp: float, images: Sequence[ImageFacts] = ()) -> TraceEntry:
    """The user's message of a turn; its pictures are named, the message itself holds them."""
    entry: TraceEntry = {"type": "user_input", "turn": turn, "prompt": prompt, "timestamp": timestamp}
    if images:
        entry["images"] = [facts.record() for facts in images]
    return entry


def note(text: str, hint: str, iteration: int) -> TraceEntry:
    """Something that a person should know, and what to do about it."""
    return {"type": "note", "text": text, "hint": hint, "iteration": iteration, "timestamp": time.time()}


def llm_call(
    *,
    model: str,
    timestamp: float,
    duration_ms: float,
    tool_calls_count: int,
    iteration: int,
    usage: TokenUsage,
    status: Literal["success", "error", "cancelled"],
    message_count: int,
    **extra: Any,
) -> TraceEntry:
    """One request to the model; extras that are None are left out."""
    entry: TraceEntry = {
        "type": "llm_call",
        "model": model,
        "timestamp": timestamp,
        "duration_ms": duration_ms,
        "tool_calls_count": tool_calls_count,
        "iteration": iteration,
        "usage": usage,
        "status": status,
        "message_count": message_count,
    }
    entry.update((key, value) for key, value in extra.items() if value is not None)
    return entry


def tool_execution(
    *,
    tool_name: str,
    arguments: dict[str, Any],
    call_id: str,
    result: str,
    status: ToolStatus,
    timing: float,
    iteration: int,
    timestamp: float,
) -> TraceEntry:
    """One call of a batch, however it ended; ``result`` is the whole text, as the model would read it."""
    return {
        "type": "tool_execution",
        "tool_name": tool_name,
        "arguments": arguments,
        "call_id": call_id,
        "result": result,
        "status": status,
        "timing": timing,
        "iteration": iteration,
        "timestamp": timestamp,
    }


def late_result(call_id: str, late: LateOutcome) -> TraceEntry:
    """How a call ended that nobody waited for any more; the model never sees it."""
    entry: TraceEntry = {
        "type": "late_result",
        "tool_name": late.label,
        "call_id": call_id,
        "status": "success" if late.error is None else "error",
        "duration_ms": late.duration_ms,
        "timestamp": time.time(),
    }
    if late.error is None:
        entry["result"] = to_text(late.value)
    else:
        entry["error"] = message_of(late.error)
        entry["error_type"] = type(late.error).__name__
    return entry


def human_wait(what: str, duration_ms: float, iteration: int, timestamp: float) -> TraceEntry:
    """A hook waited for a person."""
    return {
        "type": "human_wait",
        "what": what,
        "duration_ms": duration_ms,
        "iteration": iteration,
        "timestamp": timestamp,
    }
