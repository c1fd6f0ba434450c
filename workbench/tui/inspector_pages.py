"""The pages that the inspector shows of one trace entry, as lines of spans."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from rich.cells import cell_len

from workbench.engine.content import image_urls, shortened
from workbench.tui.call_marks import made_up, original_result
from workbench.tui.comparison import json_of
from workbench.tui.inspector_about import About, sent_count, sent_lines, tool_lines, tool_text
from workbench.tui.inspector_context import context_lines, context_text, message_lines
from workbench.tui.inspector_pictures import sent_pictures
from workbench.tui.inspector_schemas import offered, schema_lines, schemas_count
from workbench.tui.media import Media, media_in
from workbench.tui.picture import can_draw, picture_lines
from workbench.tui.record_table import is_table, table_lines
from workbench.tui.render import Span, arguments_text, clip, cost_text, fit, time_cells, value_text
from workbench.tui.trace_records import OPEN, Entry
from workbench.tui.wrapped import Line, wrapped
from workbench.visible import as_left, visible, visible_line

_DEEPEST: Final = 60
_NAME: Final = 15
_JSON_LINE: Final = re.compile(r'(\s*)("(?:[^"\\]|\\.)*":)?(.*)')
_FRAME: Final = re.compile(r'  File "(.+)", line (\d+)(?:, in (.+))?')
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
        views += [View("tree", value=_plain(entry.arguments))] * bool(entry.arguments)
        found.append(Page("Arguments", count, tuple(views), lambda: _json_text(entry.arguments)))
        if "result" in data or entry.state not in OPEN:
            result = str(data.get("result", ""))
            found.append(Page("Result", "", tuple(result_views(result)), lambda: result))
    else:
        found.append(_answer_page(entry))
        if data.get("reasoning"):
            found.append(_prose_page("Reasoning", data["reasoning"]))
    if data.get("error"):
        found.append(line_page("Error", "", partial(_error, data), lambda: _error_text(data)))
    output = _output(data)
    if output:
        found.append(_prose_page("Output", output, count=True))
    found += _surroundings(entry, about)
    views = [View("text", partial(_json, _plain(data))), View("tree", value=_plain(data))]
    return [*found, Page("Raw", "", tuple(views), lambda: _json_text(data))]


def _surroundings(entry: Entry, about: About) -> Iterator[Page]:
    """What was sent, where the entry belongs, and the tool as it was."""
    listed = entry.data.get("messages")
    if about.sent is not None:
        sent = about.sent
        messages = shortened(_plain(list(sent.messages)))
        views = [View("text", partial(sent_lines, sent)), View("tree", value=messages)]
        if can_draw() and any(image_urls(message.get("content")) for message in sent.messages):
            views.insert(1, View("pictures", partial(sent_pictures, sent), slow=True))
        yield Page("Messages", sent_count(sent), tuple(views), lambda: _json_text(messages))
        tools = offered(sent)
        if tools:
            schemas = list(sent.tools)
            ways = View("list", partial(schema_lines, tools)), View("tree", value=_plain(schemas))
            yield Page("Schemas", schemas_count(tools), ways, lambda: _json_text(schemas))
    elif isinstance(listed, list | tuple):
        lines = partial(message_lines, listed)
        yield line_page("Messages", str(len(listed)), lines, lambda: _json_text(listed))
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
    return json.dumps(_plain(value), indent=2, ensure_ascii=False)


def _error_text(data: Mapping[str, Any]) -> str:
    return str(data.get("traceback") or f"{data.get('error_type') or 'Error'}: {data['error']}")


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


def result_views(text: str) -> Iterator[View]:
    """The ways to show a result: a picture is told, JSON is a table or a tree, all else is text."""
    media = media_in(text)
    if media is not None and media.picture and can_draw():
        yield View("picture", partial(_picture, media), slow=True)
    elif media is not None:
        yield View("bytes", partial(_media, media))
    value = json_of(text)
    if is_table(value):
        yield View("table", partial(table_lines, value))
    if value:
        yield View("tree", value=value)
        yield View("text", partial(_json, value))
    else:
        yield View("text", partial(_prose, text))


def result_page(text: str, width: int) -> list[Line]:
    """A result as people read it, where nothing folds: a table, JSON, or text."""
    media = media_in(text)
    if media is not None:
        return _media(media, width)
    first = next(view for view in result_views(text) if view.lines is not None)
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


def _plain(value: Any, depth: int = 0) -> Any:
    """A trace entry as JSON can hold it."""
    if depth > _DEEPEST:
        return f"(nested deeper than {_DEEPEST} levels)"
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value), depth)
    if isinstance(value, Mapping):
        return {str(key): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in value]
    return value if value is None or isinstance(value, str | int | float | bool) else repr(value)


# a tool call


def _arguments(data: Mapping[str, Any], arguments: Mapping[str, Any], width: int) -> list[Line]:
    if not arguments:
        return [(("  It was called without arguments.", "muted"),)]
    lines = _values(arguments, width)
    original = data.get("edited_from")
    if isinstance(original, Mapping):
        by = {"user": "you"}.get(str(data.get("edited_by")), str(data.get("edited_by")))
        heading = f"  The model asked for this; it was edited by {visible_line(by)}"
        lines += [_EMPTY, ((heading, "subtle"),), *_values(original, width)]
    return lines


def _values(values: Mapping[str, Any], width: int, *, types: bool = True) -> list[Line]:
    """Names, values and types in columns; a value that does not fit gets lines of its own."""
    lines: list[Line] = []
    name_width = min(max([_NAME, *(cell_len(str(name)) + 2 for name in values)]), max(_NAME, width // 3))
    for name, value in values.items():
        kind = type(value).__name__ if types else ""
        label = fit(visible_line(str(name)), name_width)
        room = width - 2 - name_width - 2 - (len(kind) + 2 if kind else 0)
        shown = value_text(value) if types else visible_line(str(value))
        tail: list[Span] = [("  " + kind, "muted")] if kind else []
        long_text = isinstance(value, str) and types and ("\n" in value or cell_len(shown) > room)
        if not long_text and cell_len(shown) <= room:
            lines.append((("  " + label, "muted"), (fit(shown, room), "text"), *tail))
            continue
        size = f"{len(value):,} characters" if isinstance(value, str) else ""
        lines.append((("  " + label, "muted"), (fit(size, room), "muted"), *tail))
        if isinstance(value, str):
            lines += wrapped(value, width, indent=4)
        else:
            text = json.dumps(_plain(value), indent=2, ensure_ascii=False)
            lines += wrapped(text, width, indent=4)
    return lines


# an error


def _error(data: Mapping[str, Any], width: int) -> list[Line]:
    kind = visible_line(str(data.get("error_type") or "Error"))
    message = visible(str(data["error"])).split("\n")
    lines: list[Line] = [
        (("  " + kind, "error strong"), ("  " + clip(message[0], width - cell_len(kind) - 6), "error"))
    ]
    if len(message) > 1 or cell_len(message[0]) > width - cell_len(kind) - 6:
        lines += wrapped("\n".join(message), width)
    received = str(data.get("result") or "")
    if received:
        label = "the model received  "
        first, *rest = list(wrapped(received, width - len(label)))
        lines.append((("  " + label, "muted"), *first[1:]))
        lines += [((" " * (2 + len(label)), "muted"), *line[1:]) for line in rest]
    trace = str(data.get("traceback") or "")
    if trace:
        lines += [_EMPTY, *_traceback(trace, width)]
    frame = data.get("failing_frame")
    if isinstance(frame, Mapping) and frame.get("locals"):
        where = f"  values in {visible_line(str(frame.get('function')))}, line {frame.get('line')}"
        lines += [_EMPTY, ((where, "subtle"),), *_values(frame["locals"], width, types=False)]
    return lines


def _traceback(text: str, width: int) -> Iterator[Line]:
    """Frames as they are told, the code of each set off, the failing line marked."""
    lines = text.rstrip("\n").split("\n")
    frames = [index for index, line in enumerate(lines) if _FRAME.fullmatch(line)]
    failing = frames[-1] + 1 if frames else -1
    for index, line in enumerate(lines):
        match = _FRAME.fullmatch(line)
        if match is not None:
            place = visible_line(f"{match[1]}:{match[2]}")
            where = f"  in {visible_line(match[3])}" if match[3] else ""
            yield ("  " + clip(place, width - 4 - cell_len(where)), "text"), (where, "muted")
        elif index == failing and line.startswith("    "):
            code = "▎ " + fit(visible_line(line), width - 2)
            yield (code[:1], "error on:fault"), (code[1:], "text strong on:fault")
        elif line.strip() and not line.strip("^~ "):
            yield ("  " + clip(line, width - 4), "error"), ("", "error")
        else:
            key = "subtle" if line.startswith("    ") else "muted"
            yield from wrapped(line, width, key)


# facts


def facts(entry: Entry) -> list[tuple[str, list[tuple[str, str]]]]:
    """Sections of facts: a heading, then a label and a value each."""
    data = entry.data
    began = data.get("timestamp")
    time: list[tuple[str, str]] = []
    if isinstance(began, int | float):
        time.append(("started", datetime.fromtimestamp(began).astimezone().strftime("%H:%M:%S.%f")[:-3]))
    for label, key in (("first token", "first_token_ms"), ("waited for you", "human_ms")):
        if isinstance(data.get(key), int | float):
            time.append((label, time_cells(data[key]).strip()))
    if entry.ms is not None:
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


def fact_lines(sections: Iterable[tuple[str, list[tuple[str, str]]]], width: int) -> list[Line]:
    """Facts in a column: label at the left, value at the right edge."""
    lines: list[Line] = []
    for title, rows in sections:
        if lines:
            lines.append(_EMPTY)
        lines.append((("  " + title, "subtle strong"),))
        for label, value in rows:
            room = width - 4 - cell_len(label) - 2
            lines.append((("  " + label + "  ", "muted"), (fit(value, room, right=True), "text")))
    return lines


def facts_text(sections: Iterable[tuple[str, list[tuple[str, str]]]]) -> str:
    """Facts for the clipboard."""
    return "\n".join(f"{label}: {value}" for _, rows in sections for label, value in rows)
