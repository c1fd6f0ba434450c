"""A model that answers from a list and refuses whatever a strict provider would refuse."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from workbench.engine.llm import LLMResponse, TokenUsage, ToolCall

Answer = LLMResponse | str | BaseException | Callable[[], LLMResponse]
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class RequestRefusedError(AssertionError):
    """What a provider answers with status 400."""


class StrictLLM:
    """Answers with what it was given, in turn; checks every request by rules of its own.

    The rules are written apart from the engine's validator, so that one checks the other: contents are
    texts, those of users and tools also texts and pictures, calls are answered at once and in order, ids are
    unique, everything is JSON. ``requests`` keeps a copy of each message list, ``tools`` of each list of
    schemas.
    """

    model = "strict"
    context_window = 1000

    def __init__(self, *answers: Answer | Iterable[Answer]) -> None:
        self.answers: list[Answer] = []
        self.requests: list[list[dict[str, Any]]] = []
        self.tools: list[list[dict[str, Any]]] = []
        self.refusals: list[str] = []
        self.add(*answers)

    def add(self, *answers: Any) -> None:
        """Give it more to answer."""
        for answer in answers:
            if isinstance(answer, list | tuple):
                self.answers.extend(answer)
            else:
                self.answers.append(answer)

    def complete(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[dict[str, Any]] | None = None
    ) -> LLMResponse:
        try:
            check_request(messages)
        except RequestRefusedError as error:
            self.refusals.append(str(error))
            raise
        self.requests.append(json.loads(json.dumps(messages)))
        self.tools.append(list(tools or []))
        answer = self.answers.pop(0) if self.answers else "done"
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, str):
            return LLMResponse(answer, usage=TokenUsage(10, 5, 0, 0.001))
        return answer if isinstance(answer, LLMResponse) else answer()


def check_request(messages: Sequence[Mapping[str, Any]]) -> None:
    """Raise RequestRefusedError for the first thing that a provider would refuse."""
    try:
        json.dumps(messages).encode()
        json.dumps(messages, ensure_ascii=False).encode()
    except (TypeError, ValueError) as error:
        raise RequestRefusedError(f"not JSON: {error}") from error
    open_calls: list[str] = []
    seen: set[str] = set()
    for index, message in enumerate(messages):
        where = f"message {index}"
        role = message.get("role")
        _check_content(message.get("content"), role, where)
        if role == "tool":
            _require(bool(open_calls), f"{where}: an answer to nothing")
            _require(message.get("tool_call_id") == open_calls.pop(0), f"{where}: an answer out of order")
            continue
        _require(not open_calls, f"{where}: {role} while {open_calls} are open")
        _require(role in {"system", "user", "assistant"}, f"{where}: role {role!r}")
        if "tool_calls" in message:
            _require(role == "assistant", f"{where}: calls made by {role}")
            open_calls = [_check_call(call, seen, where) for call in message["tool_calls"]]
            _require(bool(open_calls), f"{where}: an empty list of calls")
    _require(not open_calls, f"the end: {open_calls} are open")


def _check_content(content: Any, role: Any, where: str) -> None:
    if role not in ("user", "tool") or not isinstance(content, list):
        _require(isinstance(content, str), f"{where}: the content is not a text")
        return
    _require(bool(content), f"{where}: no parts")
    for part in content:
        kind = part["type"]
        _require(part.keys() == {"type", kind}, f"{where}: a part with {sorted(part)}")
        if kind == "text":
            _require(isinstance(part["text"], str) and bool(part["text"]), f"{where}: a part without text")
        else:
            url = part["image_url"]["url"]
            _require(url.startswith(("https://", "data:image/")), f"{where}: a picture at {url[:20]!r}")


def _check_call(call: Mapping[str, Any], seen: set[str], where: str) -> str:
    call_id = call["id"]
    _require(isinstance(call_id, str) and bool(call_id), f"{where}: a call without an id")
    _require(call_id not in seen, f"{where}: the id {call_id} again")
    seen.add(call_id)
    _require(call["type"] == "function", f"{where}: a call of type {call['type']}")
    _require(
        bool(_NAME.fullmatch(call["function"]["name"])), f"{where}: the name {call['function']['name']!r}"
    )
    _require(isinstance(json.loads(call["function"]["arguments"]), dict), f"{where}: arguments are no object")
    return str(call_id)


def _require(fact: bool, otherwise: str) -> None:
    if not fact:
        raise RequestRefusedError(otherwise)


def call(tool: str, /, *, id: str = "", **arguments: Any) -> ToolCall:  # noqa: A002 - the field's own name
    """A tool call as a model makes it."""
    return ToolCall(tool, arguments, id)


def calls(*made: ToolCall, text: str | None = None) -> LLMResponse:
    """An answer that is a batch."""
    return LLMResponse(text, list(made), TokenUsage(10, 5, 0, 0.001))
