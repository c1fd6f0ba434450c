"""Finds the tool calls that a person wrote in a prompt, and says where one is wrong."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.engine.llm import ToolSchema
from workbench.visible import pointed_at

_OPENING = re.compile(r"(?<![\w.\-])([A-Za-z_][\w\-]*(?:\.[A-Za-z_][\w\-]*)*)\(")
_GLUE = re.compile(r"(?:[\s,;.&`*\-]|\d+\.|\band\b|\bthen\b|^```\w*$)*", re.IGNORECASE | re.MULTILINE)
_COMMENT = re.compile(r"[ \t]*#[ \t]")
_ALONE_BEFORE = re.compile(r"\s*(?:[-*❯>]\s+|\d+\.\s+)?`*")
_ALONE_AFTER = re.compile(r"`*[\s,;.]*(?:#.*)?")
_TOKEN = re.compile(r"\"\"\"|'''|[\"'()\[\]{}#]")
_STRING_ENDS = {
    '"': re.compile(r'(?:\\[\s\S]|[^"\\\n])*"'),
    "'": re.compile(r"(?:\\[\s\S]|[^'\\\n])*'"),
    '"""': re.compile(r'(?:\\[\s\S]|(?!""")[^\\])*"""'),
    "'''": re.compile(r"(?:\\[\s\S]|(?!''')[^\\])*'''"),
}
_LONGEST_LINE = 76  # characters; what is wrong stands below the caret where it does not fit beside it
_MAX_UNCLOSED = 20  # each costs a look at the rest of the text; a prompt with more is no list of calls
_MAX_DEPTH = 150  # Python's own parser gives up at 200
_ATTACHED = re.compile(r"\n\n?\[attached (?P<path>.+): (?P<size>[\d,]+) characters?\]\n")
_NOT_ATTACHED = re.compile(r"\n\n?\[not attached .+: .+\](?=\n|\Z)")
_CONSTANTS = {"true": "True", "false": "False", "null": "None"}


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call as written: ``name`` is the provider-safe name to send."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class CallFault:
    """What is wrong with a written call; ``column`` counts characters from 0 in ``line``."""

    message: str
    line: str
    column: int

    def __str__(self) -> str:
        shown = pointed_at(self.line, self.column)
        pointer = shown.rpartition("\n")[2]
        beside = len(pointer) + len(self.message) < _LONGEST_LINE
        return f"{shown} {self.message}" if beside else f"{shown}\n{self.message}"


@dataclass(frozen=True, slots=True)
class PromptCalls:
    """The calls of one prompt in their order, and the faults. With a fault, none should be sent."""

    calls: tuple[WrittenCall, ...]
    faults: tuple[CallFault, ...]


class _Misread(Exception):
    """A fault at an offset of the prompt."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


@dataclass(frozen=True, slots=True)
class _Span:
    """A name with its brackets in the prompt: ``text[start:end]``; ``end`` is None if nothing closes them."""

    name: str
    start: int
    bracket: int
    end: int | None


def own_words(message: str) -> str:
    """What a person wrote in a message, without the files that were attached behind it."""
    at = 0
    while (begin := message.find("\n\n[", at)) >= 0:
        end = begin
        while (behind := _behind_file(message, end)) is not None:
            end = behind
        if end > begin:
            return message[:begin] + message[end:]  # what follows was added for the model
        at = begin + 1
    return message


def _behind_file(message: str, at: int) -> int | None:
    """Where what an attached file left in the message ends, None if none begins here."""
    refused = _NOT_ATTACHED.match(message, at)
    if refused is not None:
        return refused.end()
    head = _ATTACHED.match(message, at)
    if head is None:
        return None
    tail = f"\n[end of {head['path']}]"
    end = head.end() + int(head["size"].replace(",", ""))
    if not message.startswith(tail, end):  # a hook has changed the text: up to the last end that is named
        end = message.rfind(tail, head.end() - 1)
    return end + len(tail) if end >= 0 else None


def find_calls(text: str, tools: Sequence[ToolSchema], known: Collection[str] = ()) -> PromptCalls:
    """The calls in ``text``, in order.

    A name counts when it is a tool on offer: its whole name, its dotted name, or a last segment that
    only one tool has. A name in ``known`` (tools called earlier, perhaps switched off since) counts
    too, and so does any name that plainly is meant as a call: with keyword arguments that are all
    literals, alone on its line, or in a prompt that holds nothing else.
    """
    names = ToolNames(tools, known)
    spans = list(_spans(text))
    only_calls = _nothing_else(text, spans)
    calls: list[WrittenCall] = []
    faults: list[CallFault] = []
    for span in spans:
        meant = only_calls or names.means_tool(span.name) or _stands_alone(text, span)
        try:
            call = _parse(text, span, names)
        except _Misread as error:
            if meant:
                faults.append(_locate(text, error))
            continue
        if meant or (call.arguments and not _has_positional(text, span)):
            calls.append(call)
    return PromptCalls(tuple(calls), tuple(faults))


class ToolNames:
    """The names under which a prompt may call the tools on offer."""

    def __init__(self, tools: Sequence[ToolSchema], known: Collection[str] = ()) -> None:
        self._properties: dict[str, list[str]] = {}
        self._by_segment: dict[str, list[str]] = {}
        self._known = frozenset(known)
        for tool in tools:
            function: Mapping[str, Any] = tool.get("function", {})
            name = str(function.get("name", ""))
            parameters: Mapping[str, Any] = function.get("parameters") or {}
            self._properties[name] = list(parameters.get("properties") or {})
            self._by_segment.setdefault(name.rsplit("-", 1)[-1], []).append(name)

    def owners(self, written: str) -> list[str]:
        """The safe names that ``written`` may mean: none, one, or several that share a last segment."""
        safe = written.replace(".", "-")
        if written in self._properties:
            return [written]
        if safe in self._properties or safe in self._known:
            return [safe]
        return sorted(self._by_segment.get(written, []))

    def means_tool(self, written: str) -> bool:
        """Whether ``written`` names a tool, even if not yet which."""
        return bool(self.owners(written))

    def properties(self, name: str) -> list[str] | None:
        """The parameter names in schema order, or None for a tool that is not on offer."""
        return self._properties.get(name)


def _spans(text: str) -> Iterator[_Span]:
    position = 0
    unclosed = 0
    while unclosed < _MAX_UNCLOSED and (match := _OPENING.search(text, position)):
        line_start = text.rfind("\n", 0, match.start()) + 1
        if _COMMENT.match(text, max(line_start, position)) or _COMMENT.match(text, line_start):
            line_end = text.find("\n", line_start)
            position = len(text) if line_end < 0 else line_end
            continue
        bracket = match.end() - 1
        end = _closing(text, bracket)
        yield _Span(match.group(1), match.start(), bracket, end)
        position = match.end() if end is None else end
        unclosed += end is None


def _closing(text: str, bracket: int) -> int | None:
    """The offset behind the bracket that closes ``text[bracket]``, minding strings and comments."""
    depth = 0
    position = bracket
    while match := _TOKEN.search(text, position):
        found = match.group()
        position = match.end()
        if found == "#":
            line_end = text.find("\n", position)
            position = len(text) if line_end < 0 else line_end
        elif found in "([{":
            depth += 1
            if depth > _MAX_DEPTH:
                return None
        elif found in ")]}":
            depth -= 1
            if depth == 0:
                return position
        else:
            end = _STRING_ENDS[found].match(text, position)
            if end is None:
                return None
            position = end.end()
    return None


def _nothing_else(text: str, spans: Sequence[_Span]) -> bool:
    """Whether the prompt is calls and the glue between them, nothing more."""
    position = 0
    for span in spans:
        if span.end is None or not _GLUE.fullmatch(text[position : span.start]):
            return span.end is None and bool(_GLUE.fullmatch(text[position : span.start]))
        position = span.end
    return bool(spans) and bool(_GLUE.fullmatch(text[position:]))


def _stands_alone(text: str, span: _Span) -> bool:
    """Whether the call has its lines to itself, list marks and backticks aside."""
    if span.end is None:
        return False
    before = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    line_end = text.find("\n", span.end)
    after = text[span.end :] if line_end < 0 else text[span.end : line_end]
    return bool(_ALONE_BEFORE.fullmatch(before) and _ALONE_AFTER.fullmatch(after))


def _has_positional(text: str, span: _Span) -> bool:
    tree = ast.parse("_" + text[span.bracket : span.end], mode="eval").body
    return isinstance(tree, ast.Call) and bool(tree.args)


def _parse(text: str, span: _Span, names: ToolNames) -> WrittenCall:
    owners = names.owners(span.name)
    if len(owners) > 1:
        choices = ", ".join(owners)
        raise _Misread(f"`{span.name}` could be any of {choices}; write the whole name", span.start)
    name = owners[0] if owners else span.name.replace(".", "-")
    if span.end is None:
        raise _Misread("this bracket, or a string inside it, is never closed", span.bracket)
    source = "_" + text[span.bracket : span.end]
    reader = _ArgumentReader(source, span.bracket - 1)
    return WrittenCall(name, reader.arguments(name, names.properties(name)))


class _ArgumentReader:
    """Reads the literals of one call; ``shift`` turns an offset of ``source`` into one of the prompt."""

    def __init__(self, source: str, shift: int) -> None:
        self._source = source
        self._shift = shift

    def arguments(self, name: str, properties: list[str] | None) -> dict[str, Any]:
        call = self._tree()
        arguments: dict[str, Any] = {}
        for position, node in enumerate(call.args):
            if isinstance(node, ast.Starred):
                raise self._misread("write the arguments one by one, without `*`", node)
            if properties is None:
                key = f"arg{position + 1}"
            elif position < len(properties):
                key = properties[position]
            else:
                takes = f"takes {len(properties)}" if properties else "takes none"
                raise self._misread(f"one argument too many: `{name}` {takes}", node)
            arguments[key] = self._literal(node)
        for keyword in call.keywords:
            if keyword.arg is None:
                raise self._misread("write the arguments one by one, without `**`", keyword)
            if keyword.arg in arguments:
                raise self._misread(f"`{keyword.arg}` is given twice", keyword)
            arguments[keyword.arg] = self._literal(keyword.value)
        return arguments

    def _tree(self) -> ast.Call:
        try:
            body = ast.parse(self._source, mode="eval").body
        except SyntaxError as error:
            offset = self._offset(error.lineno or 1, max((error.offset or 1) - 1, 0), in_bytes=False)
            raise _Misread(f"not a Python call: {error.msg}", offset) from error
        except (ValueError, RecursionError, MemoryError) as error:
            why = str(error) or "nested too deeply"
            raise _Misread(f"not a Python call: {why}", self._shift + 1) from error
        if not isinstance(body, ast.Call):
            raise _Misread("not a Python call", self._shift + 1)
        return body

    def _literal(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant):
            return self._constant(node)
        if isinstance(node, ast.List | ast.Tuple):
            return [self._literal(item) for item in node.elts]
        if isinstance(node, ast.Dict):
            return self._mapping(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            value = self._literal(node.operand)
            if isinstance(value, int | float) and not isinstance(value, bool):
                return -value if isinstance(node.op, ast.USub) else value
        if isinstance(node, ast.Name) and node.id in _CONSTANTS:
            raise self._misread(f"Python writes {_CONSTANTS[node.id]} for `{node.id}`", node)
        if isinstance(node, ast.Name):
            raise self._misread(f"`{node.id}` is a name; only literals can be read (text needs quotes)", node)
        if isinstance(node, ast.Call):
            raise self._misread("a call cannot be an argument; write its value", node)
        raise self._misread("only literals can be read: text, numbers, lists, dicts, True, False, None", node)

    def _constant(self, node: ast.Constant) -> Any:
        value = node.value
        plain = value is None or isinstance(value, str | bool | int)
        if plain or (isinstance(value, float) and math.isfinite(value)):
            return value
        raise self._misread("this value has no place in JSON", node)

    def _mapping(self, node: ast.Dict) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
                raise self._misread("the keys of a dict must be text in quotes", key or value)
            result[key.value] = self._literal(value)
        return result

    def _misread(self, message: str, node: ast.expr | ast.keyword) -> _Misread:
        return _Misread(message, self._offset(node.lineno, node.col_offset, in_bytes=True))

    def _offset(self, line_number: int, column: int, *, in_bytes: bool) -> int:
        lines = self._source.split("\n")
        line = lines[min(line_number, len(lines)) - 1]
        if in_bytes:  # the positions of syntax trees count UTF-8 bytes
            column = len(line.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))
        before = sum(len(earlier) + 1 for earlier in lines[: line_number - 1])
        return self._shift + before + min(column, len(line))


def _locate(text: str, error: _Misread) -> CallFault:
    offset = min(error.offset, len(text))
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    line = text[start:] if end < 0 else text[start:end]
    return CallFault(error.message, line, offset - start)
