"""The inspector's pages about what surrounds an entry: where it belongs, and what was sent to the model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from workbench.engine.content import image_urls, told
from workbench.tui.render import Span, arguments_text, clip, fit, time_cells
from workbench.tui.states import GLYPHS
from workbench.tui.trace_records import Entry
from workbench.tui.wrapped import Line, wrapped
from workbench.visible import visible_line

Facts: TypeAlias = list[tuple[str, str]]
_LABEL: Final = 13
_EMPTY: Final[Line] = ()


def context(entry: Entry) -> Facts:
    """Agent, turn, iteration and task; for an agent within a tool also the call that it runs in."""
    turn = entry.turn
    where = [("turn", str(turn.number)), ("iteration", str(entry.iteration.number))]
    facts = [("agent", turn.agent), *([("run by", "you")] if turn.by_hand else where)]
    if turn.parent is not None:
        host = turn.parent
        facts.append(("within", f"{host.name} of {host.turn.agent}, turn {host.turn.number}"))
    return [*facts, ("task", turn.prompt)] if turn.prompt or not turn.by_hand else facts


def previous_tools(entry: Entry) -> list[Entry]:
    """The tool calls of the same turn before an entry, in order."""
    return [
        before
        for iteration in entry.turn.iterations
        for before in iteration.entries
        if isinstance(before, Entry) and before.kind == "tool" and before.serial < entry.serial
    ]


def context_lines(entry: Entry, width: int) -> list[Line]:
    """Where an entry belongs, and which tools ran before it in its turn."""
    lines: list[Line] = []
    for label, value in context(entry):
        lines += labelled(label, value, width)
    before = previous_tools(entry)
    lines += [_EMPTY, (("  Tools before it in this turn", "subtle strong"),)]
    if not before:
        lines.append((("  None.", "muted"),))
    for call in before:
        glyph, key = GLYPHS[call.state]
        room = width - 4 - 1 - 8 - 2
        said = clip(f"{call.name}  {arguments_text(call.arguments)}", room)
        lines.append(
            (
                ("  ", "muted"),
                (glyph + " ", key),
                (fit(said, room), "text"),
                (" " + time_cells(call.ms), "muted"),
            )
        )
    return lines


def labelled(label: str, value: str, width: int, key: str = "text") -> list[Line]:
    """A label and a value beside it, broken between words, on as many lines as it needs."""
    first, *rest = wrapped(value, width, key, indent=2 + _LABEL, words=True)
    return [(("  " + fit(label, _LABEL), "muted"), *first[1:]), *rest]


def context_text(entry: Entry) -> str:
    """The same for the clipboard."""
    facts = [f"{label}: {value}" for label, value in context(entry)]
    return "\n".join([*facts, *(f"before: {call.name}" for call in previous_tools(entry))])


def message_lines(messages: Sequence[Any], width: int) -> list[Line]:
    """The messages as they were sent: the role, the text, the calls that it asks for."""
    lines: list[Line] = []
    for number, message in enumerate(messages, 1):
        if lines:
            lines.append(_EMPTY)
        lines.append(tuple(message_head(number, message)))
        lines += wrapped(message_text(message), width, indent=7, words=True)
    return lines


def message_head(number: int, message: Any) -> list[Span]:
    """The number and role of a message, and the call that it answers."""
    told: Mapping[str, Any] = message if isinstance(message, Mapping) else {}
    head: list[Span] = [
        (f"  {number:>3}  ", "muted"),
        (visible_line(str(told.get("role", ""))), "text strong"),
    ]
    if told.get("tool_call_id"):
        head.append((f"  {visible_line(str(told['tool_call_id']))}", "muted"))
    return head


def message_text(message: Any) -> str:
    """What a message says, and the calls that it asks for."""
    told: Mapping[str, Any] = message if isinstance(message, Mapping) else {"content": message}
    return "\n".join(_said(told))


def _said(message: Mapping[str, Any]) -> Iterator[str]:
    content = message.get("content")
    if isinstance(content, str):
        if content or not message.get("tool_calls"):
            yield content
    elif image_urls(content):
        yield told(content)
    elif content is not None:
        yield json.dumps(content, indent=2, ensure_ascii=False, default=repr)
    for call in message.get("tool_calls") or ():
        function = call.get("function", call) if isinstance(call, Mapping) else {}
        yield f"→ {function.get('name', '')}({function.get('arguments', '')})"
