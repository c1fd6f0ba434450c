"""A tool call in the conversation: one line with its state and time, which opens to show all of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.cells import cell_len

from workbench.engine.begun import REPLAYED
from workbench.engine.scope import STOPPED, interrupted, not_run
from workbench.tui.call_marks import call_marks
from workbench.tui.diff import counts
from workbench.tui.render import Span, arguments_text, clip, count_text, name_spans, time_cells
from workbench.tui.states import GLYPHS, WORDS, State
from workbench.tui.transcript.blocks import TEXT_LEAD, Block, join_lines
from workbench.tui.transcript.line import Line, Wrap, line_of, slice_spans
from workbench.visible import as_left, visible, visible_line

OVER: Final[frozenset[State]] = frozenset(GLYPHS) - {"writing", "pending", "waiting", "running"}
"""States in which nothing more happens to a call."""

INTERRUPTED: Final = "interrupted while running; it may have had effects"
"""What stands under a call that a stop cut short; one that never ran has nothing there."""

_CUT_SHORT: Final = interrupted(STOPPED).partition(":")[0]
_NEVER_RAN: Final = not_run(STOPPED).partition(":")[0]
_TIME_COLUMN: Final = 10
_PREVIEW_LINES: Final = 40
_PREVIEW_CHARACTERS: Final = 8_000
_REASON_CHARACTERS: Final = 400
_HEARD_CHARACTERS: Final = 400
_SEQUENCE: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")  # colours, and what moves the cursor
_SHORT_VALUE: Final = 60


class CallBlock(Block):
    """One call. ``started`` and ``now`` are in Unix seconds, ``timing`` in milliseconds."""

    stop = True
    kind = "call"
    folds = True

    def __init__(self, call_id: str, name: str, arguments: Mapping[str, Any], *, origin: str = "") -> None:
        super().__init__()
        self.call_id = call_id
        self.state: State = "pending"
        self.edited = False
        self.host: CallBlock | None = None
        """The call that it is made in, where that is known."""
        self.started = 0.0
        self.now = 0.0
        self._timing: float | None = None
        self._name = name
        self._origin = origin
        self._arguments = arguments
        self._shown: str | None = None
        self._reason = ""
        self._result: Any = None
        self._output = ""
        self._heard = ""
        self._error = ""
        self._written = 0
        self._cut_short = False
        self._change: tuple[int, int] | None = None
        self._marks: tuple[Span, ...] = ()

    def name(self, call_id: str, name: str, arguments: Mapping[str, Any]) -> None:
        """The call is known now: it was being written before."""
        self.call_id, self._name = call_id, name
        self.set_arguments(arguments)
        self.set_state("pending")

    def receive(self, name: str | None, characters: int) -> None:
        """A piece of the call arrived while the model writes it."""
        self._name = name or self._name
        self._written += characters
        self.set_state("writing")

    def within(self, other: CallBlock) -> bool:
        """Whether it is made in the other call, or in one that is."""
        return self.host is not None and (self.host is other or self.host.within(other))

    def set_arguments(self, arguments: Mapping[str, Any]) -> None:
        """Other arguments than so far."""
        self._arguments = arguments
        self._shown = None
        self.stale()

    def edit(self, arguments: Mapping[str, Any]) -> None:
        """Take the arguments that the call runs with; it is marked when they are other ones."""
        if dict(arguments) != dict(self._arguments):
            self.edited = True
            self.set_arguments(arguments)

    def set_change(self, change: tuple[int, int] | None) -> None:
        """How many lines of a file the call adds and removes, where that is known."""
        if change != self._change:
            self._change = change
            self.stale()

    def set_state(self, state: State, reason: str = "") -> None:
        """The state and, for a call that did not run, why."""
        self.state = state
        self._reason = reason or self._reason
        self.stale()

    def start(self, at: float) -> None:
        """The call begins to run."""
        self.started = self.now = at
        self.set_state("running")

    def tick(self, now: float) -> None:
        """Time passes for a running call."""
        self.now = now
        self.stale()

    def hear(self, printed: str) -> bool:
        """The call runs and this is the last line that it has printed; whether it is another one."""
        heard = visible_line(_SEQUENCE.sub("", printed)[:_HEARD_CHARACTERS].strip())
        if not heard or heard == self._heard:
            return False
        self._heard = heard
        self.stale()
        return True

    def finish(self, entry: Mapping[str, Any]) -> None:
        """The call is over; ``entry`` is its trace entry."""
        status = str(entry.get("status", "success"))
        state: State = next((known for known in OVER if known == status), "error")
        self._timing = None if entry.get(REPLAYED) else entry.get("timing")
        self._result = entry.get("result")
        self._output = as_left(str(entry.get("output") or ""))
        self._error = _error_text(entry)
        self._marks = call_marks(entry)
        arguments = entry.get("arguments")
        if isinstance(arguments, Mapping):
            self.edit(arguments)
        self._cut_short = state == "cancelled" and (
            bool(entry.get("left_running")) or str(self._result).startswith(_CUT_SHORT)
        )
        self.set_state(state, str(entry.get("reason") or ""))

    def leave(self) -> None:
        """The turn ended and nothing was heard of the call: it is cancelled."""
        self._cut_short = self.state == "running"
        self.set_state("cancelled")

    def toggle(self) -> None:
        """Show all of the call, or one line."""
        self.expanded = not self.expanded
        self.stale()

    def size(self) -> tuple[int, int]:
        """One row, a second one where a reason stands under it, some more when it is open."""
        return 1, 1 + bool(self._why()) + (12 if self.expanded else 0)

    def source(self) -> str:
        """The call as Python would write it, and what came back."""
        call = f"{self._name}({arguments_text(self._arguments)})"
        return call + ("\n" + join_lines(self._details()) if self.expanded else "")

    def searched(self) -> str:
        """The call and all that its details show."""
        given = [text for name, value in self._arguments.items() for text in (str(name), _whole(value))]
        came = [text for text in (self._reason, self._output, self._error) if text]
        result = [_whole(self._result)] if self._result is not None else []
        return "\n".join([self._name, *given, *came, *result])

    def build(self, width: int, fresh: bool) -> int:
        """Always built anew: it is a handful of lines."""
        self.lines = [self._head(width), *self._reason_lines(width)]
        if self.state == "running" and self._heard:
            said = clip(self._heard, width - 4)
            self.lines.append(Line(said, key="muted", lead=TEXT_LEAD, hang=TEXT_LEAD, wrap="none"))
        if self.expanded:
            self.lines += self._details()
        return 0

    def _head(self, width: int) -> Line:
        glyph, tone = GLYPHS[self.state]
        tail: list[Span] = []
        if self._change is not None and (self.state == "success" or self.state not in OVER):
            tail += [("  ", "text"), *counts(*self._change)]
        tail += [("  ", "text"), ("± edited", "muted")] if self.edited else []
        for mark in self._marks:
            tail += [("  ", "text"), mark]
        name = name_spans(self._name or "…", "subtle")
        if self._origin:
            name.insert(0, (f"{visible_line(self._origin)} › ", "muted"))
        spans: list[Span] = [(glyph, tone), (" ", "text"), *name]
        used = sum(cell_len(text) for text, _ in (*spans, *tail))
        room = width - _TIME_COLUMN - used - 2
        shown = clip(self._arguments_shown(), room)
        if shown:
            spans += [("  ", "text"), (shown, "muted")]
        line = line_of([*spans, *tail], clipped=True, right=self._time())
        return line if used <= width - _TIME_COLUMN else self._narrow(line, width)

    def _narrow(self, line: Line, width: int) -> Line:
        """Where even the name does not fit beside the time, it may take the whole row below it."""
        glyph, text = line.text[:2], line.text[2:]
        keep = clip(text, max(width - _TIME_COLUMN - 2, 1))
        return line_of([*slice_spans(line, 0, len(glyph)), (keep, "subtle")], clipped=True, right=line.right)

    def _arguments_shown(self) -> str:
        if self.state == "writing":
            return f"{count_text(self._written)} characters so far" if self._written else ""
        if self._shown is None:
            self._shown = arguments_text(self._arguments)
        return self._shown

    def _time(self) -> tuple[Span, ...]:
        word = WORDS.get(self.state)
        if word is not None:
            return (word,)
        if self.state == "running":
            return ((time_cells(max(self.now - self.started, 0.0) * 1000), "accent"),)
        text = time_cells(self._timing)
        return ((text[:5], "subtle"), (text[5:], "muted"))

    def _why(self) -> str:
        if self.state in ("error", "not_found"):
            return self._error or (str(self._result) if self.state == "error" else "")
        if self._cut_short:
            return INTERRUPTED
        if self.state == "cancelled" and self._result and not str(self._result).startswith(_NEVER_RAN):
            return str(self._result)
        return self._reason if self.state in ("rejected", "disabled", "denied", "cancelled") else ""

    def _reason_lines(self, width: int) -> list[Line]:
        why = self._why()
        if not why or (self.expanded and not self._cut_short):
            return []
        first = visible_line(why[:_REASON_CHARACTERS].strip().split("\n", 1)[0])
        if self.state == "rejected":
            return [Line(f"“{first}”", key="muted", lead=TEXT_LEAD, hang=TEXT_LEAD)]
        key = "error" if self.state in ("error", "not_found") else "muted"
        return [Line(clip(first, width - 4), key=key, lead=TEXT_LEAD, hang=TEXT_LEAD, wrap="none")]

    def _details(self) -> list[Line]:
        lines: list[Line] = []
        for name, value in self._arguments.items():
            lines += _section(visible_line(str(name)), _whole(value))
        if self._reason:
            lines += _section("reason", self._reason)
        if self._output:
            lines += _section("printed", self._output)
        if self._error:
            lines += _section("error", self._error, key="error")
        if self.state == "success" or (self._result is not None and not self._error):
            lines += _section("result", _whole(self._result))
        return [line.inside(TEXT_LEAD, TEXT_LEAD) for line in lines]


def _error_text(entry: Mapping[str, Any]) -> str:
    """What went wrong, its type before it: ``KeyError: 'Z9'``."""
    kind, text = str(entry.get("error_type") or ""), str(entry.get("error") or "")
    return f"{kind}: {text}" if text and kind and not text.startswith(kind) else text


def _whole(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, indent=2, default=repr)
    except (TypeError, ValueError):
        return repr(value)


def _section(label: str, text: str, *, key: str = "text") -> list[Line]:
    """A label and its value: beside each other when it is one short line, else below.

    Lines that are too long break at words; those of code break hard, so that its columns hold.
    """
    shown, rest = _preview(text)
    parts = shown.split("\n")
    wrap: Wrap = "cells" if _is_code(text, parts) else "words"
    if len(parts) == 1 and len(parts[0]) <= _SHORT_VALUE and not rest:
        return [Line(f"{label}  {parts[0]}", ((0, len(label), "muted"),), key, wrap=wrap)]
    lines = [Line(label, key="muted", wrap="cells")]
    lines += [Line(part, key=key, lead=TEXT_LEAD, hang=TEXT_LEAD, wrap=wrap) for part in parts]
    if rest:
        lines.append(Line(rest, key="muted", lead=TEXT_LEAD, hang=TEXT_LEAD))
    return lines


def _is_code(text: str, lines: Sequence[str]) -> bool:
    """Whether lines are set in, as those of programs are; JSON is, and is read as text all the same."""
    return any(line.startswith("  ") for line in lines) and not text.startswith(("{", "["))


def _preview(text: str) -> tuple[str, str]:
    """The beginning of a long text, safe to paint, and how much is not shown."""
    end = min(len(text), _PREVIEW_CHARACTERS)
    at = -1
    for _ in range(_PREVIEW_LINES):
        at = text.find("\n", at + 1, end)
        if at < 0:
            break
    else:
        end = at
    text_end = text.rstrip("\n")
    if end >= len(text_end):
        return visible(text_end), ""
    missing = len(text) - end
    return visible(
        text[:end]
    ), f"… {count_text(missing)} more characters, {count_text(text.count(chr(10), end))} lines"
