"""The rule that every provider checks: each tool call is answered, in order, right after it was made."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from workbench.engine.arguments import arguments_text
from workbench.engine.content import image_urls, told
from workbench.engine.llm import Message
from workbench.engine.results import encode_json, sendable, torn
from workbench.errors import TranscriptError
from workbench.registry.arguments import check_values

ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_PLAIN_KEYS = frozenset({"role", "content", "tool_calls", "tool_call_id", "name"})
_NOBODY = object()
_MAPPINGS = (dict, Mapping)
"""The usual one first: to ask an abstract class takes ten times as long."""
LOST_RESULT = "No result: it was not recorded before the session ended; the call may have had effects."


def safe_tool_name(name: str) -> str:
    """``name`` as a provider takes it back: a model may have written a name that no provider allows."""
    return name if _NAME.fullmatch(name) else re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64] or "unnamed"


class Repair(NamedTuple):
    """One thing that ``repair_messages`` did: in words, and the message it took away or changed."""

    what: str
    message: Message | None


def validate_messages(messages: Sequence[Mapping[str, Any]]) -> None:
    """Check a whole message list; raises TranscriptError naming the first violation."""
    check_from(messages, 0, set())


def check_from(messages: Sequence[Mapping[str, Any]], start: int, ids: set[str]) -> None:
    """Check ``messages[start:]``, given that everything before is complete; call ids go into ``ids``.

    Raises TranscriptError naming the first violation.
    """
    index, count = start, len(messages)
    while index < count:
        message = messages[index]
        _check_shape(message, index)
        role = message["role"]
        if role == "tool":
            raise TranscriptError(
                f"message {index} answers call {message.get('tool_call_id')!r}, which was not just made"
            )
        calls = message.get("tool_calls")
        if calls is None or role != "assistant":
            if calls is not None:
                raise TranscriptError(f"message {index} has tool calls, but its role is {role!r}")
            index += 1
            continue
        expected = _check_calls(calls, index, ids)
        for offset, call_id in enumerate(expected, 1):
            _check_answer(messages, index + offset, call_id)
        index += 1 + len(expected)


def _check_shape(message: object, index: int) -> None:
    if not isinstance(message, _MAPPINGS):
        raise TranscriptError(f"message {index} is {type(message).__name__}, not a dict")
    role = message.get("role")
    if not isinstance(role, str) or role not in ROLES:
        raise TranscriptError(f"message {index} has the role {role!r}; it must be one of {sorted(ROLES)}")
    content = message.get("content")
    if isinstance(content, str):
        if torn(content):
            raise TranscriptError(
                f"message {index} has a lone surrogate in its content, which UTF-8 cannot carry"
            )
        if message.keys() <= _PLAIN_KEYS:
            return
    elif not isinstance(content, list) and not (content is None and message.get("tool_calls")):
        raise TranscriptError(f"message {index} has {type(content).__name__} as its content, not text")
    try:
        encode_json(message)
    except (TypeError, ValueError, RecursionError) as error:
        raise TranscriptError(f"message {index} cannot be written as JSON: {error}") from error


def _check_calls(calls: object, index: int, ids: set[str]) -> list[str]:
    if not isinstance(calls, list) or not calls:
        raise TranscriptError(f"message {index} has tool_calls that are not a list with calls in it")
    expected: list[str] = []
    for call in calls:
        fault = _call_fault(call)
        if fault:
            raise TranscriptError(f"message {index}: {fault}")
        call_id = call["id"]
        if call_id in ids:
            raise TranscriptError(f"message {index} uses the call id {call_id!r} a second time")
        ids.add(call_id)
        expected.append(call_id)
    return expected


def _call_fault(call: object) -> str | None:
    """What is wrong with one entry of ``tool_calls``, or None."""
    function = call.get("function") if isinstance(call, _MAPPINGS) else None
    if not isinstance(call, _MAPPINGS) or not isinstance(function, _MAPPINGS):
        return "a tool call is not a dict with a function in it"
    call_id, name = call.get("id"), function.get("name")
    if not isinstance(call_id, str) or not call_id:
        return "a tool call has no id"
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return f"call {call_id!r} has the name {name!r}, which no provider takes"
    if len(call) > 3:
        try:
            encode_json(call)
        except (TypeError, ValueError, RecursionError) as error:
            return f"call {call_id!r} cannot be written as JSON: {error}"
    arguments = function.get("arguments")
    if arguments == "{}" or arguments is getattr(function, "vouched", _NOBODY):
        return None
    try:
        read = json.loads(arguments) if isinstance(arguments, str) else None
        check_values(read)
        fine = isinstance(read, dict)
    except (ValueError, RecursionError):
        fine = False
    return None if fine else f"the arguments of call {call_id!r} are not a JSON object in a string"


def _check_answer(messages: Sequence[Mapping[str, Any]], index: int, call_id: str) -> None:
    if index >= len(messages):
        raise TranscriptError(f"call {call_id!r} has no answer: the messages end before it")
    message = messages[index]
    _check_shape(message, index)
    if message["role"] != "tool":
        raise TranscriptError(
            f"message {index} ({message['role']}) stands where the answer to call {call_id!r} must be"
        )
    if message.get("tool_call_id") != call_id:
        raise TranscriptError(
            f"message {index} answers call {message.get('tool_call_id')!r} where {call_id!r} comes next"
        )


def repair_messages(messages: list[Message]) -> list[Repair]:
    """Make a message list sendable, in place; returns what was done, empty for a sound list.

    Answers are moved behind their calls, missing ones are filled in and say so, answers to calls that
    do not exist are taken out, calls that cannot be read are taken out or given empty arguments.
    """
    repairs: list[Repair] = []
    sound = [copy for at, message in enumerate(messages) if (copy := _sound(message, at, repairs))]
    used: set[str] = set()
    result: list[Message] = []
    taken: set[int] = set()
    answers = _Answers(sound)
    for at, message in enumerate(sound):
        if at in taken:
            continue
        if message["role"] == "tool":
            what = f"took out the answer to call {message.get('tool_call_id')!r}, which nobody made before it"
            repairs.append(Repair(what, message))
            continue
        result.append(message)
        for call in message.get("tool_calls") or ():
            found = answers.take(call["id"], at)
            if found is not None:
                taken.add(found)
            result.append(_answer(call, sound, found, used, repairs))
    _note_moves(messages, result, repairs)
    if repairs:
        messages[:] = result
    return repairs


class _Answers:
    """Where the answers to each call id stand."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._places: dict[str, list[int]] = {}
        for at, message in enumerate(messages):
            if message["role"] == "tool":
                self._places.setdefault(str(message.get("tool_call_id")), []).append(at)

    def take(self, call_id: str, after: int) -> int | None:
        """The first answer to ``call_id`` behind ``after`` that nobody took yet."""
        places = self._places.get(call_id, [])
        for position, place in enumerate(places):
            if place > after:
                return places.pop(position)
        return None


def _answer(
    call: dict[str, Any], sound: list[Message], found: int | None, used: set[str], repairs: list[Repair]
) -> Message:
    """The answer to ``call``, which gets an id of its own if another call has it already."""
    call_id = call["id"]
    if found is None:
        repairs.append(Repair(f"filled in the missing answer to call {call_id!r}", None))
        message: Message = {"role": "tool", "tool_call_id": call_id, "content": LOST_RESULT}
    else:
        message = sound[found]
    if call_id in used:
        call["id"] = _fresh_id(call_id, used)
        message = {**message, "tool_call_id": call["id"]}
        repairs.append(Repair(f"gave the second call {call_id!r} the id {call['id']!r}", None))
    used.add(call["id"])
    return message


def _fresh_id(call_id: str, used: set[str]) -> str:
    number = 2
    while f"{call_id}_{number}" in used:
        number += 1
    return f"{call_id}_{number}"


def _note_moves(before: list[Message], after: list[Message], repairs: list[Repair]) -> None:
    """If nothing else was wrong, see whether messages only stood in the wrong order."""
    if not repairs:
        for old, new in zip(before, after, strict=True):
            if old is not new and old != new:
                what = f"moved the answer to call {new.get('tool_call_id')!r} right behind its batch's call"
                repairs.append(Repair(what, new))
                return


def _sound(message: object, at: int, repairs: list[Repair]) -> Message | None:
    """A message that is fine by itself: the same object, a mended copy, or None for a hopeless one."""
    role = message.get("role") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(role, str) or role not in ROLES:
        repairs.append(
            Repair(f"took out message {at}, which has no role that a provider knows: {message!r}", None)
        )
        return None
    calls = message.get("tool_calls")
    mended: Message = message
    if calls is not None:
        kept = _sound_calls(calls, at, repairs) if message["role"] == "assistant" else []
        mended = {key: value for key, value in message.items() if key != "tool_calls"}
        if kept:
            mended["tool_calls"] = kept
        else:
            repairs.append(Repair(f"took the tool calls out of message {at}: none can be read", message))
    try:
        _check_shape(mended, at)
    except TranscriptError as fault:
        mended = {key: mended[key] for key in mended.keys() & _PLAIN_KEYS}
        mended["content"] = sendable(_text_of(mended.get("content")))
        repairs.append(Repair(f"rewrote a message that was not plain text: {fault}", None))
    return mended


def _sound_calls(calls: object, at: int, repairs: list[Repair]) -> list[dict[str, Any]]:
    kept: list[dict[str, Any]] = []
    for call in calls if isinstance(calls, list) else ():
        fault = _call_fault(call)
        if fault is None:
            kept.append(dict(call))
        elif fault.startswith("the arguments"):
            given = call["function"].get("arguments")
            text = arguments_text(given) if isinstance(given, dict) else "{}"
            kept.append({**call, "function": {**call["function"], "arguments": text}})
            repairs.append(Repair(f"message {at}: {fault}; they are now {text}, they were {given!r}", None))
        else:
            repairs.append(Repair(f"message {at}: {fault}; took it out: {call!r}", None))
    return kept


def _text_of(content: object) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if image_urls(content):
        return told(content)
    return json.dumps(content, default=str, ensure_ascii=False)
