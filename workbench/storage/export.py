"""A session for other programs and other people: Markdown to read, JSON lines to work with."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final

from workbench.engine.content import told as named
from workbench.errors import ConfigError
from workbench.storage.session_file import SessionRecord
from workbench.storage.session_format import TurnRecord
from workbench.visible import written

FORMATS: Final = {"markdown": ".md", "jsonl": ".jsonl", "otel": ".spans.jsonl"}
"""The formats by name, each with the ending of its files."""


def export(record: SessionRecord, kind: str, out: IO[str], *, content: bool = False) -> None:
    """Write the session in one of ``FORMATS``. ``content``: spans hold arguments and results, too.

    Raises ConfigError when what a format needs is not installed.
    """
    if kind == "otel":
        from workbench.storage.otel_export import write_spans

        write_spans(record, out, content=content)
        return
    out.writelines(to_jsonl(record) if kind == "jsonl" else to_markdown(record))


def export_to(record: SessionRecord, kind: str, path: Path, *, content: bool = False) -> None:
    """The same into a new file, which is gone if that fails. Raises ``ConfigError``, also if it is there."""
    try:
        out = path.open("x", encoding="utf-8", errors="backslashreplace")
    except FileExistsError as error:
        raise ConfigError(f"{path} is there already", hint="Name another file.") from error
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror}") from error
    try:
        with out:
            export(record, kind, out, content=content)
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise ConfigError(f"cannot write {path}: {error.strerror}") from error
        raise


def to_markdown(record: SessionRecord) -> Iterator[str]:
    """The conversation as a Markdown document, piece by piece: prompts, calls with results, answers.

    It is text: control characters, and others that cannot be seen, stand in it as escapes.
    """
    return map(written, _document(record))


def _document(record: SessionRecord) -> Iterator[str]:
    yield f"# {_line(record.agent)}\n\n"
    facts = [f"model {record.model}"] if record.model else []
    facts += [f"started {record.started:%Y-%m-%d %H:%M} UTC"] if record.started else []
    if record.origin is not None:
        shared, inside = record.origin.turns, record.origin.inside
        where = f"inside turn {shared + 1}" if inside else f"after turn {shared}"
        facts.append(f"forked from {record.origin.session} {where}")
    if record.earlier.turns:
        where = f" are in {record.earlier.session}" if record.earlier.session else " came before"
        facts.append(f"turns up to {record.earlier.turns}{where}")
    if facts:
        yield _line(", ".join(facts)) + "\n\n"
    for number, turn in record.numbered():
        yield from _turn(number, turn)


def _turn(number: int, turn: TurnRecord) -> Iterator[str]:
    yield f"## Turn {number}\n\n{_quoted(turn.input)}\n\n"
    for facts in turn.images:
        yield f"> {_line(f'{facts.name} ({facts})')}\n\n"
    results = {entry.get("call_id"): entry for entry in turn.trace if entry.get("type") == "tool_execution"}
    told = {message.get("tool_call_id"): message.get("content") for message in turn.messages}
    for message in turn.own_messages:
        if message.get("role") != "assistant":
            continue
        content = message.get("content")
        if isinstance(content, str) and content.strip():
            yield content.strip() + "\n\n"
        for call in message.get("tool_calls") or ():
            yield from _call(call, results.get(call.get("id"), {}), told.get(call.get("id")))
    if turn.status != "success":
        yield f"*The turn ended: {turn.status}.*{' ' + _line(turn.error) if turn.error else ''}\n\n"


def _call(call: Mapping[str, Any], entry: Mapping[str, Any], told: object) -> Iterator[str]:
    """``told`` is what the model read of it, shown where nothing else was recorded."""
    function = call.get("function") or {}
    name = entry.get("tool_name") or function.get("name")
    arguments = entry.get("arguments")
    shown = json.dumps(arguments, ensure_ascii=False) if arguments is not None else function.get("arguments")
    status = entry.get("status", "not recorded")
    yield f"**{_line(str(name))}** ({status}{_time(entry.get('timing'))})\n\n"
    yield _fenced(str(shown), "json")
    for turn in entry.get("nested") or ():
        yield _quoted("".join(_inner_turn(turn)).rstrip()) + "\n\n"
    result = entry.get("result") or named(told)
    if result:
        yield _fenced(str(result), "")


def _inner_turn(turn: Mapping[str, Any]) -> Iterator[str]:
    """The turn of an agent that ran inside a call; to be set off from what is around it."""
    yield f"*{_line(str(turn.get('agent')))}, inside this call:*\n\n"
    said = ""
    for entry in turn.get("trace") or ():
        kind = entry.get("type")
        if kind == "user_input":
            yield _quoted(str(entry.get("prompt", ""))) + "\n\n"
        elif kind == "llm_call" and (said := str(entry.get("content") or "").strip()):
            yield said + "\n\n"
        elif kind == "tool_execution":
            yield from _call({}, entry, None)
    result = str(turn.get("result") or "").strip()
    if result and result != said:
        yield result + "\n\n"
    if turn.get("status") != "success":
        yield f"*It ended: {_line(str(turn.get('status')))}.*\n\n"


def _time(timing: object) -> str:
    return f", {timing:.0f} ms" if isinstance(timing, int | float) else ""


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines() or [""])


def _fenced(text: str, language: str) -> str:
    """A code block whose fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}\n\n"


def _line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def to_jsonl(record: SessionRecord) -> Iterator[str]:
    """One JSON object a line: the ``session``, then for each ``turn`` its facts and messages, and each of its
    ``entry`` lines as in the trace, with the number of the turn. ASCII only, so that any text can be written.
    """
    started = record.started.isoformat() if record.started else None
    head: dict[str, Any] = {
        "kind": "session",
        "agent": record.agent,
        "model": record.model,
        "started": started,
        "turns": len(record.turns),
    }
    if record.origin is not None:
        head |= {"forked_from": record.origin.session, "forked_after": record.origin.turns}
        head |= {"forked_inside": True} if record.origin.inside else {}
    if record.earlier.turns:
        head |= {"turns_before": record.earlier.turns, "goes_on_from": record.earlier.session or None}
    yield _json_line(head)
    for number, turn in record.numbered():
        facts = {
            name: getattr(turn, name)
            for name in ("input", "model", "duration_ms", "waited_ms", "tokens", "cost", "status", "result")
        }
        extra = {"error": turn.error, "replaces": turn.replaces, "messages": list(turn.messages)}
        yield _json_line({"kind": "turn", "turn": number, **facts, **extra})
        for entry in turn.trace:
            yield _json_line({"kind": "entry", "turn": number, "entry": entry})


def _json_line(value: Any) -> str:
    return json.dumps(value) + "\n"
