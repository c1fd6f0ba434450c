"""How a turn stands in a session file: one YAML list item, one line per key, ASCII only."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import yaml

from workbench.engine.content import images_of, text_of
from workbench.engine.images import Image, ImageFacts, facts_in
from workbench.engine.llm import Message
from workbench.engine.observer import TraceEntry, TurnSummary
from workbench.storage import end_mark
from workbench.storage.plain import Mask, json_text, to_plain, yaml_list, yaml_number, yaml_string

ITEM_START: Final = re.compile(rb"^  - input:", re.MULTILINE)

_STRING: Final = rb'"(?:[^"\\\n]++|\\.)*+"'
_ITEM: Final = re.compile(
    rb"  - input: (?P<input>%(s)s)\n"
    rb"    model: (?P<model>%(s)s)\n"
    rb"    duration_ms: (?P<duration_ms>%(n)s)\n"
    rb"    tokens: (?P<tokens>%(n)s)\n"
    rb"    cost: (?P<cost>%(n)s)\n"
    rb"    tools_called: \[(?P<tools_called>(?:%(s)s(?:, )?)*+)\]\n"
    rb"    result: (?P<result>%(s)s)\n"
    rb"    messages: (?P<messages>%(s)s)\n"
    rb"    status: (?P<status>%(s)s)\n"
    rb"    waited_ms: (?P<waited_ms>%(n)s)\n"
    rb"(?:    replaces: (?P<replaces>true|false)\n)?"
    rb"    error: (?P<error>null|%(s)s)\n"
    rb"    trace: (?P<trace>%(s)s)\n" % {b"s": _STRING, b"n": rb"-?[0-9.]+|null"}
)
_INPUT: Final = re.compile(rb"  - input: (%b)\n" % _STRING)
_FIRST_WORDS: Final = re.compile(
    rb"""  - input: "((?:[^"\\\n]|\\x..|\\u....|\\U........|\\[^xuU\n]){0,200})"""
)
_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_COMMENTS: Final = re.compile(rb"(?:#[^\n]*\n|\s*\n)*")

BY_HAND: Final = "by hand"
"""Name of the comments that hold what a person ran."""

_BY_HAND: Final = f"# {BY_HAND}: ".encode()
_NO_NOTES: Final = (_BY_HAND, end_mark.PREFIX)

DAMAGED: Final = "damaged"
"""Status of a turn of which only the prompt can be read."""


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A turn as a session file holds it.

    Times are in milliseconds, ``cost`` in US dollars (None: not known). ``status`` is that of the turn's
    summary, or ``interrupted`` for a turn that never ended. ``messages`` are what the turn added, or the
    whole history if it ``replaces`` what was before. ``trace`` holds token usage as mappings. ``by_hand``
    are the calls that a person ran behind the turn; a turn that follows has them in its trace as well,
    unless the session was left in between.
    """

    input: str
    model: str = ""
    duration_ms: float = 0.0
    tokens: int = 0
    cost: float | None = None
    tools_called: tuple[str, ...] = ()
    result: str = ""
    messages: tuple[Message, ...] = ()
    status: str = "success"
    waited_ms: float = 0.0
    error: str | None = None
    trace: tuple[TraceEntry, ...] = ()
    replaces: bool = False
    by_hand: tuple[TraceEntry, ...] = ()

    @property
    def prompt_at(self) -> int:
        """Where the turn's own messages begin: the place of its prompt, also behind a whole history."""
        users = [at for at, message in enumerate(self.messages) if message.get("role") == "user"]
        if self.replaces:
            answered = self.called_at
            users = [at for at in reversed(users) if answered is None or at < answered]
        fits = (at for at in users if self.input in text_of(self.messages[at].get("content")))
        return next(fits, users[0] if users else 0)

    @property
    def images(self) -> tuple[ImageFacts, ...]:
        """What there is to say about the pictures that came with the prompt."""
        entries = (entry for entry in self.trace if entry.get("type") == "user_input")
        return facts_in(next(entries, {}))

    def prompt_images(self) -> tuple[Image, ...]:
        """The pictures themselves."""
        own = self.own_messages
        return images_of(own[0].get("content"), self.images) if own else ()

    @property
    def own_messages(self) -> tuple[Message, ...]:
        """The messages of the turn itself, from its prompt on."""
        return self.messages[self.prompt_at :]

    @property
    def called_at(self) -> int | None:
        """The place of the first message with a call of this turn; None if it made none."""
        ids = {entry.get("call_id") for entry in self.trace if entry.get("type") == "tool_execution"}
        for at, message in enumerate(self.messages):
            if any(call.get("id") in ids for call in message.get("tool_calls") or ()):
                return at
        return None


@dataclass(frozen=True, slots=True)
class Origin:
    """The session that another one is a fork of: its file's name, and the number of the last turn that they
    share. ``inside``: they share the beginning of the next one, too.
    """

    session: str
    turns: int
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Earlier:
    """How many turns of a conversation came before those of a file, and the name of the file with them."""

    turns: int = 0
    session: str = ""


def header(
    agent: str,
    model: str,
    started: datetime,
    mask: Mask,
    origin: Origin | None = None,
    earlier: Earlier = Earlier(),
) -> bytes:
    """The beginning of a session file; with nothing behind it, it is valid YAML without turns."""
    lines = [
        b"agent: " + yaml_string(mask(agent)),
        b"model: " + yaml_string(mask(model)),
        f"started: {started:%Y-%m-%dT%H:%M:%SZ}".encode(),
    ]
    if origin is not None:
        lines += [b"forked_from: " + yaml_string(origin.session), b"forked_after: %d" % origin.turns]
        lines += [b"forked_inside: true"] * origin.inside
    if earlier.turns:
        lines.append(b"turns_before: %d" % earlier.turns)
    if earlier.session:
        lines.append(b"goes_on_from: " + yaml_string(earlier.session))
    return b"\n".join([*lines, b"turns:\n"])


def earlier_of(head: Mapping[str, Any]) -> Earlier:
    """What the header of a session file says about the turns before those of the file."""
    turns, session = head.get("turns_before"), head.get("goes_on_from")
    return Earlier(
        turns if isinstance(turns, int) and turns > 0 else 0, session if isinstance(session, str) else ""
    )


def origin_of(head: Mapping[str, Any]) -> Origin | None:
    """What the header of a session file says about a fork."""
    session, turns = head.get("forked_from"), head.get("forked_after")
    if not isinstance(session, str) or not isinstance(turns, int):
        return None
    return Origin(session, turns, head.get("forked_inside") is True)


def first_words(item: bytes) -> str:
    """The first 200 characters of the prompt of the turn that begins the bytes, which may be cut; empty if
    that cannot be read.
    """
    found = _FIRST_WORDS.match(item)
    try:
        return _text(b'"%b"' % found[1]) if found is not None else ""
    except ValueError:
        return ""


def first_input(item: bytes) -> str:
    """The prompt of the turn that begins the bytes; empty if that cannot be read."""
    found = _INPUT.match(item)
    try:
        return _text(found[1]) if found is not None else ""
    except ValueError:
        return ""


def record_of(summary: TurnSummary, mask: Mask) -> TurnRecord:
    """A finished turn as it will be written: plain data, secrets covered."""
    error = summary.error
    return TurnRecord(
        input=mask(summary.input),
        model=mask(summary.model),
        duration_ms=round(summary.duration_ms, 3),
        tokens=summary.usage.total_tokens,
        cost=summary.usage.cost,
        tools_called=tuple(mask(name) for name in summary.tools_called),
        result=mask(summary.result),
        messages=tuple(to_plain(message, mask) for message in summary.messages),
        status=summary.status,
        waited_ms=round(summary.waited_ms, 3),
        error=None if error is None else mask(f"{type(error).__name__}: {error}"),
        trace=tuple(to_plain(entry, mask) for entry in summary.trace),
        replaces=summary.replaces,
    )


def comment(name: str, value: Any) -> bytes:
    """A line that readers of the turns pass over: plain data as JSON, in ASCII that YAML takes anywhere."""
    text = json.dumps(value).replace("\x7f", "\\u007f")
    return f"# {name}: {text}\n".encode("ascii")


def turn_item(turn: TurnRecord) -> bytes:
    """The YAML list item of a turn."""
    values = (
        (b"  - input", yaml_string(turn.input)),
        (b"    model", yaml_string(turn.model)),
        (b"    duration_ms", yaml_number(turn.duration_ms)),
        (b"    tokens", yaml_number(turn.tokens)),
        (b"    cost", yaml_number(turn.cost)),
        (b"    tools_called", yaml_list(turn.tools_called)),
        (b"    result", yaml_string(turn.result)),
        (b"    messages", yaml_string(json_text(turn.messages))),
        (b"    status", yaml_string(turn.status)),
        (b"    waited_ms", yaml_number(turn.waited_ms)),
        *([(b"    replaces", b"true")] if turn.replaces else []),
        (b"    error", b"null" if turn.error is None else yaml_string(turn.error)),
        # The last key, so that an item that has it is whole.
        (b"    trace", yaml_string(json_text(turn.trace))),
    )
    return b"".join(b"%s: %s\n" % pair for pair in values)


class RawTurn:
    """A whole item whose texts are decoded only when somebody looks at it.

    ``end`` is where it ends in the file, the ``comments`` behind it included.
    """

    __slots__ = ("_by_hand", "_fields", "comments", "end")

    def __init__(
        self,
        fields: dict[str, bytes | None],
        end: int,
        comments: tuple[str, ...],
        by_hand: tuple[bytes, ...] = (),
    ) -> None:
        self._fields = fields
        self._by_hand = by_hand
        self.end = end
        self.comments = comments

    @classmethod
    def match(cls, data: bytes, start: int, end: int) -> RawTurn | None:
        """The item that begins at ``start`` if it is whole and as ``turn_item`` writes it."""
        found = _ITEM.match(data, start, end)
        if found is None:
            return None
        rest = _COMMENTS.match(data, found.end(), end)
        assert rest is not None  # it matches nothing, too
        comments = tuple(
            line[2:].decode(errors="replace")
            for line in rest[0].splitlines()
            if line.startswith(b"# ") and not line.startswith(_NO_NOTES)
        )
        by_hand = tuple(line for line in rest[0].splitlines() if line.startswith(_BY_HAND))
        return cls(found.groupdict(), rest.end(), comments, by_hand)

    @property
    def replaces(self) -> bool:
        """Whether the messages are the whole history; known without decoding them."""
        return self._fields["replaces"] == b"true"

    def decode(self) -> TurnRecord:
        """The turn itself; with the status ``damaged``, and only its prompt, if that cannot be read."""
        try:
            return self._whole()
        except (ValueError, OverflowError, RecursionError) as error:
            prompt = first_input(b"  - input: %b\n" % (self._fields["input"] or b""))
            return TurnRecord(prompt, status=DAMAGED, error=f"this turn's record is damaged: {error}")

    def _whole(self) -> TurnRecord:
        texts = {k: _text(value) for k, value in self._fields.items() if value and value.startswith(b'"')}
        numbers = {key: _number(self._fields[key]) for key in ("duration_ms", "tokens", "cost", "waited_ms")}
        return TurnRecord(
            input=texts["input"],
            model=texts["model"],
            duration_ms=numbers["duration_ms"] or 0.0,
            tokens=int(numbers["tokens"] or 0),
            cost=numbers["cost"],
            tools_called=tuple(
                _text(name) for name in re.findall(_STRING, self._fields["tools_called"] or b"")
            ),
            result=texts["result"],
            messages=_messages(texts["messages"]),
            status=texts["status"],
            waited_ms=numbers["waited_ms"] or 0.0,
            error=texts.get("error"),
            trace=_sequence(texts["trace"]),
            replaces=self.replaces,
            by_hand=tuple(_commented(self._by_hand)),
        )


def _commented(lines: Iterable[bytes]) -> Iterator[TraceEntry]:
    """What the comments hold; one that was damaged is passed over, as any reader of the turns does."""
    for line in lines:
        try:
            entry = json.loads(line.removeprefix(_BY_HAND))
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield entry


def parse_item(data: bytes) -> TurnRecord | None:
    """An item that somebody wrote in another layout, or None if it is torn or not a turn."""
    loaded = load_yaml(data)
    if not isinstance(loaded, list) or len(loaded) != 1:
        return None
    return turn_of(loaded[0])


def turn_of(item: Any) -> TurnRecord | None:
    """A turn from the mapping that YAML gives, or None if it is not whole."""
    if not isinstance(item, dict) or not {"input", "result", "messages", "trace"} <= item.keys():
        return None
    try:
        return TurnRecord(
            input=str(item["input"]),
            model=str(item.get("model") or ""),
            duration_ms=float(item.get("duration_ms") or 0),
            tokens=int(item.get("tokens") or 0),
            cost=None if item.get("cost") is None else float(item["cost"]),
            tools_called=tuple(map(str, item.get("tools_called") or ())),
            result=str(item["result"] or ""),
            messages=_messages(item["messages"]),
            status=str(item.get("status") or "success"),
            waited_ms=float(item.get("waited_ms") or 0),
            error=None if item.get("error") is None else str(item["error"]),
            trace=_sequence(item["trace"]),
            replaces=item.get("replaces") is True,
        )
    except (TypeError, ValueError, OverflowError, RecursionError):
        return None


def load_yaml(data: bytes) -> Any:
    """What the YAML text means; None if it is no YAML."""
    try:
        return yaml.load(data, yaml.CSafeLoader)
    except yaml.YAMLError:
        # libyaml refuses the escapes of lone surrogates, which the hundred times slower loader reads.
        if not _SURROGATE.search(data):
            return None
        try:
            return yaml.safe_load(data)
        except (yaml.YAMLError, ValueError, AttributeError, RecursionError):
            return None
    except (ValueError, AttributeError, RecursionError):  # a date that no calendar has, lists without end
        return None


def _sequence(value: Any) -> tuple[dict[str, Any], ...]:
    loaded = json.loads(value) if isinstance(value, str) else value
    if not isinstance(loaded, list) or not all(isinstance(item, dict) for item in loaded):
        raise ValueError("not a list of mappings")
    return tuple(loaded)


def _messages(value: Any) -> tuple[Message, ...]:
    messages = _sequence(value)
    for message in messages:
        calls = message.get("tool_calls") or []
        if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
            raise ValueError("tool calls that are no list of mappings")
    return messages


def _text(quoted: bytes) -> str:
    # The escapes that ``yaml_string`` writes mean the same in YAML and in Python.
    return quoted[1:-1].decode("unicode_escape")


def _number(text: bytes | None) -> float | None:
    return None if text is None or text == b"null" else float(text)
