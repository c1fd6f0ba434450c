"""A model that answers what was answered before."""

from __future__ import annotations

import copy
import json
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.engine.cancel import CancelToken
from workbench.engine.compaction import digest
from workbench.engine.llm import Delta, LLMResponse, OnDelta, TokenUsage, ToolCall, ToolSchema
from workbench.errors import ProviderError
from workbench.registry.arguments import ArgumentsUnreadable, read_arguments

Messages = Sequence[Mapping[str, Any]]

_LENIENTLY = "The model replay:lenient:PATH goes on in spite of differences."


class ReplayModel:
    """Answers with the assistant messages of a recorded conversation, one after the other.

    ``recorded`` is a whole message list. Strict: what is asked must be what was asked then, or
    ``ProviderError`` says what differs. Lenient: answers come in their order whatever is asked. Call ids
    are given anew by the engine where they clash. Costs nothing.
    """

    def __init__(self, recorded: Messages, *, strict: bool = True) -> None:
        self.model = "replay"
        self.context_window: int | None = None
        self._recorded = [copy.deepcopy(dict(message)) for message in recorded]
        self._answers = [
            position for position, message in enumerate(self._recorded) if message.get("role") == "assistant"
        ]
        self._strict = strict
        self._next = 0
        self._lock = threading.Lock()

    def complete(
        self,
        messages: Messages,
        tools: Sequence[ToolSchema] | None = None,
        *,
        on_delta: OnDelta | None = None,
        cancel: CancelToken | None = None,
    ) -> LLMResponse:
        """The next recorded answer. Raises ``ProviderError`` at the end of the record or at a difference."""
        started = time.perf_counter()
        if cancel is not None:
            cancel.raise_if_cancelled()
        with self._lock:
            if self._next >= len(self._answers):
                raise ProviderError(
                    f"The record is over: it holds {len(self._answers)} answers.",
                    hint="Switch to another model to go on from here.",
                )
            position = self._answers[self._next]
            if self._strict:
                self._compare(messages, position)
            self._next += 1
        response = _response(self._recorded[position])
        for delta in _deltas(response):
            if response.first_token_ms is None:
                response.first_token_ms = (time.perf_counter() - started) * 1000
            if on_delta is not None:
                on_delta(delta)
        return response

    def summarise(self, messages: Messages) -> str:
        """What was said and done in ``messages``, without being asked as a model is."""
        return digest(messages)

    def _compare(self, messages: Messages, position: int) -> None:
        then = [_essence(message) for message in self._recorded[:position]]
        now = [_essence(message) for message in messages]
        for number, (old, new) in enumerate(zip(then, now, strict=False)):
            if old != new:
                raise ProviderError(
                    f"Message {number} differs from the record: then {_short(old)}, now {_short(new)}.",
                    hint=_LENIENTLY,
                )
        if len(then) != len(now):
            raise ProviderError(
                f"{len(now)} messages were sent where the record has {len(then)}.",
                hint=_LENIENTLY,
            )


def _essence(message: Mapping[str, Any]) -> dict[str, Any]:
    """What two runs of one conversation have in common: no ids, no provider fields."""
    calls = [
        (call.get("function", {}).get("name"), call.get("function", {}).get("arguments"))
        for call in message.get("tool_calls") or ()
    ]
    return {"role": message.get("role"), "content": message.get("content") or "", "calls": calls}


def _short(essence: Mapping[str, Any]) -> str:
    text = json.dumps(essence, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else f"{text[:200]} …"


def _response(message: Mapping[str, Any]) -> LLMResponse:
    known = {"role", "content", "tool_calls"}
    calls = [_call(call) for call in message.get("tool_calls") or ()]
    return LLMResponse(
        content=message.get("content") or None,
        tool_calls=calls,
        usage=TokenUsage(cost=0.0),
        raw_response=dict(message),
        reasoning=message.get("reasoning_content"),
        finish_reason="tool_calls" if calls else "stop",
        model="replay",
        extra={key: value for key, value in message.items() if key not in known},
    )


def _call(recorded: Mapping[str, Any]) -> ToolCall:
    function = recorded.get("function") or {}
    raw = str(function.get("arguments") or "")
    extra = {key: value for key, value in recorded.items() if key not in ("id", "type", "function")}
    call = ToolCall(
        str(function.get("name")), id=str(recorded.get("id") or ""), raw_arguments=raw, extra=extra
    )
    try:
        call.arguments = read_arguments(raw)
    except ArgumentsUnreadable as error:
        call.error = f"The arguments of `{call.name}` cannot be read: {error}."
    return call


def _deltas(response: LLMResponse) -> list[Delta]:
    deltas: list[Delta] = []
    if response.reasoning:
        deltas.append(Delta("reasoning", response.reasoning))
    if response.content:
        deltas.append(Delta("text", response.content))
    for index, call in enumerate(response.tool_calls):
        deltas.append(Delta("tool_call", call.raw_arguments or "{}", index, call.name))
    return deltas
