"""Puts the pieces of a streamed answer together, whatever order and shape the provider sends them in.

A chunk is a mapping with any of: ``text``, ``reasoning``, ``finish`` (the reason), ``thinking`` (blocks),
``fields`` (provider fields) and ``calls``, a list of ``{index, id, name, arguments, fields}``.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from typing import Any

from workbench.engine.llm import Delta, LLMResponse, ToolCall
from workbench.registry.arguments import ArgumentsUnreadable, read_arguments

_BAD_NAME = re.compile(r"[^a-zA-Z0-9_-]+")
_MARKS = re.compile(r'["\\{}\[\]]')
_UNNAMED = "unnamed_tool"


class Assembly:
    """One answer in the making. Time is linear in the text that arrives."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._thinking: list[dict[str, Any]] = []
        self._thinking_open = False
        self._fields: dict[str, Any] = {}
        self._calls: list[_CallDraft] = []
        self._by_index: dict[int, _CallDraft] = {}
        self._by_id: dict[str, _CallDraft] = {}
        self._finish: str | None = None

    def add(self, chunk: Mapping[str, Any]) -> list[Delta]:
        """Take a chunk; what is new in it."""
        new: list[Delta] = []
        if reasoning := chunk.get("reasoning"):
            self._reasoning.append(reasoning)
            new.append(Delta("reasoning", reasoning))
        if text := chunk.get("text"):
            self._text.append(text)
            new.append(Delta("text", text))
        for block in chunk.get("thinking") or ():
            self._add_thinking(block)
        new.extend(self._add_call(call) for call in chunk.get("calls") or ())
        if fields := chunk.get("fields"):
            _merge(self._fields, fields)
        self._finish = chunk.get("finish") or self._finish
        return new

    def response(self) -> LLMResponse:
        """The whole answer. A call that cannot be read has ``error`` set."""
        calls: list[ToolCall] = []
        taken: set[str] = set()
        for draft in self._calls:
            call = draft.finish(cut=self._finish == "length")
            if call is None:
                continue
            if not call.id or call.id in taken:
                call.id = f"call_{uuid.uuid4().hex[:24]}"
            taken.add(call.id)
            calls.append(call)
        reasoning = "".join(self._reasoning) or None
        extra: dict[str, Any] = {}
        if reasoning:
            extra["reasoning_content"] = reasoning
        if self._thinking:
            extra["thinking_blocks"] = [_joined(block) for block in self._thinking]
        if self._fields:
            extra["provider_specific_fields"] = self._fields
        return LLMResponse(
            content="".join(self._text) or None,
            tool_calls=calls,
            reasoning=reasoning,
            finish_reason=self._finish,
            extra=extra,
        )

    def _add_thinking(self, block: Mapping[str, Any]) -> None:
        """Pieces of one thinking block follow each other until its signature has come."""
        if block.get("type") != "thinking":
            self._thinking.append(dict(block))
            self._thinking_open = False
            return
        if not self._thinking_open:
            self._thinking.append({"type": "thinking", "thinking": [], "signature": ""})
            self._thinking_open = True
        current = self._thinking[-1]
        if piece := block.get("thinking"):
            current["thinking"].append(piece)
        if signature := block.get("signature"):
            current["signature"] = signature
            self._thinking_open = False

    def _add_call(self, piece: Mapping[str, Any]) -> Delta:
        draft = self._draft_for(piece)
        name = draft.take_name(piece.get("name") or "")
        text = draft.take_arguments(piece.get("arguments"))
        if fields := piece.get("fields"):
            _merge(draft.fields, fields)
        return Delta("tool_call", text, draft.position, name)

    def _draft_for(self, piece: Mapping[str, Any]) -> _CallDraft:
        """The call that ``piece`` belongs to.

        The id decides where there is one, then the index; a piece that names a tool although the call at
        its place is already whole begins another call.
        """
        index, call_id, name = piece.get("index"), piece.get("id") or "", piece.get("name") or ""
        at_index = self._by_index.get(index) if index is not None else None
        if call_id in self._by_id:
            # A last piece may repeat id and name with nothing new; only arguments begin another call.
            more = bool(piece.get("arguments"))
            for draft in (self._by_id[call_id], at_index):
                if (
                    draft is not None
                    and draft.id == call_id
                    and not draft.is_other_call(index, name, begins=more)
                ):
                    return draft
            return self._new(index, call_id)
        if index is None and not name and not call_id and self._calls:
            at_index = self._calls[-1]
        if at_index is None or (call_id and at_index.id) or at_index.is_other_call(index, name, begins=True):
            return self._new(index, call_id)
        if call_id:
            at_index.id = call_id
            self._by_id[call_id] = at_index
        return at_index

    def _new(self, index: int | None, call_id: str) -> _CallDraft:
        draft = _CallDraft(len(self._calls), index, call_id)
        self._calls.append(draft)
        if index is not None:
            self._by_index[index] = draft
        if call_id:
            self._by_id[call_id] = draft
        return draft


class _CallDraft:
    """A call in the making."""

    def __init__(self, position: int, index: int | None, call_id: str) -> None:
        self.position = position
        self.index = index
        self.id = call_id
        self.name = ""
        self.fields: dict[str, Any] = {}
        self._pieces: list[str] = []
        self._scan = _JsonScan()

    def is_other_call(self, index: int | None, name: str, *, begins: bool) -> bool:
        """Whether a piece that bears ``name`` is the start of another call.

        ``begins``: whether it may start one although it has the same name as this call, which is whole.
        """
        if not name or not self.name:
            return False
        if self.index is not None and index is not None and index != self.index:
            return True
        if name != self.name and self._pieces:
            return True
        return begins and self._scan.whole(self._pieces)

    def take_name(self, name: str) -> str | None:
        """Add a piece of the name; returns it the first time."""
        if not name or name == self.name:
            return None
        first = not self.name
        self.name += name
        return name if first else None

    def take_arguments(self, arguments: Any) -> str:
        """Add arguments, as text or as an object; returns the text."""
        if arguments is None or arguments == "":
            return ""
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        self._pieces.append(text)
        return text

    def finish(self, *, cut: bool) -> ToolCall | None:
        """The call, or None if nothing was ever said about it. ``cut``: the answer hit the token limit."""
        raw = "".join(self._pieces)
        if not self.name and not raw.strip():
            return None
        name = _BAD_NAME.sub("-", self.name).strip("-")[:64]
        extra = {"provider_specific_fields": self.fields} if self.fields else {}
        call = ToolCall(name or _UNNAMED, id=self.id, raw_arguments=raw, extra=extra)
        try:
            call.arguments = read_arguments(raw)
        except ArgumentsUnreadable as error:
            reason = "the answer was cut off at the token limit" if cut else str(error)
            call.error = f"The arguments of `{call.name}` cannot be read: {reason}. Send one JSON object."
        if not name:
            call.error = "This call has no tool name. Name one of the tools on offer."
        return call


class _JsonScan:
    """Follows brackets and strings through pieces of JSON, reading each character once."""

    def __init__(self) -> None:
        self._read = 0
        self._depth = 0
        self._in_string = False
        self._escaped = False
        self._started = False

    def whole(self, pieces: list[str]) -> bool:
        """Whether ``pieces``, of which earlier calls saw a part, hold a closed object or list."""
        for piece in pieces[self._read :]:
            self._follow(piece)
        self._read = len(pieces)
        return self._started and self._depth == 0 and not self._in_string

    def _follow(self, piece: str) -> None:
        skip_until = 1 if self._escaped else 0
        self._escaped = False
        for match in _MARKS.finditer(piece):
            if match.start() < skip_until:
                continue
            mark = match.group()
            if self._in_string:
                if mark == "\\":
                    skip_until = match.end() + 1
                    self._escaped = match.end() == len(piece)
                elif mark == '"':
                    self._in_string = False
            elif mark == '"':
                self._in_string = True
            elif mark in "{[":
                self._started = True
                self._depth += 1
            elif mark in "}]":
                self._depth -= 1


def _joined(block: Mapping[str, Any]) -> dict[str, Any]:
    thinking = block.get("thinking")
    return {**block, "thinking": "".join(thinking)} if isinstance(thinking, list) else dict(block)


def _merge(into: dict[str, Any], fields: Mapping[str, Any]) -> None:
    """Add provider fields; lists grow, everything else is replaced."""
    for key, value in fields.items():
        if isinstance(value, list) and isinstance(into.get(key), list):
            into[key] = [*into[key], *value]
        else:
            into[key] = value
