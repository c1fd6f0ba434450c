"""One request to the model: stoppable, and traced however it ends."""

from __future__ import annotations

import functools
import inspect
import time
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from workbench.engine import trace
from workbench.engine.jobs import Abandoned, Errand
from workbench.engine.llm import Delta, LLMResponse, Message, OnDelta, TokenUsage, ToolCall, ToolSchema
from workbench.engine.observer import TraceEntry
from workbench.engine.results import sendable, shorten, to_text, torn
from workbench.engine.verified import MessageList
from workbench.engine.watched import WatchedDict
from workbench.engine.worker import pool
from workbench.errors import HookError, ProviderError, StopTurn, WorkbenchError
from workbench.registry.arguments import ArgumentsUnreadable, NotAnObject, check_values, read_arguments
from workbench.registry.texts import text_of

if TYPE_CHECKING:
    from workbench.engine.turn import Turn

_LONGEST_QUOTE = 2_000
"""Characters of unreadable arguments that the model gets to see again."""


class ModelCall:
    """Asks the model once with the messages and the enabled tools as they are now."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._agent = turn.agent
        self._text: list[str] = []
        self._first_delta: float | None = None
        self._listening = True
        self._begin = 0.0

    def run(self) -> LLMResponse:
        """The answer, with usage counted and the trace entry written.

        Raises ProviderError if the model failed, StopTurn if the turn was stopped; the text that had
        arrived by then stays in the transcript.
        """
        turn, agent = self._turn, self._agent
        messages = turn.messages
        tools = agent.tools.schemas()
        timestamp = time.time()
        self._begin = time.perf_counter()
        common = {"timestamp": timestamp, "message_count": len(messages), "tools_count": len(tools)}
        turn.recorder.tell("model_asked", tools)
        try:
            response = ask_model(turn, messages, tools, self._on_delta)
        except (Abandoned, StopTurn) as stop:
            self._stopped(common)
            raise StopTurn(turn.cancel.reason or str(stop)) from None
        except BaseException as error:
            self._failed(error, common)
            if isinstance(error, WorkbenchError) or not isinstance(error, Exception):
                raise
            kind = type(error).__name__
            raise ProviderError(f"{type(agent.llm).__name__} failed: {kind}: {text_of(error)}") from error
        finally:
            self._listening = False
        turn.usage = turn.usage + response.usage
        agent.count_usage(response.usage)
        self._record(
            "success",
            response.usage,
            common,
            tool_calls_count=len(response.tool_calls),
            first_token_ms=response.first_token_ms or self._first_delta,
            finish_reason=response.finish_reason,
            content=response.content,
            reasoning=response.reasoning,
        )
        return response

    def settle_calls(self, response: LLMResponse) -> LLMResponse:
        """Give every call arguments that are a dict and an id that this transcript has not seen.

        Raises HookError for a response that a handler spoiled.
        """
        seen = set[str]()
        used = self._agent.transcript.ids
        fault = _fault_in(response)
        if fault is not None:
            raise HookError(
                f"an after_llm handler left a response that cannot be used: {fault}",
                hint="LLMResponse.content is a text or None, tool_calls a list of ToolCall.",
            )
        if len(set(map(id, response.tool_calls))) < len(response.tool_calls):  # as a model in a test may do
            response.tool_calls = [replace(call) for call in response.tool_calls]
        for call in response.tool_calls:
            _settle_arguments(call)
            if not _is_usable(call.id) or call.id in used or call.id in seen:
                call.id = f"call_{uuid.uuid4().hex[:24]}"
            seen.add(call.id)
        return response

    def _on_delta(self, delta: Delta) -> None:
        if not self._listening:
            return
        if delta.kind == "text":
            self._text.append(delta.text)
        if self._first_delta is None and delta.kind != "status":
            self._first_delta = (time.perf_counter() - self._begin) * 1000
        self._turn.recorder.tell("stream", delta)

    def _stopped(self, common: dict[str, Any]) -> None:
        self._listening = False
        # The abandoned request may still be reading the list that it was given.
        self._turn.session["messages"] = MessageList(self._turn.messages)
        text = sendable("".join(self._text))
        if text.strip():
            self._turn.messages.append(WatchedDict(role="assistant", content=text))
        self._record(
            "cancelled", TokenUsage(), common, first_token_ms=self._first_delta, content=text or None
        )

    def _failed(self, error: BaseException, common: dict[str, Any]) -> None:
        self._record(
            "error",
            TokenUsage(),
            common,
            first_token_ms=self._first_delta,
            content="".join(self._text) or None,
            error=text_of(error),
            error_type=type(error).__name__,
        )

    def _record(
        self,
        status: Literal["success", "error", "cancelled"],
        usage: TokenUsage,
        common: dict[str, Any],
        *,
        tool_calls_count: int = 0,
        **extra: Any,
    ) -> None:
        entry: TraceEntry = trace.llm_call(
            model=self._agent.model,
            duration_ms=(time.perf_counter() - self._begin) * 1000,
            tool_calls_count=tool_calls_count,
            iteration=self._turn.session["iteration"],
            usage=usage,
            status=status,
            **common,
            **extra,
        )
        entry.update(self._turn.notes)
        self._turn.notes = {}
        self._turn.llm_entry = entry
        self._turn.recorder.record(entry)


def ask_model(
    turn: Turn, messages: list[Message], tools: list[ToolSchema] | None, on_delta: OnDelta
) -> LLMResponse:
    """One request to the agent's model, with those of the optional arguments that it takes.

    Raises Abandoned or StopTurn at a stop of the turn, and whatever the model raises.
    """
    agent = turn.agent
    options: dict[str, Any] = {}
    if "on_delta" in agent.llm_options:
        options["on_delta"] = on_delta
    if "cancel" in agent.llm_options:
        options["cancel"] = turn.cancel
    ask = functools.partial(agent.llm.complete, messages, tools or None, **options)
    label = f"model {agent.model}"
    # a model that ends at a stop by itself needs no thread of its own
    answer = ask() if "cancel" in options else pool.start(ask, Errand(label, agent)).wait(turn.cancel, None)
    if not isinstance(answer, LLMResponse) and inspect.isawaitable(answer):
        answer = turn.places.wait_for(answer, label)
    return _checked(answer, agent.llm)


def _checked(response: Any, llm: object) -> LLMResponse:
    if not isinstance(response, LLMResponse):
        raise ProviderError(
            f"{type(llm).__name__}.complete() returned {type(response).__name__}, not an LLMResponse",
            hint="Return LLMResponse(content=…, tool_calls=[…]).",
        )
    fault = _fault_in(response)
    if fault is not None:
        raise ProviderError(
            f"{type(llm).__name__}.complete() returned a response that cannot be used: {fault}",
            hint="LLMResponse.content is a text or None, tool_calls a list of ToolCall.",
        )
    return response


def _fault_in(response: Any) -> str | None:
    """What is wrong with a response, None if nothing is.

    What a model in a test leaves out, it often leaves out as None: such gaps are filled.
    """
    response.tool_calls = response.tool_calls or []
    response.usage = response.usage or TokenUsage()
    response.extra = response.extra or {}
    kinds = {"content": str | None, "tool_calls": list | tuple, "usage": TokenUsage, "extra": dict}
    for part, kind in kinds.items():
        value = getattr(response, part)
        if not isinstance(value, kind):
            return f"its {part} is {type(value).__name__}"
    for call in response.tool_calls:
        if not isinstance(call, ToolCall):
            return f"{type(call).__name__} among its tool_calls"
    names: list[Any] = [call.name for call in response.tool_calls]
    for name in names:
        if not isinstance(name, str):
            return f"the name of a call is {type(name).__name__}"
        if isinstance(call.id, dict):  # what stood where the arguments belong
            return f"the id of the call {call.name} is a dict: it is ToolCall(name, arguments, id)"
    if not isinstance(response.tool_calls, list):
        response.tool_calls = list(response.tool_calls)
    return None


def _is_usable(call_id: Any) -> bool:
    """Whether a provider takes it as the id of a call."""
    return isinstance(call_id, str) and bool(call_id) and not torn(call_id)


def _settle_arguments(call: ToolCall) -> None:
    """Turn arguments that came as text into a dict, or note on the call why they cannot be."""
    arguments: Any = call.arguments
    call.arguments = {}
    if arguments is None:
        return
    if call.raw_arguments is None and not isinstance(arguments, dict):
        call.raw_arguments = to_text(arguments)
    try:
        if isinstance(arguments, dict):
            check_values(arguments)
            call.arguments = arguments
        else:
            call.arguments = read_arguments(arguments if isinstance(arguments, str) else "[]")
    except NotAnObject:
        call.error = call.error or f"The arguments must be a JSON object, not {call.raw_arguments}"
    except ArgumentsUnreadable as error:
        given = shorten(call.raw_arguments or to_text(arguments), _LONGEST_QUOTE)
        call.error = call.error or f"The arguments are not valid JSON ({error}): {given}"
