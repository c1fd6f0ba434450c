"""The inspector's pages about what a trace entry does not hold: the request, and the tool as it was."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from workbench.engine.request_log import Sent
from workbench.tui.inspector_context import labelled, message_head, message_text
from workbench.tui.json_view import json_text
from workbench.tui.render import Span
from workbench.tui.result_diff import result_lines
from workbench.tui.tool_history import ToolVersion
from workbench.tui.wrapped import Line, wrapped
from workbench.visible import visible_line

_EMPTY: Final[Line] = ()


@dataclass(frozen=True, slots=True)
class About:
    """What is known of an entry besides: its request, and its tool as it was then and is now."""

    sent: Sent | None = None
    then: ToolVersion | None = None
    now: ToolVersion | None = None
    broken: str | None = None
    """Where the tool's file, as it is on disk now, does not load, ``line 3`` for example; None: it does."""
    gone: bool = False
    """The agent that made the call, inside a tool, is not there any more."""

    @property
    def changed(self) -> bool:
        """Whether the tool is another version now."""
        return self.then is not None and self.now is not None and self.then.number != self.now.number


def sent_count(sent: Sent) -> str:
    """How many messages, and how many of them are new or changed."""
    new = len(sent.messages) - sent.new_from
    parts = [str(len(sent.messages))]
    if sent.new_from:
        parts += [f"+{new}"] * bool(new) + [f"±{len(sent.before)}"] * bool(sent.before)
    return " ".join(parts)


def sent_lines(sent: Sent, width: int) -> list[Line]:
    """The messages as they were sent; those that are new or changed since the request before say so."""
    lines: list[Line] = list(wrapped(_summary(sent), width, "subtle", words=True))
    for place, message in enumerate(sent.messages):
        lines.append(_EMPTY)
        mark: Span = ("", "muted")
        if place in sent.before:
            mark = ("  ± changed", "accent")
        elif place >= sent.new_from > 0:
            mark = ("  + new", "success")
        lines.append((*message_head(place + 1, message), mark))
        text = message_text(message)
        if place in sent.before:
            lines += result_lines(message_text(sent.before[place]), text, width)
        else:
            lines += wrapped(text, width, indent=7, words=True)
    return lines


def _summary(sent: Sent) -> str:
    count = len(sent.messages)
    said = f"{count} message{'s' * (count != 1)}"
    if not sent.new_from:
        return said + ", the first request of its conversation"
    changes = [(count - sent.new_from, "new"), (len(sent.before), "changed"), (sent.removed, "removed")]
    told = ", ".join(f"{number} {word}" for number, word in changes if number) or "nothing new"
    return f"{said}; since the request before: {told}"


def tool_lines(about: About, width: int) -> list[Line]:
    """The tool as it was: version, code, place, description and schema, and what is different now."""
    then, now = about.then, about.now
    assert then is not None
    lines = labelled("version", f"{then.number}", width)
    if about.changed and now is not None:
        what = "a helper that it uses" if now.helper else "the tool"
        said = f"{then.number}, now {now.number}: {what} has changed since"
        lines = labelled("version", said, width, "warning")
    code = then.code_hash or "no Python code"
    if now is not None and now.code_hash != then.code_hash:
        code += f"  now {now.code_hash}"
    lines += labelled("code", code, width)
    if about.broken is not None:
        where = f": {about.broken}" if about.broken else ""
        said = f"the file has changed since; it does not load{where}"
        lines += labelled("on disk", visible_line(said), width, "warning")
    if then.file:
        lines += labelled("source", visible_line(f"{then.file}:{then.line}"), width)
    if now is not None and now.description != then.description:
        lines += [_EMPTY, (("  Description, then and now", "subtle strong"),)]
        lines += result_lines(then.description, now.description, width)
    lines += [_EMPTY, (("  Description", "subtle strong"),)]
    key = "text" if then.description else "muted"
    lines += wrapped(then.description or "It has none.", width, key, words=True)
    schema = json_text(then.parameters)
    if now is not None and now.parameters != then.parameters:
        lines += [_EMPTY, (("  Schema, then and now", "subtle strong"),)]
        lines += result_lines(schema, json_text(now.parameters), width)
    lines += [_EMPTY, (("  Schema", "subtle strong"),), *wrapped(schema, width)]
    return lines


def tool_text(version: ToolVersion) -> str:
    """The same for the clipboard."""
    facts: Mapping[str, Any] = {
        "version": version.number,
        "code": version.code_hash,
        "source": f"{version.file}:{version.line}",
        "description": version.description,
        "parameters": version.parameters,
    }
    return json.dumps(facts, indent=2, ensure_ascii=False, default=repr)
