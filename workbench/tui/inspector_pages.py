"""The pages that the inspector shows of one trace entry, as lines of spans."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from rich.cells import cell_len

from workbench.engine.content import image_urls, shortened
from workbench.tui.call_marks import made_up, original_result
from workbench.tui.comparison import JSON_LIMIT, json_of
from workbench.tui.inspector_about import About, sent_count, sent_lines, tool_lines, tool_text
from workbench.tui.inspector_context import context_lines, context_text, message_lines
from workbench.tui.inspector_errors import error_lines, error_text
from workbench.tui.inspector_pictures import file_named, file_picture, sent_pictures
from workbench.tui.inspector_schemas import offered, schema_lines, schemas_count
from workbench.tui.inspector_values import plain, value_lines
from workbench.tui.media import Media, media_in
from workbench.tui.picture import can_draw, picture_lines
from workbench.tui.record_table import is_table, table_lines
from workbench.tui.render import arguments_text, cost_text, fit, time_cells
from workbench.tui.trace_records import OPEN, Entry
from workbench.tui.wrapped import Line, wrapped
from workbench.visible import as_left, visible_line

_JSON_LINE: Final = re.compile(r'(\s*)("(?:[^"\\]|\\.)*":)?(.*)')
_RECORDS: Final = re.compile(r"\[\s*\{")
_MOST_JSON: Final = 50_000_000
_EMPTY: Final[Line] = ()


Lines = Callable[[int], list[Line]]
"""Lines for a width in cells."""


@dataclass(frozen=True, slots=True)
class View:
    """One way to show a page: its lines, or a JSON ``value`` whose tree folds and unfolds.

    ``slow``: the lines are made on another thread.
    """

    name: str
    lines: Lines | None = None
    value: Any = None
    slow: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """A tab: its name, what is counted beside it, the ways to show it, best first, and its text to copy."""

    name: str
    count: str
    views: tuple[View, ...]
    text: Callable[[], str]


def line_page(name: str, count: str, lines: Lines, text: Callable[[], str]) -> Page:
    """A page that is shown in one way."""
    return Page(name, count, (View("text", lines),), text)


def pages(entry: Entry, about: About | None = None) -> list[Page]:
    """The pages that have something to show; ``opening`` says which to begin with."""
    about = about or About()
    data = entry.data
    found: list[Page] = []
    if entry.kind == "tool":
        count = str(len(entry.arguments)) if entry.arguments else ""
        views = [View("list", partial(_arguments, data, entry.arguments))]
        views += [View("tree", value=plain(entry.arguments))] * bool(entry.arguments)
        found.append(Page("Arguments", count, tuple(views), lambda: _json_text(entry.arguments)))
        if "result" in data or entry.state not in OPEN:
            result = str(data.get("result", ""))
            found.append(Page("Result", "", tuple(result_views(result)), lambda: result))
    else:
        found.append(_answer_page(entry))
        if data.get("reasoning"):
            found.append(_prose_page("Reasoning", data["reasoning"]))
    if data.get("error"):
        found.append(line_page("Error", "", partial(error_lines, data), lambda: error_text(data)))
    output = _output(data)
    if output:
        found.append(_prose_page("Output", output, count=True))
    found += _surroundings(entry, about)
    views = [View("text", partial(_json, plain(data))), View("tree", value=plain(data))]
    return [*found, Page("Raw", "", tuple(views), lambda: _json_text(data))]


def _surroundings(entry: Entry, about: About) -> Iterator[Page]:
    """What was sent, where the entry belongs, and the tool as it was."""
    listed = entry.data.get("messages")
    if about.sent is not None:
        sent = about.sent
        messages = shortened(plain(list(sent.messages)))
        views = [View("text", partial(sent_lines, sent)), View("tree", value=messages)]
        if can_draw() and any(image_urls(message.get("content")) for message in sent.messages):
            views.insert(1, View("pictures", partial(sent_pictures, sent), slow=True))
        yield Page("Messages", sent_count(sent), tuple(views), lambda: _json_text(messages))
        tools = offered(sent)
        if tools:
            schemas = list(sent.tools)
            ways = View("list", partial(schema_lines, tools)), View("tree", value=plain(schemas))
            yield Page("Schemas", schemas_count(tools), ways, lambda: _json_text(schemas))
    elif isinstance(listed, list | tuple):
        lines = partial(message_lines, listed)
        yield line_page("Messages", str(len(listed)), lines, lambda: _json_text(listed))
    elif entry.data.get("message_count"):
        said = "They are kept while the app runs and the conversation goes on; this request is from before."
        yield line_page("Messages", "", partial(_remark, said), lambda: said)
    yield line_page("Context", "", partial(context_lines, entry), lambda: context_text(entry))
    if about.then is not None:
        then = about.then
        changed = about.changed or about.broken is not None
        count = f"v{then.number}" + (" changed" if changed else "")
        yield line_page("Tool", count, partial(tool_lines, about), lambda: tool_text(then))


def _output(data: Mapping[str, Any]) -> str:
    """What the call printed, and under their names what its hooks did."""
    parts = [as_left(str(data["output"]))] if data.get("output") else []
    for event, text in dict(data.get("hook_output") or {}).items():
        parts.append(f"{event}:\n{as_left(str(text))}")
    return "\n".join(parts)


def _prose_page(name: str, value: object, *, count: bool = False) -> Page:
    text = str(value or "")
    lines = str(text.count("\n") + (not text.endswith("\n"))) if count else ""
    return line_page(name, lines, partial(_prose, text), lambda: text)


def _answer_page(entry: Entry) -> Page:
    """What the model said, and below it the calls that it asked for."""
    content = str(entry.data.get("content") or "")
    asked = entry.data.get("tool_calls_count")
    rows = entry.iteration.entries if asked else ()
    calls = [
        f"{row.name}({arguments_text(row.arguments)})"
        for row in rows
        if isinstance(row, Entry) and row.kind == "tool"
    ]
    if not calls:
        return _prose_page("Answer", content)

    def lines(width: int) -> list[Line]:
        said = [*_prose(content, width), _EMPTY] if content else []
        listed = [line for call in calls for line in wrapped(call, width)]
        return [*said, (("  It asked for", "muted"),), *listed]

    return line_page("Answer", "", lines, lambda: "\n".join([content, *calls] if content else calls))


def _json_text(value: Any) -> str:
    return json.dumps(plain(value), indent=2, ensure_ascii=False)


def opening(found: Sequence[Page]) -> int:
    """The page to open on: the error if there is one, else the result or answer."""
    names = [page.name for page in found]
    for name in ("Error", "Result", "Answer"):
        if name in names:
            return names.index(name)
    return 0


# text


def _prose(text: str, width: int) -> list[Line]:
    if not text:
        return [(("  It is empty.", "muted"),)]
    return list(wrapped(text.removesuffix("\n"), width, words=True))


def _remark(text: str, width: int) -> list[Line]:
    return list(wrapped(text, width, "muted", words=True))


def _unread(text: str, width: int) -> list[Line]:
    """JSON that is too long for a tree, as it is."""
    said = f"A tree is made of JSON up to {JSON_LIMIT:,} characters; these are {len(text):,}."
    return [*wrapped(said, width, "muted", words=True), _EMPTY, *_prose(text, width)]


def result_views(text: str) -> Iterator[View]:
    """The ways to show a result: a picture is told, JSON is a table or a tree, all else is text."""
    media = media_in(text)
    if media is not None and media.picture and can_draw():
        yield View("picture", partial(_picture, media), slow=True)
    elif media is not None:
        yield View("bytes", partial(_media, media))
    value = json_of(text)
    if len(text) > JSON_LIMIT and _RECORDS.match(text):
        yield View("table", partial(_large_table, text), slow=True)
    if is_table(value):
        yield View("table", partial(table_lines, value))
    if value:
        yield View("tree", value=value)
        yield View("text", partial(_json, value))
    else:
        unread = len(text) > JSON_LIMIT and text[:1] in ("{", "[")
        yield View("text", partial(_unread if unread else _prose, text))
    named = file_named(text)
    if named is not None and can_draw():
        yield View("picture", partial(file_picture, named), slow=True)


def _large_table(text: str, width: int) -> list[Line]:
    """A list of records that takes its time to be read, as a table; any other text as it is."""
    value = json_of(text, _MOST_JSON)
    return table_lines(value, width) if is_table(value) else _prose(text, width)


def result_page(text: str, width: int) -> list[Line]:
    """A result as people read it, where nothing folds: a table, JSON, or text."""
    media = media_in(text)
    if media is not None:
        return _media(media, width)
    first = next(view for view in result_views(text) if view.lines is not None and not view.slow)
    assert first.lines is not None
    return first.lines(width)


def _media(media: Media, width: int) -> list[Line]:
    drawn = " pip install 'agent-workbench[images]' has it drawn." if media.picture and not can_draw() else ""
    note = f"It is not drawn here; y copies the result, its next view is the text.{drawn}"
    return [*wrapped(str(media), width), *wrapped(note, width, "muted", words=True)]


def _picture(media: Media, width: int) -> list[Line]:
    try:
        drawn = picture_lines(media.data, width)
    except ValueError as error:
        drawn = list(wrapped(f"It cannot be drawn: {error}", width, "warning", words=True))
    return [*wrapped(str(media), width, "subtle"), _EMPTY, *drawn]


def _json(value: Any, width: int) -> list[Line]:
    lines: list[Line] = []
    for line in json.dumps(value, indent=2, ensure_ascii=False).split("\n"):
        match = _JSON_LINE.fullmatch(visible_line(line))
        if match is not None and match[2] and cell_len(line) <= width - 4:
            lines.append((("  " + match[1], "muted"), (match[2], "muted"), (match[3], "text")))
        else:
            lines += wrapped(line, width)
    return lines


# a tool call


def _arguments(data: Mapping[str, Any], arguments: Mapping[str, Any], width: int) -> list[Line]:
    if not arguments:
        return [(("  It was called without arguments.", "muted"),)]
    lines = value_lines(arguments, width)
    original = data.get("edited_from")
    if isinstance(original, Mapping):
        by = {"user": "you"}.get(str(data.get("edited_by")), str(data.get("edited_by")))
        heading = f"  The model asked for this; it was edited by {visible_line(by)}"
        lines += [_EMPTY, ((heading, "subtle"),), *value_lines(original, width)]
    return lines


# facts


def facts(entry: Entry) -> list[tuple[str, list[tuple[str, str]]]]:
    """Sections of facts: a heading, then a label and a value each."""
    data = entry.data
    began = data.get("timestamp")
    time: list[tuple[str, str]] = []
    if isinstance(began, int | float):
        label = "ended" if _never_ran(entry) else "started"
        time.append((label, datetime.fromtimestamp(began).astimezone().strftime("%H:%M:%S.%f")[:-3]))
    for label, key in (("first token", "first_token_ms"), ("waited for you", "human_ms")):
        if isinstance(data.get(key), int | float):
            time.append((label, time_cells(data[key]).strip()))
    if _never_ran(entry):
        time.append(("ran", "never"))
    elif entry.ms is not None:
        time.append(("took" if entry.kind == "llm" else "ran", time_cells(entry.ms).strip()))
    call = [("agent", entry.turn.agent)]
    if entry.turn.by_hand:
        call.append(("run by", "you"))
    else:
        call += [("turn", str(entry.turn.number)), ("iteration", str(entry.iteration.number))]
    call.append(("status", visible_line(str(data.get("status", entry.state)))))
    for label, key in (
        ("model", "model"),
        ("finish", "finish_reason"),
        ("messages", "message_count"),
        ("tools offered", "tools_count"),
        ("calls asked for", "tool_calls_count"),
        ("decided by", "decided_by"),
        ("edited by", "edited_by"),
        ("fault on purpose", "fault"),
        ("id", "call_id"),
        ("runs again", "rerun_of"),
        ("within call", "parent_call_id"),
        ("whole result", "result_file"),
        ("result not kept", "result_file_error"),
    ):
        if data.get(key):
            value = "you" if data[key] == "user" else str(data[key])
            call.append((label, visible_line(value)))
    if data.get("left_running"):
        call.append(("thread", "left running"))
    if data.get("replayed"):
        call.append(("not run here", "taken from the record"))
    if made_up(data) or "result_edited_from" in data:
        call.append(("result", "made up" if made_up(data) else "edited by you"))
        gave = original_result(data)
        call += [("really gave", visible_line(gave))] if gave is not None else []
    sections = [("Time", time), ("Call" if entry.kind == "tool" else "Request", call)]
    hooks = data.get("hooks_ms")
    if isinstance(hooks, Mapping) and hooks:
        spent = [(visible_line(str(name)), time_cells(ms).strip()) for name, ms in hooks.items()]
        sections.insert(1, ("Hooks, ─ beside the bar" if entry.kind == "tool" else "Hooks", spent))
    usage = data.get("usage")
    if usage is not None:
        tokens = [("input", f"{usage.input_tokens:,}"), ("output", f"{usage.output_tokens:,}")]
        tokens.append(("cached", f"{usage.cached_tokens:,}"))
        sections.append(("Tokens", [*tokens, ("cost", cost_text(usage.cost).removeprefix("cost "))]))
    return sections


def _never_ran(entry: Entry) -> bool:
    """Whether a call ended without having begun; one that was taken from a record ran elsewhere."""
    data = entry.data
    ended = entry.kind == "tool" and "timestamp" in data and "replayed" not in data
    return ended and (entry.start is None or bool(data.get("made_up")))


def fact_lines(sections: Iterable[tuple[str, list[tuple[str, str]]]], width: int) -> list[Line]:
    """Facts in a column: label at the left, value at the right edge, or below where it has no room there."""
    lines: list[Line] = []
    for title, rows in sections:
        if lines:
            lines.append(_EMPTY)
        lines.append((("  " + title, "subtle strong"),))
        for label, value in rows:
            room = width - 4 - cell_len(label) - 2
            if cell_len(value) <= room:
                lines.append((("  " + label + "  ", "muted"), (fit(value, room, right=True), "text")))
            else:
                lines += [(("  " + label, "muted"),), *wrapped(value, width, indent=4, words=True)]
    return lines


def facts_text(sections: Iterable[tuple[str, list[tuple[str, str]]]]) -> str:
    """Facts for the clipboard."""
    return "\n".join(f"{label}: {value}" for _, rows in sections for label, value in rows)
